import { generateId } from "./record_id.ts";
import type { Refusal } from "./refusal.ts";
import { parseChoice, parseWords } from "./text.ts";
import { addMs, placeOf } from "./time.ts";
import type { RetryDecision, WebhookAttempt } from "./webhook_retry.ts";

/** The types of the events that webhooks subscribe to. */
export const EVENT_TYPES = [
  "entry.published",
  "entry.updated",
  "entry.unpublished",
  "subscriber.subscribed",
  "subscriber.unsubscribed",
  "subscriber.updated",
  "subscriber.erased",
] as const;

export type EventType = typeof EVENT_TYPES[number];

/** An endpoint to which messages about events are sent. Times are RFC 3339, UTC, with milliseconds. */
export interface Webhook {
  /** 16 lower-case letters and digits. */
  readonly webhookId: string;
  /** An absolute URL, up to 2,000 characters. */
  readonly url: string;
  /** The types of events that it subscribes to; at least one. */
  readonly types: readonly EventType[];
  readonly enabled: boolean;
  /** What its messages are signed with: `whsec_` and base64. */
  readonly secret: string;
  /** What they are signed with too for a while after rotations, newest first. */
  readonly replacedSecrets: readonly ReplacedSecret[];
  /** Since when every attempt has failed; `null` if the last did not. */
  readonly failingSince: string | null;
  /** When it was disabled for what its endpoint answered; `null` if it was not. */
  readonly disabledAt: string | null;
  /** Why it was disabled, for people; or `null`. */
  readonly problem: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A secret that was replaced, and until when it signs (RFC 3339, UTC, milliseconds). */
export interface ReplacedSecret {
  readonly secret: string;
  readonly until: string;
}

/** A webhook as the API shows it: without its secrets. */
export type ShownWebhook = Omit<Webhook, "secret" | "replacedSecrets">;

/** A change requested for a webhook; a field that is `undefined` stays unchanged. */
export interface WebhookChange {
  readonly url?: string | undefined;
  readonly types?: readonly EventType[] | undefined;
  readonly enabled?: boolean | undefined;
  readonly at: string;
}

export const MESSAGE_STATES = ["waiting", "delivered", "failed"] as const;

/**
 * A message to one webhook, stored together with the change that it is about. Times are RFC 3339, UTC,
 * with milliseconds.
 */
export interface WebhookMessage {
  /** The identifier, which stays the same over all attempts. */
  readonly messageId: string;
  readonly webhookId: string;
  readonly type: EventType | "test";
  /** What is signed and sent: JSON with `type`, `timestamp` and `data`. */
  readonly body: string;
  readonly state: typeof MESSAGE_STATES[number];
  readonly attempts: number;
  /** The last 10 attempts, oldest first. */
  readonly lastAttempts: readonly EndedAttempt[];
  /** `null` if no attempt is to follow. */
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
  /** When it is removed. */
  readonly expiresAt: string;
  /** The address of the person it is about; `null` if it is about nobody. */
  readonly userEmail: string | null;
  /** The place among the messages of its webhook that wait: see {@linkcode placeOf}; or `null`. */
  readonly queuePlace: string | null;
  /** The place among all messages of its webhook. */
  readonly listPlace: string;
}

/** An attempt to deliver a message. */
export interface EndedAttempt {
  /** When it ended (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /** The status of the response; `null` if there was none. */
  readonly status: number | null;
  /** Why there was no response, for people; `null` if there was one. */
  readonly error: string | null;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
}

/** A message as the API shows it: without what only storage needs. */
export interface ShownMessage extends
  Pick<
    WebhookMessage,
    "messageId" | "type" | "state" | "attempts" | "lastAttempts" | "nextAttemptAt" | "createdAt"
  > {
  /** What is sent; `null` where it is about a person, and the caller may not read subscribers. */
  readonly body: string | null;
}

/** Something that happened, of which webhooks get messages. */
export interface WebhookEvent {
  readonly type: WebhookMessage["type"];
  /** When it happened (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  readonly data: unknown;
  /** The address of the person it is about; absent or `null`: it is about nobody. */
  readonly userEmail?: string | null;
}

export const MAX_WEBHOOKS = 20;

const DAY_MS = 24 * 60 * 60 * 1_000;
const MESSAGE_KEPT_MS = 7 * DAY_MS;
/** How long a replaced secret signs too, unless told otherwise. */
export const ROTATION_OVERLAP_MS: number = DAY_MS;
const MAX_REPLACED = 3;
const MAX_ATTEMPTS_KEPT = 10;

export function generateMessageId(): string {
  return `msg_${generateId(24)}`;
}

export function showWebhook(webhook: Webhook): ShownWebhook {
  const { secret: _1, replacedSecrets: _2, ...shown } = webhook;
  return shown;
}

/** Shows a message; what it says of a person only to those who `maySeePeople`. */
export function showMessage(message: WebhookMessage, maySeePeople: boolean): ShownMessage {
  const { messageId, type, state, attempts, lastAttempts, nextAttemptAt, createdAt } = message;
  const body = isAboutPeople([type]) && !maySeePeople ? null : message.body;
  return { messageId, type, state, body, attempts, lastAttempts, nextAttemptAt, createdAt };
}

/** Tells whether any of some types tells of subscribers. */
export function isAboutPeople(types: readonly string[]): boolean {
  return types.some((type) => type.startsWith("subscriber."));
}

/** Creates a message about an event, to be sent from `now` on (RFC 3339, UTC, milliseconds). */
export function createMessage(
  { messageId, webhookId }: { readonly messageId: string; readonly webhookId: string },
  { type, at, data, userEmail = null }: WebhookEvent,
  now: string,
): WebhookMessage {
  const place = placeOf(webhookId, now);
  return {
    messageId,
    webhookId,
    type,
    body: JSON.stringify({ type, timestamp: at, data }),
    state: "waiting",
    attempts: 0,
    lastAttempts: [],
    nextAttemptAt: now,
    createdAt: now,
    expiresAt: addMs(now, MESSAGE_KEPT_MS),
    userEmail,
    queuePlace: place,
    listPlace: place,
  };
}

/** Schedules the next attempt of a message, which is kept for 7 days from then on. */
export function scheduleMessage(message: WebhookMessage, nextAttemptAt: string): WebhookMessage {
  const queuePlace = placeOf(message.webhookId, nextAttemptAt);
  const expiresAt = addMs(nextAttemptAt, MESSAGE_KEPT_MS);
  return { ...message, state: "waiting", nextAttemptAt, queuePlace, expiresAt };
}

/** Records an attempt, which ended at a time (RFC 3339, UTC, milliseconds), and its retry decision. */
export function recordAttempt(
  message: WebhookMessage,
  { state, nextAttemptAt }: Pick<RetryDecision, "state" | "nextAttemptAt">,
  { at, outcome, durationMs }: Pick<WebhookAttempt, "at" | "outcome"> & { durationMs: number },
): WebhookMessage {
  const ended: EndedAttempt = {
    at,
    status: "status" in outcome ? outcome.status : null,
    error: "problem" in outcome ? outcome.problem : null,
    durationMs,
  };
  const tried: WebhookMessage = {
    ...message,
    attempts: message.attempts + 1,
    lastAttempts: [...message.lastAttempts, ended].slice(-MAX_ATTEMPTS_KEPT),
  };
  if (nextAttemptAt !== null) return scheduleMessage(tried, nextAttemptAt);
  const expiresAt = addMs(at, MESSAGE_KEPT_MS);
  return { ...tried, state, nextAttemptAt, queuePlace: null, expiresAt };
}

/** Returns the secrets that sign the messages of a webhook at a time (RFC 3339). */
export function secretsAt({ secret, replacedSecrets }: Webhook, now: string): readonly string[] {
  const replaced = replacedSecrets.filter(({ until }) => now < until);
  return [secret, ...replaced.map(({ secret }) => secret)];
}

/**
 * Gives a webhook a new secret at a time. The one that it replaces signs too for `overlapMs`; with 0,
 * none of those replaced before signs any more either.
 */
export function rotateSecret(
  current: Webhook,
  secret: string,
  { at, overlapMs }: { readonly at: string; readonly overlapMs: number },
): Webhook {
  const replaced = { secret: current.secret, until: addMs(at, overlapMs) };
  const before = current.replacedSecrets.filter(({ until }) => at < until);
  const replacedSecrets = overlapMs === 0 ? [] : [replaced, ...before].slice(0, MAX_REPLACED);
  return { ...current, secret, replacedSecrets, updatedAt: at };
}

/** Applies a change to a webhook; returns `current` itself if nothing changes. Enabling ends its failing. */
export function applyWebhookChange(current: Webhook, change: WebhookChange): Webhook {
  const { url = current.url, types = current.types, enabled = current.enabled, at } = change;
  const isSame = url === current.url && types.join() === current.types.join() &&
    enabled === current.enabled && (!change.enabled || current.failingSince === null);
  if (isSame) return current;
  const health = change.enabled ? { failingSince: null, disabledAt: null, problem: null } : {};
  return { ...current, url, types, enabled, ...health, updatedAt: at };
}

/** Applies a retry decision to its webhook; returns `current` itself if nothing changes. */
export function applyRetryDecision(
  current: Webhook,
  { failingSince, disable }: Pick<RetryDecision, "failingSince" | "disable">,
  at: string,
): Webhook {
  if (disable !== undefined && current.enabled) {
    return {
      ...current,
      enabled: false,
      failingSince,
      disabledAt: at,
      problem: disable,
      updatedAt: at,
    };
  }
  return failingSince === current.failingSince ? current : { ...current, failingSince };
}

/** Accepts the state of a message; refuses with `invalid_value`. */
export function parseMessageState(text: string): WebhookMessage["state"] | Refusal {
  return parseChoice(text, MESSAGE_STATES);
}

/** Accepts the type of a message; refuses with `invalid_value`. */
export function parseMessageType(text: string): WebhookMessage["type"] | Refusal {
  return parseChoice(text, [...EVENT_TYPES, "test"]);
}

/** Accepts types separated by spaces; refuses unknown ones with `invalid_value`. */
export function parseEventTypes(text: string): readonly EventType[] | Refusal {
  return parseWords(text, EVENT_TYPES, "type");
}
