import { type Breaker, countMails, countReport, findHarm, NEW_BREAKER } from "./breaker.ts";
import type { BounceType } from "./bounce_event.ts";
import { fillRecord, type Resource, showRecord } from "./resource.ts";
import { addMs, EPOCH, EXAMPLE_TIME } from "./time.ts";

/** What a delivery may be doing. */
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

/**
 * The mailing of one entry to every subscriber, of which there is one at most. Its times are RFC 3339,
 * UTC, with milliseconds.
 */
export interface Delivery {
  readonly entryId: string;
  readonly state: DeliveryState;
  /** How many were subscribed when it began; 0 before that. */
  readonly recipients: number;
  /** How many mails the relay has taken. */
  readonly sent: number;
  /** How many recipients were refused for good. */
  readonly failed: number;
  /** How many recipients are tried again later. */
  readonly deferred: number;
  /** When the first mail was about to be sent; `null` before that. */
  readonly startedAt: string | null;
  /** When it was done or cancelled; `null` before that. */
  readonly finishedAt: string | null;
  /** Why nothing advances at the moment, for people; or `null`. */
  readonly problem: string | null;
  /** When the entry becomes public, before which nothing is sent. */
  readonly dueAt: string;
  /** When a worker is to go on with it; `null` while there is nothing to do. */
  readonly nextAt: string | null;
  /** When a mail was last sent, or since when one could have been. */
  readonly advancedAt: string;
  /** The greatest `subscriberId` that is done; `null` at first, and again at the end. */
  readonly cursor: string | null;
  /** What has it held before it does harm. */
  readonly breaker: Breaker;
}

/** A delivery as the API shows it. */
export type ShownDelivery = Omit<
  Delivery,
  "dueAt" | "nextAt" | "advancedAt" | "cursor" | "breaker"
>;

/**
 * All that is known of a delivery.
 *
 * @internal It has no type of its own, which the package would need.
 */
export const DELIVERY = {
  name: "deliveries",
  key: "entryId",
  description: "The mailing of an entry.",
  fields: {
    entryId: {
      type: "text",
      description: "The entry that is mailed.",
      example: "dark-mode",
      column: "ENTRY",
    },
    state: {
      type: "text",
      description:
        "What the delivery is doing. It is `held` where it was found more than a day late, " +
        "where too many mails find no mailbox, or where too many recipients complain.",
      example: "running",
      rules: { enum: DELIVERY_STATES },
      default: "waiting",
      column: "STATE",
    },
    recipients: {
      type: "integer",
      description: "How many were subscribed when sending began; 0 before.",
      example: 1250,
      default: 0,
      column: "RECIPIENTS",
    },
    sent: {
      type: "integer",
      description: "How many mails were sent.",
      example: 1200,
      default: 0,
      column: "SENT",
    },
    failed: {
      type: "integer",
      description: "How many recipients were refused.",
      example: 3,
      default: 0,
      column: "FAILED",
    },
    deferred: {
      type: "integer",
      description: "How many recipients are tried again later.",
      example: 1,
      default: 0,
      column: "DEFERRED",
    },
    startedAt: {
      type: "time?",
      description: "When sending began.",
      example: EXAMPLE_TIME,
    },
    finishedAt: {
      type: "time?",
      description: "When the delivery was done or cancelled.",
      example: null,
    },
    problem: {
      type: "text?",
      description: "Why nothing advances at the moment, for people.",
      example: null,
      column: "PROBLEM",
    },
    dueAt: { type: "time", hidden: true },
    nextAt: { type: "time?", hidden: true },
    advancedAt: { type: "time", hidden: true },
    cursor: { type: "text?", hidden: true },
    breaker: { type: "json", hidden: true, default: NEW_BREAKER },
  },
  indexes: {
    byNext: { by: "nextAt" },
    byDue: { by: "dueAt" },
  },
} as const satisfies Resource<Delivery, ShownDelivery>;

/** Returns a delivery as the API shows it. */
export function showDelivery(delivery: Delivery): ShownDelivery {
  return showRecord<Delivery, ShownDelivery>(DELIVERY, delivery, {});
}

/**
 * Creates the delivery of an entry that becomes public at a time (RFC 3339, UTC, milliseconds). Without
 * `isScheduled`, it is due at once by every clock.
 */
export function createDelivery(
  entryId: string,
  dueAt: string,
  { isScheduled = false }: { readonly isScheduled?: boolean } = {},
): Delivery {
  const nextAt = isScheduled ? dueAt : EPOCH;
  return fillRecord<Delivery, ShownDelivery>(DELIVERY, {
    entryId,
    dueAt,
    nextAt,
    advancedAt: dueAt,
  });
}

