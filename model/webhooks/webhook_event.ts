import { grantsScope, type Scope } from "../keys/api_key.ts";

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

/** Returns the scopes that a caller with `scopes` lacks to read events of some types. */
export function scopesLackedFor(
  types: readonly string[],
  scopes: readonly Scope[],
): readonly Scope[] {
  const needed: readonly (readonly [prefix: string, scope: Scope])[] = [
    ["subscriber.", "subscriptions:read"],
    ["post.", "posts:read"],
  ];
  return needed
    .filter(([prefix, scope]) =>
      types.some((type) => type.startsWith(prefix)) && !grantsScope(scopes, scope)
    )
    .map(([, scope]) => scope);
}
