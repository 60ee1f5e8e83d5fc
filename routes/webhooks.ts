import { parseBoolean } from "../model/boolean.ts";
import { URL_MAX_LENGTH } from "../model/http_url.ts";
import { generateId } from "../model/record_id.ts";
import { Refusal } from "../model/refusal.ts";
import {
  EVENT_TYPES,
  MAX_WEBHOOKS,
  parseEventTypes,
  showMessage,
  showWebhook,
  type Webhook,
} from "../model/webhook.ts";
import { generateWebhookSecret } from "../model/webhook_signature.ts";
import { parseWebhookUrl } from "../model/webhook_url.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listMessages,
  listWebhooks,
  retryMessage,
  rotateWebhook,
  testWebhook,
  updateWebhook,
} from "../services/webhooks.ts";
import { type FieldSchema, optional, required } from "./_fields.ts";
import { type Operation, operation } from "./_operation.ts";
import { ORDERED_PAGE_FIELDS, PAGE_FIELDS, pageReply } from "./_page.ts";
import { Problem } from "./_problem.ts";
import { jsonReply } from "./_reply.ts";

const PATH = "/api/v1/webhooks";
const ONE = `${PATH}/:webhookId`;
const COMMON = { tag: "Webhooks", scope: "webhooks:write" } as const;
const WEBHOOK_ID: FieldSchema = {
  description: "The identifier of the webhook.",
  examples: ["k3v9x0a7m2q8d5t1"],
};
const MESSAGE_ID: FieldSchema = {
  description: "The identifier of the message, as in its header `webhook-id`.",
  examples: ["msg_5v1k9x0a7m2q8d5t3c6b4n8z"],
};
const OF_ONE = {
  ...COMMON,
  params: { webhookId: WEBHOOK_ID },
  problems: ["webhook_not_found"],
} as const;
const URL: FieldSchema = {
  description: "Where messages are sent: an https URL whose host is public, without a user or a " +
    "fragment.",
  format: "uri",
  maxLength: URL_MAX_LENGTH,
  examples: ["https://example.com/hooks/boardcast"],
};
const TYPES: FieldSchema = {
  description: `What the webhook is told of, separated by spaces: ${EVENT_TYPES.join(", ")}.`,
  examples: ["entry.published subscriber.unsubscribed"],
};

const NOT_FOUND = new Problem("webhook_not_found", "There is no webhook with this webhookId");
const NO_MESSAGE = new Problem(
  "webhook_not_found",
  "The webhook has no message with this messageId",
);
const TOO_MANY = new Problem("too_many_webhooks", `There are ${MAX_WEBHOOKS} webhooks already`);

