import { generateId } from "./record_id.ts";
import type { Refusal } from "./refusal.ts";
import { parseWords } from "./text.ts";
import { addMs, placeOf } from "./time.ts";
import type { RetryDecision, WebhookAttempt } from "./webhook_retry.ts";

/** The types of the events that webhooks subscribe to. */
export const EVENT_TYPES = [
  "entry.published",
  "entry.updated",
  "entry.unpublished",
  "subscriber.subscribed",
  "subscriber.unsubscribed",
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
  /** What they are signed with too after a rotation; `null` otherwise. */
  readonly previousSecret: string | null;
  /** Until when; `null` where there is no previous secret. */
  readonly previousSecretUntil: string | null;
  /** Since when every attempt has failed; `null` if the last did not. */
  readonly failingSince: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A webhook as the API shows it: without its secrets. */
export type ShownWebhook = Omit<Webhook, "secret" | "previousSecret" | "previousSecretUntil">;

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
  /** The status of the last response; `null` if there was none. */
  readonly lastStatus: number | null;
  /** Why the last attempt had no response, for people; or `null`. */
  readonly lastProblem: string | null;
  /** `null` before the first attempt. */
  readonly lastAttemptAt: string | null;
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

/** A message as the API shows it: without its body, and without what only storage needs. */
export type ShownMessage = Pick<
  WebhookMessage,
  | "messageId"
  | "type"
  | "state"
  | "attempts"
  | "lastStatus"
  | "lastProblem"
  | "lastAttemptAt"
  | "nextAttemptAt"
  | "createdAt"
>;

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
const ROTATION_OVERLAP_MS = DAY_MS;

export function generateMessageId(): string {
  return `msg_${generateId(24)}`;
}

export function showWebhook(webhook: Webhook): ShownWebhook {
  const { secret: _1, previousSecret: _2, previousSecretUntil: _3, ...shown } = webhook;
  return shown;
}

export function showMessage(message: WebhookMessage): ShownMessage {
  const { messageId, type, state, attempts, lastStatus, lastProblem } = message;
  const { lastAttemptAt, nextAttemptAt, createdAt } = message;
  const last = { lastStatus, lastProblem, lastAttemptAt };
  return { messageId, type, state, attempts, ...last, nextAttemptAt, createdAt };
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
    lastStatus: null,
    lastProblem: null,
    lastAttemptAt: null,
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
  { at, outcome }: Pick<WebhookAttempt, "at" | "outcome">,
): WebhookMessage {
  const tried: WebhookMessage = {
    ...message,
    attempts: message.attempts + 1,
    lastStatus: "status" in outcome ? outcome.status : null,
    lastProblem: "problem" in outcome ? outcome.problem : null,
    lastAttemptAt: at,
  };
  if (nextAttemptAt !== null) return scheduleMessage(tried, nextAttemptAt);
  const expiresAt = addMs(at, MESSAGE_KEPT_MS);
  return { ...tried, state, nextAttemptAt, queuePlace: null, expiresAt };
}

/** Returns the secrets that sign the messages of a webhook at a time (RFC 3339). */
export function secretsAt(
  { secret, previousSecret, previousSecretUntil }: Webhook,
  now: string,
): readonly string[] {
  const isOverlap = previousSecret !== null && previousSecretUntil !== null &&
    now < previousSecretUntil;
  return isOverlap ? [secret, previousSecret] : [secret];
}

/** Gives a webhook a new secret at a time; the old one signs too for 24 h. */
export function rotateSecret(current: Webhook, secret: string, now: string): Webhook {
  return {
    ...current,
    secret,
    previousSecret: current.secret,
    previousSecretUntil: addMs(now, ROTATION_OVERLAP_MS),
    updatedAt: now,
  };
}

/** Applies a change to a webhook; returns `current` itself if nothing changes. Enabling ends its failing. */
export function applyWebhookChange(current: Webhook, change: WebhookChange): Webhook {
  const { url = current.url, types = current.types, enabled = current.enabled, at } = change;
  const failingSince = change.enabled ? null : current.failingSince;
  const isSame = url === current.url && types.join() === current.types.join() &&
    enabled === current.enabled && failingSince === current.failingSince;
  return isSame ? current : { ...current, url, types, enabled, failingSince, updatedAt: at };
}

/** Applies a retry decision to its webhook; returns `current` itself if nothing changes. */
export function applyRetryDecision(
  current: Webhook,
  { failingSince, disable }: Pick<RetryDecision, "failingSince" | "disable">,
  at: string,
): Webhook {
  if (disable && current.enabled) {
    return { ...current, enabled: false, failingSince, updatedAt: at };
  }
  return failingSince === current.failingSince ? current : { ...current, failingSince };
}

/** Accepts types separated by spaces; refuses unknown ones with `invalid_value`. */
export function parseEventTypes(text: string): readonly EventType[] | Refusal {
  return parseWords(text, EVENT_TYPES, "type");
}
