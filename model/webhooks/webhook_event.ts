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
] as const;

/** One of the {@linkcode EVENT_TYPES}. */
export type EventType = typeof EVENT_TYPES[number];

/** Something that happened, of which webhooks get messages. */
export interface WebhookEvent {
  readonly type: EventType | "test";
  /** When it happened (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  readonly data: unknown;
  /** The address of the person it is about; absent or `null`: it is about nobody. */
  readonly userEmail?: string | null;
}

/** Tells whether any of some types tells of subscribers. */
export function isAboutPeople(types: readonly string[]): boolean {
  return types.some((type) => type.startsWith("subscriber."));
}
