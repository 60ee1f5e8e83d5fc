import { generateId } from "../values/record_id.ts";
import { count, text, time, timeOrNull } from "../declare.ts";
import { fillRecord, type Resource, showRecord } from "../resource.ts";
import { addMs, sortKeyOf } from "../values/time.ts";
import { EVENT_TYPES, type EventType, isAboutPeople, type WebhookEvent } from "./webhook_event.ts";
import type { RetryDecision, WebhookAttempt } from "./webhook_retry.ts";

/** What may become of a message. */
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
  /** The sort key among the messages of its webhook that wait: see {@linkcode sortKeyOf}; or `null`. */
  readonly queuePlace: string | null;
  /** The sort key among all messages of its webhook. */
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

/** What a message may tell of. */
export const MESSAGE_TYPES: readonly WebhookMessage["type"][] = [...EVENT_TYPES, "test"];

/**
 * All that is known of a message.
 *
 * @internal It has no type of its own, which the package would need.
 */
export const WEBHOOK_MESSAGE = {
  name: "webhookMessages",
  key: "messageId",
  title: "WebhookMessage",
  description: "A message to a webhook.",
  fields: {
    messageId: text(
      "The identifier, which is the header `webhook-id` of every attempt.",
      "msg_5v1k9x0a7m2q8d5t3c6b4n8z",
      { column: "ID" },
    ),
    webhookId: { type: "text", hidden: true },
    type: text("What the message tells of.", "test", {
      rules: { enum: MESSAGE_TYPES },
      column: "TYPE",
    }),
    state: text("What became of it.", "waiting", {
      rules: { enum: MESSAGE_STATES },
      default: "waiting",
      column: "STATE",
    }),
    body: text(
      "What is sent: JSON with `type`, `timestamp` and `data`, or with the `text` of a chat.",
      '{"type":"test","timestamp":"2026-11-21T10:00:00.000Z","data":{"webhookId":"k3v9x0a7m2q8d5t1"}}',
      // What is about a person is withheld from those who may not read subscribers.
      { shownAs: "text?" },
    ),
    attempts: count("How often it was sent.", 0, { default: 0, column: "ATTEMPTS" }),
    lastAttempts: {
      type: "json",
      description: "The last 10 attempts, oldest first.",
      example: [],
      rules: {
        type: "array",
        items: {
          type: "object",
          properties: {
            at: { description: "When it ended.", type: "string", format: "date-time" },
            status: {
              description: "The status of the response; `null`: there was none.",
              type: ["integer", "null"],
            },
            error: {
              description: "Why there was none, for people; or `null`.",
              type: ["string", "null"],
            },
            durationMs: { description: "How long it took, in milliseconds.", type: "integer" },
          },
          required: ["at", "status", "error", "durationMs"],
        },
      },
      default: [],
      column: "LAST",
    },
    nextAttemptAt: timeOrNull("When it is sent next; `null`: not any more."),
    createdAt: time("When it was stored, together with the change.", { column: "CREATED" }),
    expiresAt: { type: "time", hidden: true },
    userEmail: { type: "text?", hidden: true },
    queuePlace: { type: "text?", hidden: true },
    listPlace: { type: "text", hidden: true },
  },
  indexes: {
    byQueue: { by: "queuePlace" },
    byWebhook: { by: "listPlace" },
    byExpiry: { by: "expiresAt" },
    byPerson: { by: "userEmail" },
  },
  personal: true,
} as const satisfies Resource<WebhookMessage, ShownMessage>;

const MESSAGE_KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
const MAX_ATTEMPTS_KEPT = 10;

/** Creates the identifier of a message: `msg_`, and 24 lower-case letters and digits. */
export function generateMessageId(): string {
  return `msg_${generateId(24)}`;
}

/** Shows a message; what it says of a person only to those who `maySeePeople`. */
export function showMessage(message: WebhookMessage, maySeePeople: boolean): ShownMessage {
  const shown: ShownMessage = showRecord(WEBHOOK_MESSAGE, message, {});
  return isAboutPeople([message.type]) && !maySeePeople ? { ...shown, body: null } : shown;
}

/** Creates a message about an event, to be sent from `now` on (RFC 3339, UTC, milliseconds). */
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

/** Schedules the next attempt of a message, which is kept for 7 days from then on. */
export function scheduleMessage(message: WebhookMessage, nextAttemptAt: string): WebhookMessage {
  const queuePlace = sortKeyOf(message.webhookId, nextAttemptAt);
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
