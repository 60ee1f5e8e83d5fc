import { NEW_BREAKER } from "./breaker.ts";
import { count, hidden, text, textOrNull, timeOrNull } from "../declare.ts";
import {
  type AnswerOf,
  fillRecord,
  type Resource,
  showRecord,
  type StoredOf,
} from "../resource.ts";
import { EPOCH } from "../values/time.ts";

/** The states of a delivery. */
export const DELIVERY_STATES = [
  "waiting",
  "running",
  "paused",
  "held",
  "done",
  "cancelled",
] as const;

/** One of the {@linkcode DELIVERY_STATES}; one that is found too late, or does harm, is `held`. */
export type DeliveryState = typeof DELIVERY_STATES[number];

/** An entry in the mail of a week. */
export interface WeekEntry {
  readonly entryId: string;
  /** The number of its delivery. */
  readonly number: number;
}

/** A post that those who asked are told of. */
export interface ToldPost {
  readonly postId: string;
  readonly instanceId: string;
}

/** All that is known of a delivery. @internal */
export const DELIVERY = {
  name: "deliveries",
  key: "entryId",
  title: "Delivery",
  description: "The mailing of an entry.",
  fields: {
    // The key of the mail of a week is `week:` and the week.
    entryId: textOrNull("The entry that is mailed; `null` for the mail of a week.", "dark-mode", {
      storedAs: "text",
    }),
    state: text(
      "What the delivery is doing. It is `held` where it was found more than a day late, " +
        "where too many mails find no mailbox, or where too many recipients complain.",
      "running",
      { rules: { enum: DELIVERY_STATES }, default: "waiting" },
    ),
    recipients: count(
      "How many were to be mailed by its pace when sending began; 0 before.",
      1250,
      { default: 0 },
    ),
    sent: count("How many mails were sent.", 1200, { default: 0 }),
    failed: count("How many recipients were refused.", 3, { default: 0 }),
    deferred: count("How many recipients are tried again later.", 1, { default: 0 }),
    skipped: count("How many get no mail, as they chose labels that it has none of.", 40, {
      default: 0,
    }),
    startedAt: timeOrNull("When sending began."),
    finishedAt: timeOrNull("When the delivery was done or cancelled.", null),
    problem: textOrNull("Why nothing advances at the moment, for people.", null),
    week: textOrNull("The week of whose entries it is the mail; `null` for one entry.", null),
    // When the entry becomes public, before which nothing is sent.
    dueAt: hidden("time"),
    // When a worker is to go on with it; `null` while there is nothing to do.
    nextAt: hidden("time?"),
    // When a mail was last sent, or since when one could have been.
    advancedAt: hidden("time"),
    // The number of rounds that are done: see `rounds.ts`.
    round: hidden("integer", { default: 0 }),
    // The posts that it tells of, to those who asked.
    posts: hidden("json", { default: [] as readonly ToldPost[] }),
    // The place in the order of its round up to which people are done; `null` at first.
    cursor: hidden("text?"),
    // The last failure whose recipient was planned again; empty before the first, `null` for no retry.
    retriedTo: hidden("text?"),
    // The version of the changelog that its start made; 0 before that.
    number: hidden("integer", { default: 0 }),
    // The entries of the week, with the numbers of their deliveries.
    contents: hidden("json", { default: [] as readonly WeekEntry[] }),
    // Holds the delivery before it does harm.
    breaker: hidden("json", { default: NEW_BREAKER }),
  },
  indexes: {
    byNext: { by: "nextAt" },
    byDue: { by: "dueAt" },
  },
} as const satisfies Resource;

/** The mailing of one entry to every subscriber, of which there is one at most. */
export type Delivery = StoredOf<typeof DELIVERY.fields>;

/** A delivery as the API shows it. */
export type ShownDelivery = AnswerOf<typeof DELIVERY.fields>;

/** Returns a delivery as the API shows it. */
export function showDelivery(delivery: Delivery): ShownDelivery {
  const shown: ShownDelivery = showRecord(DELIVERY, delivery, {});
  return delivery.week === null ? shown : { ...shown, entryId: null };
}

/**
 * Creates the delivery of an entry that becomes public at a time (RFC 3339, UTC, milliseconds). Without
 * `isScheduled`, it is due at once by every clock.
 */
export function createDelivery(
  entryId: string,
  dueAt: string,
  { isScheduled = false, ...week }:
    & { readonly isScheduled?: boolean }
    & Partial<Pick<Delivery, "week" | "contents">> = {},
): Delivery {
  const nextAt = isScheduled ? dueAt : EPOCH;
  return fillRecord<Delivery>(DELIVERY, {
    entryId,
    dueAt,
    nextAt,
    advancedAt: dueAt,
    ...week,
  });
}
