import type { BounceType } from "../bounces/bounce_event.ts";
import { countMails, countReport, findHarm, NEW_BREAKER } from "./breaker.ts";
import type { Delivery, DeliveryState } from "./delivery.ts";
import { addMs, EPOCH } from "../values/time.ts";

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

/** Resumes a paused or held delivery at a time; returns `current` itself if it is neither. */
export function resumeDelivery(current: Delivery, now: string): Delivery {
  if (current.state !== "paused" && current.state !== "held") return current;
  const isDue = current.startedAt !== null || current.dueAt <= now;
  const nextAt = isDue ? EPOCH : current.dueAt;
  const advancedAt = isDue ? now : current.dueAt;
  return {
    ...current,
    state: isDue ? "running" : "waiting",
    problem: null,
    nextAt,
    advancedAt,
    breaker: NEW_BREAKER,
  };
}

/**
 * Plans to mail the people again whom a delivery did not reach, at a time. Returns `current` itself
 * if the delivery has not ended, or was cancelled.
 */
export function retryDelivery(current: Delivery, now: string): Delivery {
  if (current.state !== "done") return current;
  return {
    ...current,
    retriedTo: "",
    state: "running",
    finishedAt: null,
    nextAt: EPOCH,
    advancedAt: now,
    breaker: NEW_BREAKER,
  };
}

/** The progress of a delivery since it was last stored. */
export interface DeliveryProgress {
  /** The greatest position up to which people are done; `null` if nobody was done since. */
  readonly cursor: string | null;
  readonly sent: number;
  readonly failed: number;
  /** Number of people who get no mail by their own choice. */
  readonly skipped: number;
  /** The change in the number of recipients who are retried later. */
  readonly deferred: number;
  /** For each mail that was accepted or permanently refused: whether its mailbox does not exist. */
  readonly mails: readonly boolean[];
  /** The identifiers of the posts in each sent mail to a person who had asked. */
  readonly told?: readonly (readonly string[])[];
  /** The reason why people are retried who may not be at fault. */
  readonly problem?: string | undefined;
}

const MAX_LATE_MS = 24 * 3_600_000;
// The longest wait for another attempt, after a mail that the relay left unanswered.
const MAX_RETRY_MS = MAX_LATE_MS + 900_000;

/**
 * Tells whether a delivery has not advanced for so long that its mail may be unwelcome. `paceMs` is
 * the time from one mail to the next that the rate asks for.
 */
export function isLate({ advancedAt }: Delivery, now: string, paceMs = 0): boolean {
  // A worker that starts waits for as long as one mail before it sends the next one.
  return addMs(advancedAt, MAX_LATE_MS + 2 * paceMs) < now;
}

/**
 * Tells whether a worker should continue a delivery. A wait longer than any retry counts as due,
 * because a clock that was ahead must have planned it.
 */
export function isDeliveryDue({ nextAt, startedAt }: Delivery, now: string): boolean {
  if (nextAt === null || nextAt <= now) return nextAt !== null;
  return startedAt !== null && nextAt > addMs(now, MAX_RETRY_MS);
}

// Start of the problem text of a delivery that only waits for the mail rate.
const RATE_PROBLEM = "The rate of mails allows the next one at";
// A shorter wait for the rate is no problem.
const LONG_MS = 60_000;

/**
 * Returns the problem text of a delivery whose next mail waits for the mail rate, at a time in
 * milliseconds since 1970; `undefined` if the wait is short.
 */
export function describeRate(nowMs: number, waitMs: number): string | undefined {
  if (waitMs <= LONG_MS) return undefined;
  return `${RATE_PROBLEM} ${new Date(nowMs + waitMs).toISOString()}`;
}

/**
 * Returns the time since which a delivery has waited in vain: it last advanced then, or its rate
 * has allowed a mail since.
 */
export function waitingSince({ advancedAt, problem }: Delivery): string {
  const rateAt = problem?.startsWith(RATE_PROBLEM) ? problem.slice(RATE_PROBLEM.length + 1) : "";
  return rateAt > advancedAt ? rateAt : advancedAt;
}

