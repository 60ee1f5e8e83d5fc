import { changePace, CHOSEN_LABELS, CHOSEN_PACE, type Paced } from "./choices.ts";
import { EMAIL_MAX_OCTETS, parseEmailAddress } from "../values/email_address.ts";
import { NAME_MAX_CODE_POINTS, parseUserName } from "../values/text.ts";
import type { Refusal } from "../values/refusal.ts";
import { flag, hidden, oneOf, text, textOrNull, time } from "../declare.ts";
import {
  applyValues,
  type Field,
  fillRecord,
  type Resource,
  sentNames,
  type SentValues,
  type ShownOf,
  showRecord,
} from "../resource.ts";
import {
  appendHistory,
  type Evidence,
  type HistoryEvent,
  readHistory,
  writeHistory,
} from "./history.ts";
import { EXAMPLE_TIME } from "../values/time.ts";

/** Whether one person, identified by e-mail address, receives changelog updates. */
export interface Subscription extends Paced {
  /** The normal form of the address, which identifies the person: ASCII, up to 254 characters. */
  readonly userEmail: string;
  /** The name of the user, 1 to 200 code points; `null` if none was ever given. */
  readonly userName: string | null;
  /**
   * A random id without personal data. Deliveries use its order, so that their cursors stay valid
   * after an erasure.
   */
  readonly subscriberId: string;
  /** Whether the user is subscribed now. */
  readonly subscribed: boolean;
  /** The cause of the last change of `subscribed`. */
  readonly source: SubscriptionSource;
  /** The changes of `subscribed`, in the form that {@linkcode readHistory} reads. */
  readonly history: string;
  /** When the address was first recorded (RFC 3339, UTC, milliseconds). */
  readonly createdAt: string;
  /** The time of the last visible change (RFC 3339, UTC, milliseconds). */
  readonly updatedAt: string;
}

/** The ways in which a subscription changes. */
export const SUBSCRIPTION_SOURCES = [
  "api",
  "import",
  "form",
  "link",
  "bounce",
  "complaint",
] as const;

/**
 * One of the {@linkcode SUBSCRIPTION_SOURCES}; `link` is the unsubscribe link, `form` a confirmed
 * sign-up.
 */
export type SubscriptionSource = typeof SUBSCRIPTION_SOURCES[number];

/** The fields of a subscription. @internal */
export const SUBSCRIPTION = {
  name: "subscriptions",
  key: "userEmail",
  title: "Subscriber",
  description: "Whether one person receives changelog updates.",
  fields: {
    userEmail: text(
      "The address, which identifies the subscriber, normalised: case does not matter. The part before the `@` is ASCII, of at most 64 " +
        "characters; the domain may be non-ASCII, is stored as its A-label, and is no IPv4 address. In " +
        "a form, `+` means a space: write a plus as `%2B`.",
      "ann@example.com",
      { rules: { format: "idn-email", maxLength: EMAIL_MAX_OCTETS }, parse: parseEmailAddress },
    ),
    userName: textOrNull(
      "The name of the user, if one was ever given. Normalised to NFC and trimmed; absent or empty " +
        "keeps the stored name.",
      "Ann",
      { rules: { maxLength: NAME_MAX_CODE_POINTS }, parse: parseOptionalName },
    ),
    subscriberId: hidden("text"),
    subscribed: flag("Whether the user is subscribed now."),
    source: oneOf(
      SUBSCRIPTION_SOURCES,
      "What last changed `subscribed`; `link` is the unsubscribe link in a mail, `form` " +
        "a sign-up that the person confirmed.",
      { example: "api" },
    ),
    labels: CHOSEN_LABELS,
    pace: CHOSEN_PACE,
    paceChanges: hidden("json", { default: [] as readonly number[] }),
    history: hidden("text", { default: "" }),
    createdAt: time("When the address was first recorded."),
    updatedAt: time("When any of this last changed."),
  },
  indexes: {
    subscribed: { where: { subscribed: true }, by: "subscriberId" },
    unsubscribed: { where: { subscribed: false } },
    weekly: { where: { subscribed: true, pace: "weekly" }, by: "subscriberId" },
  },
  personal: true,
  counted: true,
} as const satisfies Resource;

/** @internal A subscription as the API shows it. */
export type ShownSubscription = ShownOf<typeof SUBSCRIPTION.fields>;

/** @internal One subscription as the API shows it, with the evidence for it. */
export interface ShownSubscriber extends ShownSubscription {
  /** The changes of `subscribed`, oldest first: at most the first and the newest 50. */
  readonly history: readonly HistoryEvent[];
}

/** The history of a subscription, as the API shows it. */
export const HISTORY: Field<readonly HistoryEvent[]> = {
  schema: {
    description: "The changes of `subscribed`, oldest first: of many, the first and the newest 50.",
    type: "array",
    items: {
      type: "object",
      properties: {
        at: { description: "When.", type: "string", format: "date-time" },
        subscribed: { description: "The state from then on.", type: "boolean" },
        source: { description: "What changed it.", type: "string", enum: SUBSCRIPTION_SOURCES },
        keyId: { description: "The API key; `null`: there was none.", type: ["string", "null"] },
        evidence: { description: "What an imported list tells besides.", type: "object" },
      },
      required: ["at", "subscribed", "source", "keyId"],
    },
    examples: [[
      { at: EXAMPLE_TIME, subscribed: true, source: "api", keyId: "1f8b0c9d2e7a4b56" },
    ]],
  },
};

