import { BOARD } from "../../../model/board.ts";
import { DELIVERY } from "../../../model/deliveries/delivery.ts";
import { DELIVERY_FAILURE } from "../../../model/deliveries/delivery_failure.ts";
import { ENTRY } from "../../../model/entries/entry.ts";
import { IMAGE } from "../../../model/images/image.ts";
import { API_KEY } from "../../../model/keys/api_key.ts";
import { SUBSCRIPTION } from "../../../model/subscriptions/subscription.ts";
import { WEBHOOK } from "../../../model/webhooks/webhook.ts";
import { WEBHOOK_MESSAGE } from "../../../model/webhooks/webhook_message.ts";
import { describeRecord, describeRecords, text } from "./schema.ts";

/** The schemas of what is declared in the model, of pages of it, and of what is shown of it once. */
export const RECORD_SCHEMAS = {
  ...describeRecords({
    Board: BOARD,
    Subscriber: SUBSCRIPTION,
    Entry: ENTRY,
    Image: IMAGE,
    Delivery: DELIVERY,
    DeliveryFailure: DELIVERY_FAILURE,
    Webhook: WEBHOOK,
    WebhookMessage: {
      description: WEBHOOK_MESSAGE.description,
      // What is about a person is withheld from those who may not read subscribers.
      fields: {
        ...WEBHOOK_MESSAGE.fields,
        body: { ...WEBHOOK_MESSAGE.fields.body, type: "text?" },
      },
    },
    Key: API_KEY,
  }),
  IssuedWebhook: describeRecord({
    description: "A webhook, with its secret.",
    fields: {
      ...WEBHOOK.fields,
      secret: text(
        "What messages are signed with, shown only here: `whsec_` and base64.",
        "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
      ),
    },
  }),
  OwnKey: describeRecord({
    description: "The key of the request; `operator` is that of who runs the server.",
    fields: {
      keyId: { ...API_KEY.fields.keyId, example: "operator" },
      name: { ...API_KEY.fields.name, example: "operator" },
      scopes: { ...API_KEY.fields.scopes, example: ["*"] },
      expiresAt: { ...API_KEY.fields.expiresAt, example: null },
    },
  }),
  IssuedKey: describeRecord({
    description: "A new API key, with its secret.",
    fields: {
      ...API_KEY.fields,
      key: text("The secret, shown only here.", `bc_${"0".repeat(36)}`),
    },
  }),
};
