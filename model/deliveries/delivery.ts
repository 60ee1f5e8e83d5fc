import { hash64 } from "../crypto/hash64.ts";
import type { Item } from "../kind.ts";
import { NEW_BREAKER } from "./breaker.ts";
import {
  count,
  hidden,
  listOf,
  object,
  oneOf,
  text,
  textOrNull,
  time,
  timeOrNull,
  withSchema,
} from "../declare.ts";
import { fillRecord, type Resource, type ShownOf, showRecord, type StoredOf } from "../resource.ts";
import type { PostStatus } from "../posts/post.ts";
import { EPOCH } from "../values/time.ts";

export const DELIVERY_STATES = [
  "waiting",
  "running",
  "paused",
  "held",
  "done",
  "cancelled",
] as const;

/** One of the {@linkcode DELIVERY_STATES}; `held` is a delivery that is late or does harm. */
export type DeliveryState = typeof DELIVERY_STATES[number];

/** An entry in the mail of a week. */
export interface WeekEntry {
  readonly entryId: string;
  /** The number of its delivery. */
  readonly number: number;
}

/** The status and the answer of a post that people are told of. */
export interface ToldWords {
  readonly status: PostStatus;
  readonly answer: string | null;
}

/** A post that a delivery announces to the people who asked about it. */
export interface ToldPost {
  readonly postId: string;
  readonly instanceId: string;
  /** The earlier delivery of the entry that ships the post, if it already told people the same. */
  readonly toldBy?: string;
  /** The entry that had already shipped the post when the team told of it. */
  readonly afterEntry?: string;
  /** The words that the team told; a delivery of a post alone has them. */
  readonly words?: ToldWords;
  /** The number of people who had asked about it when the delivery began. */
  readonly asked?: number;
  /** The number of mails that told of it. */
  readonly told?: number;
}

const TOLD_POST = object("ToldPost", "A post that a delivery tells of.", {
  postId: text("The post.", "k3v9x2mp"),
  asked: count("How many asked to be told of it when sending began.", 41),
  told: count("How many mails told of it.", 41),
});

/** The fields of a delivery. @internal */
export const DELIVERY = {
  name: "deliveries",
  key: "entryId",
  title: "Delivery",
  description: "The mailing of an entry, of a week, or of a post.",
  fields: {
    deliveryId: text("The identifier.", "cf71e923e177566b"),
    // The key of a week's mail is `week:` and the week; `tellingKey` returns that of a post's mail.
    entryId: textOrNull("The entry that is mailed; `null` for a week or a post.", "dark-mode", {
      storedAs: "text",
    }),
    state: oneOf(
      DELIVERY_STATES,
      "What the delivery is doing. It is `held` where it was found more than a day late, " +
        "where too many mails find no mailbox, or where too many recipients complain.",
      { example: "running", default: "waiting" },
    ),
    recipients: count(
      "How many people it set out for when sending began, each once; 0 before.",
      1250,
      { default: 0 },
    ),
    sent: count("How many mails were sent.", 1200, { default: 0 }),
    failed: count("How many recipients were refused.", 3, { default: 0 }),
    deferred: count("How many recipients are tried again later.", 1, { default: 0 }),
    skipped: count("How many get no mail, as they chose labels that it has none of.", 40, {
      default: 0,
    }),
    asked: count(
      "How many of the recipients asked to be told of the posts that it ships or is about, each once.",
      41,
      { default: 0 },
    ),
    told: count("How many mails told those who asked.", 41, { default: 0 }),
    posts: withSchema(
      listOf(TOLD_POST, "The posts that those who asked are told of; empty before it began.", {
        storedAs: "json",
        default: [] as readonly ToldPost[],
      }),
      { examples: [[]] },
    ),
    createdAt: time("When it was planned."),
    startedAt: timeOrNull("When sending began."),
    finishedAt: timeOrNull("When the delivery was done or cancelled.", null),
    problem: textOrNull("Why nothing advances at the moment, for people.", null),
    week: textOrNull("The week of whose entries it is the mail; `null` for others.", null),
    postId: textOrNull("The post that those who asked are told of; `null` for others.", null),
    // The publication time of the entry; nothing is sent before it.
    dueAt: hidden("time"),
    // The time at which a worker continues; `null` while no work is left.
    nextAt: hidden("time?"),
    // The time at which a mail was last sent, or at which the first one could have been.
    advancedAt: hidden("time"),
    // Number of finished rounds: see `rounds.ts`.
    round: hidden("integer", { default: 0 }),
    // The number of rounds of a post's delivery. Each round reaches the people who asked since the
    // last one.
    rounds: hidden("integer", { default: 1 }),
    // The position in the round's order up to which people are done; `null` at first.
    cursor: hidden("text?"),
    // The last failure that a retry has planned again; empty before the first one, `null` without a
    // retry.
    retriedTo: hidden("text?"),
    // The version of the changelog that starting the delivery created; 0 before the start.
    number: hidden("integer", { default: 0 }),
    // The entries of the week, with the numbers of their deliveries.
    contents: hidden("json", { default: [] as readonly WeekEntry[] }),
    // Puts the delivery on hold before it does harm.
    breaker: hidden("json", { default: NEW_BREAKER }),
  },
  references: { entryId: { to: "entries", where: { week: null, postId: null } } },
  indexes: {
    byNext: { by: "nextAt" },
    byDue: { by: "dueAt" },
    byId: { by: "deliveryId" },
    byCreation: { by: "createdAt" },
    held: { where: { state: "held" }, by: "createdAt" },
    paused: { where: { state: "paused" }, by: "createdAt" },
    unfinished: { where: { finishedAt: null }, by: "createdAt" },
  },
} as const satisfies Resource;

/** A delivery as stored. An entry has at most one; a post has one for each status and answer. */
export type Delivery = StoredOf<typeof DELIVERY.fields>;

/** A delivery as the API shows it. */
export type ShownDelivery = ShownOf<typeof DELIVERY.fields>;

/** Returns a delivery as the API shows it. */
export function showDelivery(delivery: Delivery): ShownDelivery {
  const shown: ShownDelivery = showRecord(DELIVERY, delivery, {});
  const { week, postId } = delivery;
  const posts = delivery.posts.map(({ postId, asked = 0, told = 0 }) => ({ postId, asked, told }));
  const entryId = week === null && postId === null ? shown.entryId : null;
  return { ...shown, entryId, posts };
}

/** Returns the identifier of the delivery with a key. */
export function deliveryIdOf(key: string): string {
  return hash64(key);
}

/** Returns a delivery of an earlier version with the fields that it lacked. */
export function withIdentity(record: Item): Item {
  const { entryId, dueAt } = record as Partial<Delivery>;
  return { ...record, deliveryId: deliveryIdOf(`${entryId}`), createdAt: dueAt };
}

/**
 * Creates a delivery that is due at a time (RFC 3339, UTC, milliseconds), such as the publication
 * time of its entry. Without `isScheduled`, it is due at once by every process's clock.
 */
export function createDelivery(
  entryId: string,
  dueAt: string,
  { isScheduled = false, createdAt = dueAt, ...contents }:
    & { readonly isScheduled?: boolean; readonly createdAt?: string }
    & Partial<Pick<Delivery, "week" | "contents" | "postId" | "posts">> = {},
): Delivery {
  const nextAt = isScheduled ? dueAt : EPOCH;
  return fillRecord<Delivery>(DELIVERY, {
    deliveryId: deliveryIdOf(entryId),
    entryId,
    createdAt,
    dueAt,
    nextAt,
    advancedAt: dueAt,
    ...contents,
  });
}