/** @internal Returns a subscription as lists of the API show it. */
export function showSubscription(subscription: Subscription): ShownSubscription {
  return showRecord(SUBSCRIPTION, subscription, {});
}

/** @internal Returns a subscription with its history; `undefined` if the history is damaged. */
export function showSubscriber(subscription: Subscription): ShownSubscriber | undefined {
  const history = readHistory(subscription.history);
  return history && { ...showSubscription(subscription), history };
}

/** @internal A request to subscribe or unsubscribe one address. Absent fields keep their values. */
export interface SubscriptionRequest extends SentValues<typeof SUBSCRIPTION.fields> {
  /** The normal form of the address. */
  readonly userEmail: string;
  /** `null` keeps the stored name. */
  readonly userName: string | null;
  readonly subscribe: boolean;
  readonly source: SubscriptionSource;
  readonly at: string;
  /** The API key that was used; absent or `null` if none was. */
  readonly keyId?: string | null | undefined;
  /** The time at which a new address got its state elsewhere; absent: `at`. */
  readonly since?: string | undefined;
  /** Further evidence of the change. */
  readonly evidence?: Evidence | undefined;
  /** The history of a new address; this change is its last event. */
  readonly restored?: readonly HistoryEvent[] | undefined;
  /** The time at which a new address was first recorded elsewhere; absent: `at`. */
  readonly createdAt?: string | undefined;
  /**
   * Whether a stored unsubscribed address stays unsubscribed, regardless of `subscribe`. Imports
   * set it, so that an old list never undoes an opt-out.
   */
  readonly keepUnsubscribed?: boolean | undefined;
}

/** @internal A request, and the id for a new address. */
export interface SubscriptionChange extends SubscriptionRequest {
  readonly newId: () => string;
  /** The version of the changelog at which `pace` changes. */
  readonly version?: number | undefined;
}

/** @internal Turns a request into a change. */
export function toSubscriptionChange(request: SubscriptionRequest): SubscriptionChange {
  let id: string | undefined;
  // Half of a random UUID identifies people, and takes a tenth of a random text's time. A repeated
  // decision gets the same id.
  return { ...request, newId: () => id ??= crypto.randomUUID().slice(0, 18) };
}

// Made at the first change, since the documented operation makes one for each request.
let blank: Subscription | undefined;
let names: readonly string[] | undefined;

/**
 * @internal Applies a change to the stored subscription of its address. Returns `current` itself if
 * nothing changes, so that comparing references shows whether anything has to be stored.
 */
export function applySubscriptionChange(
  current: Subscription | undefined,
  change: SubscriptionChange,
): Subscription {
  const isKept = change.keepUnsubscribed && current?.subscribed === false;
  const subscribed = change.subscribe && !isKept;
  const before = current ?? (blank ??= fillRecord<Subscription>(SUBSCRIPTION, {}));
  const worded = applyValues(before, valuesOf(change));
  if (worded === current && subscribed === current.subscribed) return current;
  const { source, history } = subscribed === current?.subscribed
    ? current
    : changeHistory(current, subscribed, change);
  return {
    ...worded,
    userEmail: current?.userEmail ?? change.userEmail,
    subscriberId: current?.subscriberId ?? change.newId(),
    subscribed,
    source,
    paceChanges: worded.pace === before.pace
      ? before.paceChanges
      : changePace(before.paceChanges, change.version ?? 0),
    history,
    createdAt: current?.createdAt ?? change.createdAt ?? change.at,
    updatedAt: change.at,
  };
}

/** Returns the values that a change sets as they are. */
function valuesOf(change: SubscriptionChange): Partial<Subscription> {
  const values: Record<string, unknown> = {};
  for (const name of names ??= sentNames(SUBSCRIPTION).filter((name) => name !== "userEmail")) {
    const value = change[name as keyof SubscriptionChange];
    const isKept = value === undefined || (value === null && name === "userName");
    if (!isKept) values[name] = value;
  }
  return values;
}

/** Returns the history and source after a change of the state. */
function changeHistory(
  current: Subscription | undefined,
  subscribed: boolean,
  { source, at, keyId = null, since = at, evidence, restored }: SubscriptionChange,
): Pick<Subscription, "source" | "history"> {
  const last = restored?.at(-1);
  if (current === undefined && restored && last?.subscribed === subscribed) {
    return { source: last.source as SubscriptionSource, history: writeHistory(restored) };
  }
  const event = { at: current === undefined ? since : at, subscribed, source, keyId, evidence };
  return { source, history: appendHistory(current?.history ?? "", event) };
}

/** @internal Unsubscribes a person; returns `current` itself if nothing changes. */
export function endSubscription(
  current: Subscription,
  { source, at }: Pick<SubscriptionRequest, "source" | "at">,
): Subscription {
  const { userEmail } = current;
  const request = { userEmail, userName: null, subscribe: false, source, at };
  return applySubscriptionChange(current, { ...request, newId: () => "" });
}

function parseOptionalName(text: string): string | null | Refusal {
  return parseUserName(text) || null;
}