/** Cancels a delivery at a time; returns `current` itself if it has ended. */
export function cancelDelivery(current: Delivery, now: string): Delivery {
  if (current.finishedAt !== null) return current;
  return endDelivery(current, "cancelled", now);
}

/** Pauses a delivery; returns `current` itself if it has ended or is paused. */
export function pauseDelivery(current: Delivery): Delivery {
  if (current.finishedAt !== null || current.state === "paused") return current;
  return { ...current, state: "paused", problem: null, nextAt: null };
}

/** Has a paused or held delivery go on at a time; returns `current` itself if it is neither. */
export function resumeDelivery(current: Delivery, now: string): Delivery {
  if (current.state !== "paused" && current.state !== "held") return current;
  const isDue = current.startedAt !== null || current.dueAt <= now;
  const nextAt = isDue ? EPOCH : current.dueAt;
  const advancedAt = isDue ? now : current.dueAt;
  return {
    ...current,
    ...{ state: isDue ? "running" : "waiting", problem: null, nextAt, advancedAt },
    breaker: NEW_BREAKER,
  };
}

/** How far a delivery has got since it was last stored. */
export interface DeliveryProgress {
  /** The greatest `subscriberId` that is done, if there are new ones. */
  readonly cursor: string | null;
  readonly sent: number;
  readonly failed: number;
  /** How many more recipients, or fewer, are tried again later. */
  readonly deferred: number;
  /** Of each mail that was taken over or refused for good, whether it found no mailbox. */
  readonly mails: readonly boolean[];
}

const MAX_LATE_MS = 24 * 3_600_000;

/** Tells whether a delivery has not advanced for so long that nobody may want it any more. */
export function isLate({ advancedAt }: Delivery, now: string): boolean {
  return addMs(advancedAt, MAX_LATE_MS) < now;
}

/** Why a delivery is held that is late. */
export const LATE = "It is more than 24 hours late: resume or cancel it";

/** Has a delivery wait until it is resumed. */
export function holdDelivery(current: Delivery, problem: string): Delivery {
  return { ...current, state: "held", problem, nextAt: null };
}

/** Counts a report that unsubscribed a recipient; returns `current` itself if it has ended or is held. */
export function countDeliveryReport(current: Delivery, type: BounceType): Delivery {
  if (current.finishedAt !== null || current.state === "held") return current;
  const next = { ...current, breaker: countReport(current.breaker, type) };
  const harm = current.state === "running" ? findHarm(next.breaker) : undefined;
  return harm === undefined ? next : holdDelivery(next, harm);
}

/** Begins a delivery to so many recipients, at a time. */
export function startDelivery(current: Delivery, recipients: number, now: string): Delivery {
  return { ...current, state: "running", recipients, startedAt: now, nextAt: EPOCH };
}

/** Adds progress to a delivery, which may have been paused or cancelled since. */
export function advanceDelivery(
  current: Delivery,
  progress: DeliveryProgress,
  now: string,
): Delivery {
  const sent = current.sent + progress.sent;
  const failed = current.failed + progress.failed;
  if (current.finishedAt !== null) return { ...current, sent, failed };
  const cursor = [current.cursor ?? "", progress.cursor ?? ""].sort()[1] || null;
  const deferred = current.deferred + progress.deferred;
  const breaker = countMails(current.breaker, progress.mails);
  const next = { ...current, sent, failed, deferred, cursor, breaker };
  if (current.state !== "running") return next;
  const harm = findHarm(breaker);
  if (harm !== undefined) return holdDelivery(next, harm);
  const advancedAt = progress.sent + progress.failed > 0 ? now : current.advancedAt;
  return { ...next, problem: null, nextAt: EPOCH, advancedAt };
}

/** Records why a delivery does not advance. */
export function obstructDelivery(current: Delivery, problem: string): Delivery {
  return { ...current, problem };
}

/** Has a delivery whose first attempts are all made wait for a retry; without one, it is done. */
export function finishDelivery(current: Delivery, retryAt: string | null, now: string): Delivery {
  if (retryAt !== null) {
    return { ...current, problem: null, nextAt: retryAt, advancedAt: retryAt };
  }
  return endDelivery(current, "done", now);
}

function endDelivery(current: Delivery, state: DeliveryState, finishedAt: string): Delivery {
  return { ...current, state, finishedAt, deferred: 0, problem: null, nextAt: null, cursor: null };
}