/** Creates the operations on webhooks; `allow` names hosts and ports that need not be public. */
export function webhookOperations(allow: readonly string[]): readonly Operation[] {
  function parseUrl(text: string): string | Refusal {
    const url = parseWebhookUrl(text, allow);
    return url instanceof Refusal ? url : text;
  }

  return [
    operation({
      ...COMMON,
      method: "GET",
      path: PATH,
      operationId: "listWebhooks",
      summary: "List webhooks",
      description: "In ascending order of `webhookId`; secrets are never shown.",
      query: PAGE_FIELDS,
      successes: [{ status: 200, description: "A page of webhooks.", schema: "WebhookPage" }],
      run: ({ storage, query }) =>
        pageReply(query, (page) => listWebhooks(storage, page), {
          positionOf: ({ webhookId }) => ({ key: webhookId }),
          show: showWebhook,
        }),
    }),

    operation({
      ...COMMON,
      method: "POST",
      path: PATH,
      operationId: "createWebhook",
      summary: "Create a webhook",
      description: `The response shows the secret that messages are signed with. There are at ` +
        `most ${MAX_WEBHOOKS} webhooks.`,
      body: {
        url: required(parseUrl, URL),
        types: optional(parseEventTypes, { ...TYPES, default: EVENT_TYPES.join(" ") }, {
          type: "words",
        }),
      },
      successes: [{ status: 201, description: "The webhook.", schema: "IssuedWebhook" }],
      problems: ["too_many_webhooks"],
      async run({ storage, body, now }) {
        const webhook: Webhook = {
          webhookId: generateId(),
          url: body.url,
          types: body.types ?? EVENT_TYPES,
          enabled: true,
          secret: generateWebhookSecret(),
          previousSecret: null,
          previousSecretUntil: null,
          failingSince: null,
          createdAt: now.text,
          updatedAt: now.text,
        };
        if (!await createWebhook(storage, webhook)) return TOO_MANY;
        return jsonReply(201, { ...showWebhook(webhook), secret: webhook.secret });
      },
    }),

    operation({
      ...OF_ONE,
      method: "GET",
      path: ONE,
      operationId: "getWebhook",
      summary: "Read a webhook",
      description: "Returns one webhook, without its secret.",
      successes: [{ status: 200, description: "The webhook.", schema: "Webhook" }],
      async run({ storage, param }) {
        const webhook = await getWebhook(storage, param);
        return webhook === undefined ? NOT_FOUND : jsonReply(200, showWebhook(webhook));
      },
    }),

    operation({
      ...OF_ONE,
      method: "PATCH",
      path: ONE,
      operationId: "updateWebhook",
      summary: "Change a webhook",
      description: "Changes only the fields given. A webhook that is not enabled is told of " +
        "nothing, and messages that wait for it go on waiting, for up to 7 days.",
      body: {
        url: optional(parseUrl, URL, { nullable: false }),
        types: optional(parseEventTypes, TYPES, { type: "words", nullable: false }),
        enabled: optional(parseBoolean, {
          description:
            "Whether the webhook is told of anything. It is disabled when its endpoint " +
            "answers 410, or after 5 days in which every attempt failed.",
        }, { type: "boolean", nullable: false }),
      },
      successes: [{ status: 200, description: "The webhook as it is now.", schema: "Webhook" }],
      async run({ storage, param, body, now }) {
        const change = {
          url: body.url ?? undefined,
          types: body.types ?? undefined,
          enabled: body.enabled ?? undefined,
          at: now.text,
        };
        const webhook = await updateWebhook(storage, param, change);
        return webhook === undefined ? NOT_FOUND : jsonReply(200, showWebhook(webhook));
      },
    }),

    operation({
      ...OF_ONE,
      method: "DELETE",
      path: ONE,
      operationId: "deleteWebhook",
      summary: "Delete a webhook",
      description: "Nothing is sent to it from then on, not even what waits.",
      successes: [{ status: 204, description: "The webhook is gone." }],
      async run({ storage, param }) {
        return await deleteWebhook(storage, param) ? { status: 204 } : NOT_FOUND;
      },
    }),

    operation({
      ...OF_ONE,
      method: "POST",
      path: `${ONE}/rotate`,
      operationId: "rotateWebhook",
      summary: "Rotate the secret of a webhook",
      description: "The response shows the new secret. For 24 h, messages are signed with the " +
        "old one too.",
      body: {},
      bodyOptional: true,
      successes: [{ status: 200, description: "The webhook.", schema: "IssuedWebhook" }],
      async run({ storage, param, now }) {
        const secret = generateWebhookSecret();
        const webhook = await rotateWebhook(storage, param, { secret, at: now.text });
        if (webhook === undefined) return NOT_FOUND;
        return jsonReply(200, { ...showWebhook(webhook), secret });
      },
    }),

    operation({
      ...OF_ONE,
      method: "POST",
      path: `${ONE}/test`,
      operationId: "testWebhook",
      summary: "Test a webhook",
      description: "Sends a message of type `test`, like any other message.",
      body: {},
      bodyOptional: true,
      successes: [{ status: 200, description: "The message.", schema: "WebhookMessage" }],
      async run({ storage, param, now }) {
        const message = await testWebhook(storage, param, now.text);
        return message === undefined ? NOT_FOUND : jsonReply(200, showMessage(message));
      },
    }),

    operation({
      ...OF_ONE,
      method: "GET",
      path: `${ONE}/messages`,
      operationId: "listWebhookMessages",
      summary: "List the messages of a webhook",
      description: "Newest first. A message is kept for 7 days after it was delivered or failed, " +
        "one that tells of an erasure no longer than until then.",
      query: ORDERED_PAGE_FIELDS,
      successes: [
        { status: 200, description: "A page of messages.", schema: "WebhookMessagePage" },
      ],
      async run({ storage, param, query }) {
        if (await getWebhook(storage, param) === undefined) return NOT_FOUND;
        return await pageReply(query, (page) => listMessages(storage, param, page), {
          positionOf: ({ messageId, listPlace }) => ({ key: messageId, by: listPlace }),
          show: showMessage,
        });
      },
    }),

    operation({
      ...OF_ONE,
      method: "POST",
      path: `${ONE}/messages/:messageId/retry`,
      operationId: "retryWebhookMessage",
      summary: "Send a message again",
      description: "Sends the message again at once, whatever its state.",
      params: { webhookId: WEBHOOK_ID, messageId: MESSAGE_ID },
      body: {},
      bodyOptional: true,
      successes: [{ status: 200, description: "The message.", schema: "WebhookMessage" }],
      async run({ storage, params: [webhookId, messageId], now }) {
        const message = await retryMessage(storage, { webhookId, messageId }, now.text);
        return message === undefined ? NO_MESSAGE : jsonReply(200, showMessage(message));
      },
    }),
  ];
}
