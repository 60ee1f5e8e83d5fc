/** The states of a delivery. */
export const DELIVERY_STATES = [
  "waiting",
  "running",
  "paused",
  "held",
  "done",
  "cancelled",
] as const;

/** One of the {@linkcode DELIVERY_STATES}; a delivery that is found too late is `held`. */
export type DeliveryState = typeof DELIVERY_STATES[number];

/** The mailing of one entry to every subscriber, of which there is one at most. */
export interface Delivery {
  /** The entry that is mailed. */
  readonly entryId: string;
  /** What it is doing. */
  readonly state: DeliveryState;
  /** How many mails the relay has taken. */
  readonly sent: number;
  /** How many recipients were refused for good. */
  readonly failed: number;
  /** How many recipients are tried again later. */
  readonly deferred: number;
  /** When the first mail was sent (RFC 3339, UTC, milliseconds); `null` before that. */
  readonly startedAt: string | null;
  /** When it was done or cancelled; `null` before that. */
  readonly finishedAt: string | null;
  /** Why nothing advances at the moment, for people; or `null`. */
  readonly problem: string | null;
  /** When the entry becomes public, before which nothing is sent. */
  readonly dueAt: string;
  /** When a worker should look at it next; `null` while there is nothing to do. */
  readonly nextAt: string | null;
  /** The greatest address that is done; empty at first, and again at the end. */
  readonly cursor: string;
}

/** A delivery as the API shows it. */
export type ShownDelivery = Omit<Delivery, "dueAt" | "nextAt" | "cursor">;

/** Returns a delivery as the API shows it. */
export function showDelivery(delivery: Delivery): ShownDelivery {
  const { dueAt: _dueAt, nextAt: _nextAt, cursor: _cursor, ...shown } = delivery;
  return shown;
}

/** Creates the delivery of an entry that becomes public at a time (RFC 3339, UTC, milliseconds). */
export function createDelivery(entryId: string, dueAt: string): Delivery {
  return {
    entryId,
    state: "waiting",
    sent: 0,
    failed: 0,
    deferred: 0,
    startedAt: null,
    finishedAt: null,
    problem: null,
    dueAt,
    nextAt: dueAt,
    cursor: "",
  };
}

/** Cancels a delivery at a time; returns `current` itself if it has ended. */
export function cancelDelivery(current: Delivery, now: string): Delivery {
  if (current.finishedAt !== null) return current;
  return {
    ...current,
    state: "cancelled",
    finishedAt: now,
    problem: null,
    nextAt: null,
    cursor: "",
  };
}

/** Pauses a delivery; returns `current` itself if it has ended or is paused. */
export function pauseDelivery(current: Delivery): Delivery {
  if (current.finishedAt !== null || current.state === "paused") return current;
  return { ...current, state: "paused", problem: null, nextAt: null };
}

/** Has a paused or held delivery go on at a time; returns `current` itself if it is neither. */
export function resumeDelivery(current: Delivery, now: string): Delivery {
  if (current.state !== "paused" && current.state !== "held") return current;
  const isDue = current.dueAt <= now;
  const nextAt = isDue ? now : current.dueAt;
  return { ...current, state: isDue ? "running" : "waiting", problem: null, nextAt };
}
