import type { ListQuery } from "../../adapters/storage.ts";
import { WEBHOOKS } from "../../model/kinds.ts";
import {
  MESSAGE_STATES,
  MESSAGE_TYPES,
  showMessage,
  type ShownMessage,
  WEBHOOK_MESSAGE,
  type WebhookMessage,
} from "../../model/webhooks/webhook_message.ts";
import { choice, count, object } from "../../model/declare.ts";
import type { Webhook } from "../../model/webhooks/webhook.ts";
import { createYielder } from "../../model/turns.ts";
import { parseInstant } from "../../model/values/time.ts";
import { requestBodyFor } from "../../services/webhooks/request_body.ts";
import {
  listMessages,
  replayMessages,
  retryMessage,
  testWebhook,
} from "../../services/webhooks/webhooks.ts";
import { type Context, type Operation, operation } from "../_http/operation.ts";
import { ORDERED_PAGE_FIELDS, pageReply } from "../_http/page.ts";
import { jsonReply } from "../_http/reply.ts";

export const WEBHOOKS_PATH = "/api/v1/webhooks";
export const WEBHOOK_PATH = `${WEBHOOKS_PATH}/:webhookId`;

const OF_MESSAGE = {
  scope: "webhooks:write",
  successes: [{ status: 200, schema: WEBHOOK_MESSAGE }],
} as const;
const REPLAY = object("WebhookReplay", "The number of messages that are sent again.", {
  replayed: count("How many messages are sent again.", 3),
});

/** Creates the operations on webhook messages. Chat messages link to the public URL. */
export function webhookMessageOperations(publicUrl: string | undefined): readonly Operation[] {
  /** Shows a message with its request body. */
  async function show(
    { storage, caller }: Pick<Context, "storage" | "caller">,
    { format }: Webhook,
    message: WebhookMessage,
  ) {
    const body = await requestBodyFor(storage, { ...message, format }, publicUrl);
    return showMessage({ ...message, body }, caller.scopes);
  }

  return [
    operation("POST", `${WEBHOOK_PATH}/test`, {
      ...OF_MESSAGE,
      operationId: "testWebhook",
      summary: "Test a webhook",
      description: "Sends a message of type `test`, like any other message.",
      problems: ["webhook_disabled"],
      async run({ storage, param, caller, now }) {
        const webhook = await storage.get(WEBHOOKS, param);
        const message = await testWebhook(storage, param, now.text);
        if (webhook === undefined || message === "not_found") return "webhook_not_found";
        if (message === "disabled") return "webhook_disabled";
        return jsonReply(200, await show({ storage, caller }, webhook, message));
      },
    }),

    operation("GET", `${WEBHOOK_PATH}/messages`, {
      scope: "webhooks:write",
      operationId: "listWebhookMessages",
      summary: "List the messages of a webhook",
      description:
        "Lists messages, newest first. A message is kept for 7 days after it was delivered or " +
        "failed, but a message about an erasure only until then. The " +
        "`body` of a message about subscribers is `null` without `subscriptions:read`, and of one " +
        "about posts without `posts:read`.",
      query: {
        ...ORDERED_PAGE_FIELDS,
        state: choice(MESSAGE_STATES, "Return only messages in this state."),
        type: choice(MESSAGE_TYPES, "Return only messages of this type."),
      },
      successes: [{ status: 200, description: "A page of messages.", page: WEBHOOK_MESSAGE }],
      async run({ isGone, storage, param, query, caller }) {
        const webhook = await storage.get(WEBHOOKS, param);
        if (webhook === undefined) return "webhook_not_found";
        const { state, type } = query;
        const shown = new Map<WebhookMessage, ShownMessage>();
        async function list(page: ListQuery) {
          const found = await listMessages(storage, param, { ...page, state, type, isGone });
          const yieldIfBusy = createYielder();
          for (const message of found.records) {
            await yieldIfBusy();
            shown.set(message, await show({ storage, caller }, webhook!, message));
          }
          return found;
        }
        return await pageReply(query, list, {
          listing: `messages-${param}`,
          positionOf: ({ messageId, listPlace }) => ({ key: messageId, by: listPlace }),
          show: (message) => shown.get(message)!,
        });
      },
    }),

    operation("POST", `${WEBHOOK_PATH}/replay`, {
      scope: "webhooks:write",
      operationId: "replayWebhookMessages",
      summary: "Send messages again",
      description:
        "Sends all messages again that were stored since a time and were not delivered. " +
        "Messages are kept for 7 days. It stops when the client ends its connection.",
      body: {
        since: {
          schema: {
            description: "From when on (RFC 3339).",
            type: "string",
            format: "date-time",
            examples: ["2026-11-21T10:00:00Z"],
          },
          parse: parseInstant,
        },
      },
      required: ["since"],
      successes: [{ status: 200, schema: REPLAY }],
      async run({ storage, param, body: { since }, now, isGone, checkKey }) {
        const mayGoOn = async () => {
          await checkKey();
          return !isGone();
        };
        const replayed = await replayMessages(storage, param, { since, at: now.text, mayGoOn });
        return replayed === undefined ? "webhook_not_found" : jsonReply(200, { replayed });
      },
    }),

    operation("POST", `${WEBHOOK_PATH}/messages/:messageId/retry`, {
      ...OF_MESSAGE,
      operationId: "retryWebhookMessage",
      summary: "Send a message again",
      description: "Sends the message again at once, whatever its state.",
      async run({ storage, params: [webhookId, messageId], caller, now }) {
        const webhook = await storage.get(WEBHOOKS, webhookId);
        if (webhook === undefined) return "webhook_not_found";
        const message = await retryMessage(storage, { webhookId, messageId }, now.text);
        if (message === undefined) return "message_not_found";
        return jsonReply(200, await show({ storage, caller }, webhook, message));
      },
    }),
  ];
}
