/** Whether one person, identified by e-mail address, receives changelog updates. */
export interface Subscription {
  /** The normal form of the address, which identifies the person: ASCII, up to 254 characters. */
  readonly userEmail: string;
  /** The name of the user, 1 to 200 code points; `null` if none was ever given. */
  readonly userName: string | null;
  /** Whether the user is subscribed now. */
  readonly subscribed: boolean;
  /** What last changed `subscribed`. */
  readonly source: SubscriptionSource;
  /** When the address was first recorded (RFC 3339, UTC, milliseconds). */
  readonly createdAt: string;
  /** When `subscribed` or `userName` last changed (RFC 3339, UTC, milliseconds). */
  readonly updatedAt: string;
}

/** The ways in which a subscription changes. */
export const SUBSCRIPTION_SOURCES = ["api", "import", "link", "bounce"] as const;

/** One of the {@linkcode SUBSCRIPTION_SOURCES}; `link` is the unsubscribe link. */
export type SubscriptionSource = typeof SUBSCRIPTION_SOURCES[number];

/** A request to subscribe or unsubscribe one address. */
export interface SubscriptionChange {
  /** The normal form of the address. */
  readonly userEmail: string;
  /** `null` keeps the stored name. */
  readonly userName: string | null;
  readonly subscribe: boolean;
  readonly source: SubscriptionSource;
  readonly at: string;
  /** When an address that is not stored yet was first recorded elsewhere; absent: `at`. */
  readonly createdAt?: string | undefined;
  /**
   * Whether an address that is stored as unsubscribed stays unsubscribed, whatever `subscribe`
   * says. Imports set it, so that an old list never undoes an opt-out.
   */
  readonly keepUnsubscribed?: boolean | undefined;
}

/**
 * Applies a change to the stored subscription of its address. Returns `current` itself if
 * nothing changes, so that comparing references shows whether anything has to be stored.
 */
export function applySubscriptionChange(
  current: Subscription | undefined,
  change: SubscriptionChange,
): Subscription {
  const userName = change.userName ?? current?.userName ?? null;
  const isKept = change.keepUnsubscribed && current?.subscribed === false;
  const subscribed = change.subscribe && !isKept;
  if (subscribed === current?.subscribed && userName === current.userName) return current;
  const { userEmail } = current ?? change;
  const source = subscribed === current?.subscribed ? current.source : change.source;
  const createdAt = current?.createdAt ?? change.createdAt ?? change.at;
  return { userEmail, userName, subscribed, source, createdAt, updatedAt: change.at };
}
