import { URL_MAX_LENGTH } from "../../model/http_url.ts";
import {
  EVENT_TYPES,
  MESSAGE_STATES,
  type ShownMessage,
  type ShownWebhook,
} from "../../model/webhook.ts";
import { AT, count, list, orNull, page, type Properties, property } from "./schema.ts";
import { record, type Schema, time } from "./schema.ts";

const WEBHOOK: Properties<ShownWebhook> = {
  webhookId: property("The identifier."),
  url: property("Where messages are sent.", { format: "uri", maxLength: URL_MAX_LENGTH }),
  types: list("What the webhook is told of.", { enum: EVENT_TYPES }),
  enabled: property("Whether the webhook is told of anything.", { type: "boolean" }),
  failingSince: orNull(
    time("Since when every attempt has failed; `null`: the last one did not."),
  ),
  createdAt: time("When the webhook was created."),
  updatedAt: time("When its settings last changed."),
};
const WEBHOOK_EXAMPLE: ShownWebhook = {
  webhookId: "k3v9x0a7m2q8d5t1",
  url: "https://example.com/hooks/boardcast",
  types: ["entry.published", "subscriber.unsubscribed"],
  enabled: true,
  failingSince: null,
  createdAt: AT,
  updatedAt: AT,
};

const MESSAGE: Properties<ShownMessage> = {
  messageId: property("The identifier, which is the header `webhook-id` of every attempt."),
  type: property("What the message tells of.", { enum: [...EVENT_TYPES, "test"] }),
  state: property("What became of it.", { enum: MESSAGE_STATES }),
  attempts: count("How often it was sent."),
  lastStatus: orNull(
    property("The status of the last response; `null`: there was none.", { type: "integer" }),
  ),
  lastProblem: orNull(property("Why the last attempt had no response, for people.")),
  lastAttemptAt: orNull(time("When it was last sent; `null`: not yet.")),
  nextAttemptAt: orNull(time("When it is sent next; `null`: not any more.")),
  createdAt: time("When it was stored, together with the change."),
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

/** The schemas of webhooks and their messages. */
export const WEBHOOK_SCHEMAS = {
  Webhook: record("Where messages about changes are sent.", WEBHOOK, WEBHOOK_EXAMPLE),
  WebhookPage: page("Webhook", WEBHOOK_EXAMPLE),
  IssuedWebhook: record("A webhook, with its secret.", {
    ...WEBHOOK,
    secret: property("What messages are signed with, shown only here: `whsec_` and base64."),
  }, { ...WEBHOOK_EXAMPLE, secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" }),
  WebhookMessage: record("A message to a webhook.", MESSAGE, MESSAGE_EXAMPLE),
  WebhookMessagePage: page("WebhookMessage", MESSAGE_EXAMPLE),
} as const satisfies Record<string, Schema>;
