import { EMAIL_MAX_OCTETS, parseEmailAddress } from "./email_address.ts";
import { NAME_MAX_CODE_POINTS, parseUserName } from "./name.ts";
import { generateId } from "./record_id.ts";
import type { Refusal } from "./refusal.ts";
import { type Resource, showRecord } from "./resource.ts";
import { EXAMPLE_TIME } from "./time.ts";

/** Whether one person, identified by e-mail address, receives changelog updates. */
export interface Subscription {
  /** The normal form of the address, which identifies the person: ASCII, up to 254 characters. */
  readonly userEmail: string;
  /** The name of the user, 1 to 200 code points; `null` if none was ever given. */
  readonly userName: string | null;
  /**
   * Random, and names nobody: deliveries go by its order, so that what they remember outlives an erasure.
   * `null` in a record of version 1 that was not brought up to date yet.
   */
  readonly subscriberId: string | null;
  /** Whether the user is subscribed now. */
  readonly subscribed: boolean;
  /** What last changed `subscribed`. */
  readonly source: SubscriptionSource;
  /** When the address was first recorded (RFC 3339, UTC, milliseconds). */
  readonly createdAt: string;
  /** When `subscribed` or `userName` last changed (RFC 3339, UTC, milliseconds). */
  readonly updatedAt: string;
}

/** A subscription as the API shows it. */
export type ShownSubscription = Omit<Subscription, "subscriberId">;

/** The ways in which a subscription changes. */
export const SUBSCRIPTION_SOURCES = [
  "api",
  "import",
  "form",
  "link",
  "bounce",
  "complaint",
] as const;

/** One of the {@linkcode SUBSCRIPTION_SOURCES}; `link` is the unsubscribe link, `form` a confirmed sign-up. */
export type SubscriptionSource = typeof SUBSCRIPTION_SOURCES[number];

/**
 * All that is known of a subscription.
 *
 * @internal It has no type of its own, which the package would need.
 */
export const SUBSCRIPTION = {
  name: "subscriptions",
  key: "userEmail",
  description: "Whether one person receives changelog updates.",
  fields: {
    userEmail: {
      type: "text",
      description: "The normalised address, which identifies the subscriber.",
      inputRemark: "Case does not matter. The part before the `@` is ASCII, of at most 64 " +
        "characters; the domain may be non-ASCII, is stored as its A-label, and is no IPv4 address. In " +
        "a form, `+` means a space: write a plus as `%2B`.",
      example: "ann@example.com",
      rules: { format: "email", maxLength: EMAIL_MAX_OCTETS },
      inputRules: { format: "idn-email", maxLength: EMAIL_MAX_OCTETS },
      parse: parseEmailAddress,
      column: "EMAIL",
    },
    userName: {
      type: "text?",
      description: "The name of the user, if one was ever given.",
      inputRemark: "Normalised to NFC and trimmed; absent or empty keeps the stored name.",
      example: "Ann",
      rules: { maxLength: NAME_MAX_CODE_POINTS },
      parse: parseOptionalName,
      column: "NAME",
      flag: "name NAME",
    },
    subscriberId: { type: "text?", hidden: true },
    subscribed: {
      type: "boolean",
      description: "Whether the user is subscribed now.",
      example: true,
      column: "SUBSCRIBED",
    },
    source: {
      type: "text",
      description:
        "What last changed `subscribed`; `link` is the unsubscribe link in a mail, `form` " +
        "a sign-up that the person confirmed.",
      example: "api",
      rules: { enum: SUBSCRIPTION_SOURCES },
      column: "SOURCE",
    },
    createdAt: {
      type: "time",
      description: "When the address was first recorded.",
      example: EXAMPLE_TIME,
    },
    updatedAt: {
      type: "time",
      description: "When `subscribed` or `userName` last changed.",
      example: EXAMPLE_TIME,
      column: "UPDATED",
    },
  },
  indexes: {
    subscribed: { where: { subscribed: true }, by: "subscriberId" },
    unsubscribed: { where: { subscribed: false } },
  },
  personal: true,
  counted: true,
} as const satisfies Resource<Subscription, ShownSubscription>;

export function showSubscription(subscription: Subscription): ShownSubscription {
  return showRecord<Subscription, ShownSubscription>(SUBSCRIPTION, subscription, {});
}

/** A request to subscribe or unsubscribe one address. */
export interface SubscriptionRequest {
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

/** A request, and the id that its address gets if it is new. */
export interface SubscriptionChange extends SubscriptionRequest {
  readonly newId: string;
}

/** Makes a change of a request. */
export function toSubscriptionChange(request: SubscriptionRequest): SubscriptionChange {
  return { ...request, newId: generateId() };
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
  const subscriberId = current?.subscriberId ?? change.newId;
  return {
    userEmail,
    userName,
    subscriberId,
    subscribed,
    source,
    createdAt,
    updatedAt: change.at,
  };
}

/** Unsubscribes a person; returns `current` itself if nothing changes. */
export function endSubscription(
  current: Subscription,
  { source, at }: Pick<SubscriptionRequest, "source" | "at">,
): Subscription {
  const { userEmail } = current;
  const request = { userEmail, userName: null, subscribe: false, source, at };
  return applySubscriptionChange(current, { ...request, newId: "" });
}

function parseOptionalName(text: string): string | null | Refusal {
  return parseUserName(text) || null;
}
