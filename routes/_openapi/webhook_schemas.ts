import { URL_MAX_LENGTH } from "../../model/http_url.ts";
import {
  EVENT_TYPES,
  MESSAGE_STATES,
  type ShownMessage,
  type ShownWebhook,
} from "../../model/webhook.ts";
import { AT, page, type Properties, record, type Schema, TIME, TIME_OR_NULL } from "./schema.ts";

const WEBHOOK_EXAMPLE: ShownWebhook = {
  webhookId: "k3v9x0a7m2q8d5t1",
  url: "https://example.com/hooks/boardcast",
  types: ["entry.published", "subscriber.unsubscribed"],
  enabled: true,
  failingSince: null,
  createdAt: AT,
  updatedAt: AT,
};

const WEBHOOK: Properties<ShownWebhook> = {
  webhookId: { description: "The identifier.", type: "string" },
  url: {
    description: "Where messages are sent.",
    type: "string",
    format: "uri",
    maxLength: URL_MAX_LENGTH,
  },
  types: {
    description: "What the webhook is told of.",
    type: "array",
    items: { type: "string", enum: EVENT_TYPES },
  },
  enabled: { description: "Whether the webhook is told of anything.", type: "boolean" },
  failingSince: {
    description: "Since when every attempt has failed; `null`: the last one did not.",
    ...TIME_OR_NULL,
  },
  createdAt: { description: "When the webhook was created.", ...TIME },
  updatedAt: { description: "When its settings last changed.", ...TIME },
};

const MESSAGE_EXAMPLE: ShownMessage = {
  messageId: "msg_5v1k9x0a7m2q8d5t3c6b4n8z",
  type: "test",
  state: "waiting",
  attempts: 0,
  lastStatus: null,
  lastProblem: null,
  lastAttemptAt: null,
  nextAttemptAt: AT,
  createdAt: AT,
};

const MESSAGE: Properties<ShownMessage> = {
  messageId: {
    description: "The identifier, which is the header `webhook-id` of every attempt.",
    type: "string",
  },
  type: {
    description: "What the message tells of.",
    type: "string",
    enum: [...EVENT_TYPES, "test"],
  },
  state: { description: "What became of it.", type: "string", enum: MESSAGE_STATES },
  attempts: { description: "How often it was sent.", type: "integer", minimum: 0 },
  lastStatus: {
    description: "The status of the last response; `null`: there was none.",
    type: ["integer", "null"],
  },
  lastProblem: {
    description: "Why the last attempt had no response, for people.",
    type: ["string", "null"],
  },
  lastAttemptAt: { description: "When it was last sent; `null`: not yet.", ...TIME_OR_NULL },
  nextAttemptAt: {
    description: "When it is sent next; `null`: not any more.",
    ...TIME_OR_NULL,
  },
  createdAt: { description: "When it was stored, together with the change.", ...TIME },
};

/** The schemas of webhooks and their messages. */
export const WEBHOOK_SCHEMAS = {
  Webhook: record("Where messages about changes are sent.", WEBHOOK, WEBHOOK_EXAMPLE),
  WebhookPage: page("Webhook", WEBHOOK_EXAMPLE),
  IssuedWebhook: record("A webhook, with its secret.", {
    ...WEBHOOK,
    secret: {
      description: "What messages are signed with, shown only here: `whsec_` and base64.",
      type: "string",
    },
  }, { ...WEBHOOK_EXAMPLE, secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" }),
  WebhookMessage: record("A message to a webhook.", MESSAGE, MESSAGE_EXAMPLE),
  WebhookMessagePage: page("WebhookMessage", MESSAGE_EXAMPLE),
} as const satisfies Record<string, Schema>;
