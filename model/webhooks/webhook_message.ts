import type { Scope } from "../keys/api_key.ts";
import { generateId } from "../values/record_id.ts";
import {
  count,
  countOrNull,
  hidden,
  listOf,
  object,
  oneOf,
  text,
  textOrNull,
  time,
  timeOrNull,
  withSchema,
} from "../declare.ts";
import { fillRecord, type Resource, type ShownOf, showRecord, type StoredOf } from "../resource.ts";
import { addMs, sortKeyOf } from "../values/time.ts";
import { EVENT_TYPES, scopesLackedFor, type WebhookEvent } from "./webhook_event.ts";
import type { RetryDecision, WebhookAttempt } from "./webhook_retry.ts";

export const MESSAGE_STATES = ["waiting", "delivered", "failed"] as const;

/** The event types of messages. */
export const MESSAGE_TYPES: readonly [...typeof EVENT_TYPES, "test"] = [...EVENT_TYPES, "test"];

const ATTEMPT = object("WebhookAttempt", "An attempt to deliver a message.", {
  at: time("When it ended."),
  status: countOrNull("The status of the response; `null`: there was none.", 204),
  error: textOrNull("Why there was none, for people; or `null`."),
  durationMs: count("How long it took, in milliseconds.", 120),
});

/** The fields of a message. @internal */
export const WEBHOOK_MESSAGE = {
  name: "webhookMessages",
  key: "messageId",
  title: "WebhookMessage",
  description: "A message to a webhook.",
  fields: {
    messageId: text(
      "The identifier, which is the header `webhook-id` of every attempt.",
      "msg_5v1k9x0a7m2q8d5t3c6b4n8z",
    ),
    webhookId: hidden("text"),
    type: oneOf(MESSAGE_TYPES, "What the message tells of.", { example: "test" }),
    state: oneOf(MESSAGE_STATES, "What became of it.", { example: "waiting", default: "waiting" }),
    body: textOrNull(
      "What is sent: JSON with `type`, `timestamp` and `data`, or with the `text` of a chat.",
      '{"type":"test","timestamp":"2026-11-21T10:00:00.000Z","data":{"webhookId":"k3v9x0a7m2q8d5t1"}}',
      // Withheld from callers who may not read what the message tells of.
      { storedAs: "text" },
    ),
    attempts: count("How often it was sent.", 0, { default: 0 }),
    lastAttempts: withSchema(
      listOf(ATTEMPT, "The last 10 attempts, oldest first.", { default: [] }),
      { examples: [[]] },
    ),
    nextAttemptAt: timeOrNull("When it is sent next; `null`: not any more."),
    createdAt: time("When it was stored, together with the change."),
    expiresAt: hidden("time"),
    // The address of the person concerned; `null` if it is about nobody.
    userEmail: hidden("text?"),
    // The sort keys among its webhook's waiting messages, and among all its messages: see
    // `sortKeyOf`.
    queuePlace: hidden("text?"),
    listPlace: hidden("text"),
  },
  indexes: {
    byQueue: { by: "queuePlace" },
    byWebhook: { by: "listPlace" },
    byExpiry: { by: "expiresAt" },
    byPerson: { by: "userEmail" },
    // In the order of delivery.
    delivered: { where: { state: "delivered" }, by: "expiresAt" },
  },
  personal: true,
} as const satisfies Resource;

/** A message to one webhook, stored together with the change that causes it. */
export type WebhookMessage = StoredOf<typeof WEBHOOK_MESSAGE.fields>;

/** A message as the API shows it, without internal fields. */
export type ShownMessage = ShownOf<typeof WEBHOOK_MESSAGE.fields>;

const MESSAGE_KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
const MAX_ATTEMPTS_KEPT = 10;

/** Creates the identifier of a message: `msg_`, and 24 lower-case letters and digits. */
export function generateMessageId(): string {
  return `msg_${generateId(24)}`;
}

/** Returns a message as the API shows it, with its body only if the `scopes` allow reading that. */
export function showMessage(message: WebhookMessage, scopes: readonly Scope[]): ShownMessage {
  const shown: ShownMessage = showRecord(WEBHOOK_MESSAGE, message, {});
  return scopesLackedFor([message.type], scopes).length > 0 ? { ...shown, body: null } : shown;
}

/** Creates a message about an event, due from `now` on (RFC 3339, UTC, milliseconds). */
export function createMessage(
  { messageId, webhookId }: { readonly messageId: string; readonly webhookId: string },
  { type, at, data, userEmail = null }: WebhookEvent,
  now: string,
): WebhookMessage {
  const place = sortKeyOf(webhookId, now);
  return fillRecord<WebhookMessage>(WEBHOOK_MESSAGE, {
    messageId,
    webhookId,
    type,
    body: JSON.stringify({ type, timestamp: at, data }),
    nextAttemptAt: now,
    createdAt: now,
    expiresAt: addMs(now, MESSAGE_KEPT_MS),
    userEmail,
    queuePlace: place,
    listPlace: place,
  });
}

/** Schedules the next attempt of a message; the message is kept for 7 days after it. */
export function scheduleMessage(message: WebhookMessage, nextAttemptAt: string): WebhookMessage {
  const queuePlace = sortKeyOf(message.webhookId, nextAttemptAt);
  const expiresAt = addMs(nextAttemptAt, MESSAGE_KEPT_MS);
  return { ...message, state: "waiting", nextAttemptAt, queuePlace, expiresAt };
}

/**
 * Records an attempt that ended at a time (RFC 3339, UTC, milliseconds), and its retry decision.
 */
export function recordAttempt(
  message: WebhookMessage,
  { state, nextAttemptAt }: Pick<RetryDecision, "state" | "nextAttemptAt">,
  { at, outcome, durationMs }: Pick<WebhookAttempt, "at" | "outcome"> & { durationMs: number },
): WebhookMessage {
  const ended: ShownOf<typeof ATTEMPT.fields> = {
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
