import type { Schema } from "../../../model/values/json_schema.ts";
import { WEBHOOK } from "../../../model/webhooks/webhook.ts";
import { WEBHOOK_MESSAGE } from "../../../model/webhooks/webhook_message.ts";
import { describeRecord, page } from "./schema.ts";

const Webhook = describeRecord(WEBHOOK);
const WebhookMessage = describeRecord({
  description: WEBHOOK_MESSAGE.description,
  // What is about a person is withheld from those who may not read subscribers.
  fields: { ...WEBHOOK_MESSAGE.fields, body: { ...WEBHOOK_MESSAGE.fields.body, type: "text?" } },
});

/** The schemas of webhooks and messages. */
export const WEBHOOK_SCHEMAS = {
  Webhook,
  WebhookPage: page("Webhook", Webhook),
  IssuedWebhook: describeRecord({
    description: "A webhook, with its secret.",
    fields: {
      ...WEBHOOK.fields,
      secret: {
        type: "text",
        description: "What messages are signed with, shown only here: `whsec_` and base64.",
        example: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
      },
    },
  }),
  WebhookReplay: describeRecord({
    description: "What is sent again.",
    fields: {
      replayed: {
        type: "integer",
        description: "How many messages are sent again.",
        example: 3,
      },
    },
  }),
  ErasedSubscriber: describeRecord({
    description: "Who was erased.",
    fields: {
      userEmail: { type: "text", description: "The address.", example: "ann@example.com" },
    },
  }),
  TestedWebhook: describeRecord({
    description: "The webhook that is tested.",
    fields: { webhookId: WEBHOOK.fields.webhookId },
  }),
  WebhookMessage,
  WebhookMessagePage: page("WebhookMessage", WebhookMessage),
} as const satisfies Record<string, Schema>;