/** Tells whether a fault keeps a delivery from advancing; waiting for the mail rate is none. */
export function isObstructed({ state, problem }: Pick<Delivery, "state" | "problem">): boolean {
  return state === "running" && problem !== null && !problem.startsWith(RATE_PROBLEM);
}

/** The problem text of a delivery that is held because it is late. */
export const LATE = "It is more than 24 hours late: resume or cancel it";

/** Holds a delivery until it is resumed. */
export function holdDelivery(current: Delivery, problem: string): Delivery {
  return { ...current, state: "held", problem, nextAt: null };
}

/**
 * Counts a report that unsubscribed a recipient; returns `current` itself if it has ended or is
 * held.
 */
export function countDeliveryReport(current: Delivery, type: BounceType): Delivery {
  if (current.finishedAt !== null || current.state === "held") return current;
  const next = { ...current, breaker: countReport(current.breaker, type) };
  const harm = current.state === "running" ? findHarm(next.breaker) : undefined;
  return harm === undefined ? next : holdDelivery(next, harm);
}

/** Starts a delivery to a number of recipients, at a time, with a delivery number. */
export function startDelivery(
  current: Delivery,
  recipients: number,
  { now, number = 1 }: { readonly now: string; readonly number?: number },
): Delivery {
  return { ...current, state: "running", recipients, startedAt: now, nextAt: EPOCH, number };
}

/** Adds progress to a delivery, which may have been paused or cancelled meanwhile. */
export function advanceDelivery(
  current: Delivery,
  progress: DeliveryProgress,
  now: string,
): Delivery {
  const sent = current.sent + progress.sent;
  const failed = current.failed + progress.failed;
  const skipped = current.skipped + progress.skipped;
  const cursor = [current.cursor ?? "", progress.cursor ?? ""].sort()[1] || null;
  const counted = countTold({ ...current, sent, failed, skipped, cursor }, progress.told ?? []);
  if (current.finishedAt !== null) return counted;
  const deferred = current.deferred + progress.deferred;
  const breaker = countMails(current.breaker, progress.mails);
  const next = { ...counted, deferred, breaker };
  if (current.state !== "running") return next;
  const harm = findHarm(breaker);
  if (harm !== undefined) return holdDelivery(next, harm);
  const advancedAt = progress.sent + progress.failed > 0 ? now : current.advancedAt;
  return { ...next, problem: progress.problem ?? null, nextAt: EPOCH, advancedAt };
}

/** Counts the sent mails that told of posts: in all, and for each post. */
function countTold(current: Delivery, told: readonly (readonly string[])[]): Delivery {
  if (told.length === 0) return current;
  const posts = current.posts.map((post) => {
    const count = told.filter((postIds) => postIds.includes(post.postId)).length;
    return { ...post, told: (post.told ?? 0) + count };
  });
  const next = { ...current, posts, told: current.told + told.length };
  if (current.postId === null) return next;
  // A further round of a post reaches people who were not counted when the delivery began.
  const asked = Math.max(current.asked, next.told);
  return { ...next, asked, recipients: Math.max(current.recipients, asked) };
}

/** Records why a delivery does not advance at a time; `advancedAt` is at most that time. */
export function obstructDelivery(current: Delivery, problem: string, now: string): Delivery {
  const advancedAt = current.advancedAt < now ? current.advancedAt : now;
  return { ...current, problem, advancedAt };
}

/** Ends the first attempts of a delivery: it waits for a retry or, without one, is done. */
export function finishDelivery(current: Delivery, retryAt: string | null, now: string): Delivery {
  if (current.retriedTo !== null) return { ...current, nextAt: EPOCH };
  if (retryAt !== null) {
    const problem = isObstructed(current) ? current.problem : null;
    return { ...current, problem, nextAt: retryAt, advancedAt: retryAt };
  }
  return endDelivery(current, "done", now);
}

function endDelivery(current: Delivery, state: DeliveryState, finishedAt: string): Delivery {
  return { ...current, state, finishedAt, deferred: 0, problem: null, nextAt: null };
}
