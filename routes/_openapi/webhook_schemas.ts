import type { Schema } from "../../model/json_schema.ts";
import { URL_MAX_LENGTH } from "../../model/http_url.ts";
import { EVENT_TYPES, MESSAGE_STATES } from "../../model/webhook.ts";
import type { ShownMessage, ShownWebhook } from "../../model/webhook.ts";
import { count, describe, flag, list, orNull, page, type Properties } from "./schema.ts";
import { record, text, time } from "./schema.ts";

const WEBHOOK: Properties<ShownWebhook> = {
  webhookId: text("The identifier.", "k3v9x0a7m2q8d5t1"),
  url: text("Where messages are sent.", "https://example.com/hooks/boardcast", {
    format: "uri",
    maxLength: URL_MAX_LENGTH,
  }),
  types: list("What the webhook is told of.", ["entry.published", "subscriber.unsubscribed"], {
    enum: EVENT_TYPES,
  }),
  enabled: flag("Whether the webhook is told of anything.", true),
  failingSince: orNull(
    time("Since when every attempt has failed; `null`: the last one did not."),
    null,
  ),
  disabledAt: orNull(
    time("When it was disabled for what its endpoint answered; `null`: it was not."),
    null,
  ),
  problem: orNull(text("Why it was disabled, for people.", ""), null),
  createdAt: time("When the webhook was created."),
  updatedAt: time("When its settings last changed."),
};

const MESSAGE: Properties<ShownMessage> = {
  messageId: text(
    "The identifier, which is the header `webhook-id` of every attempt.",
    "msg_5v1k9x0a7m2q8d5t3c6b4n8z",
  ),
  type: text("What the message tells of.", "test", { enum: [...EVENT_TYPES, "test"] }),
  state: text("What became of it.", "waiting", { enum: MESSAGE_STATES }),
  body: orNull(
    text(
      "What is sent: JSON with `type`, `timestamp` and `data`.",
      '{"type":"test","timestamp":"2026-11-21T10:00:00.000Z","data":{"webhookId":"k3v9x0a7m2q8d5t1"}}',
    ),
  ),
  attempts: count("How often it was sent.", 0),
  lastAttempts: {
    schema: describe("The last 10 attempts, oldest first.", {
      type: "array",
      items: {
        type: "object",
        properties: {
          at: describe("When it ended.", { format: "date-time" }),
          status: describe("The status of the response; `null`: there was none.", {
            type: ["integer", "null"],
          }),
          error: describe("Why there was none, for people; or `null`.", {
            type: ["string", "null"],
          }),
          durationMs: describe("How long it took, in milliseconds.", { type: "integer" }),
        },
        required: ["at", "status", "error", "durationMs"],
      },
    }),
    example: [],
    isNullable: false,
  },
  nextAttemptAt: orNull(time("When it is sent next; `null`: not any more.")),
  createdAt: time("When it was stored, together with the change."),
};

const Webhook = record("Where messages about changes are sent.", WEBHOOK);
const WebhookMessage = record("A message to a webhook.", MESSAGE);

export const WEBHOOK_SCHEMAS = {
  Webhook,
  WebhookPage: page("Webhook", Webhook),
  IssuedWebhook: record("A webhook, with its secret.", {
    ...WEBHOOK,
    secret: text(
      "What messages are signed with, shown only here: `whsec_` and base64.",
      "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    ),
  }),
  WebhookReplay: record("What is sent again.", {
    replayed: count("How many messages are sent again.", 3),
  }),
  WebhookMessage,
  WebhookMessagePage: page("WebhookMessage", WebhookMessage),
} as const satisfies Record<string, Schema>;
