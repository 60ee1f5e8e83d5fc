/** The types of the events that webhooks subscribe to. */
export const EVENT_TYPES = [
  "entry.published",
  "entry.updated",
  "entry.unpublished",
  "subscriber.subscribed",
  "subscriber.unsubscribed",
  "subscriber.updated",
  "subscriber.erased",
  "post.created",
  "post.updated",
  "post.merged",
  "post.deleted",
  "post.held",
  "post.reported",
] as const;

/** One of the {@linkcode EVENT_TYPES}. */
export type EventType = typeof EVENT_TYPES[number];

/** An event that webhooks get messages about. */
export interface WebhookEvent {
  readonly type: EventType | "test";
  /** The time of the event (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  readonly data: unknown;
  /** The address of the person concerned; absent or `null`: nobody. */
  readonly userEmail?: string | null;
}

/** Tells whether any of some event types is about people. */
export function isAboutPeople(types: readonly string[]): boolean {
  return types.some((type) => type.startsWith("subscriber."));
}
