import { grantsScope } from "../model/api_key.ts";
import { parseBoolean } from "../model/boolean.ts";
import { URL_MAX_LENGTH } from "../model/http_url.ts";
import { generateId } from "../model/record_id.ts";
import { Refusal } from "../model/refusal.ts";
import {
  EVENT_TYPES,
  isAboutPeople,
  MAX_WEBHOOKS,
  MESSAGE_STATES,
  parseEventTypes,
  parseMessageState,
  parseMessageType,
  ROTATION_OVERLAP_MS,
  showMessage,
  showWebhook,
  type Webhook,
  type WebhookMessage,
} from "../model/webhook.ts";
import { generateWebhookSecret } from "../model/webhook_signature.ts";
import { parseDuration, parseInstant } from "../model/time.ts";
import { parseWebhookUrl } from "../model/webhook_url.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listMessages,
  listWebhooks,
  replayMessages,
  retryMessage,
  rotateWebhook,
  testWebhook,
  updateWebhook,
} from "../services/webhooks.ts";
import { type Caller, insufficientScope } from "./_credentials.ts";
import { type FieldSchema, optional, required } from "./_fields.ts";
import { type Operation, operation } from "./_operation.ts";
import { ORDERED_PAGE_FIELDS, PAGE_FIELDS, pageReply } from "./_page.ts";
import { Problem } from "./_problem.ts";
import { jsonReply, type Reply } from "./_reply.ts";

const PATH = "/api/v1/webhooks";
const ONE = `${PATH}/:webhookId`;
const OF_ALL = { tag: "Webhooks", scope: "webhooks:write" } as const;
const WEBHOOK_ID: FieldSchema = {
  description: "The identifier of the webhook.",
  examples: ["k3v9x0a7m2q8d5t1"],
};
const OF_ONE = {
  ...OF_ALL,
  params: { webhookId: WEBHOOK_ID },
  problems: ["webhook_not_found"],
} as const;
const OF_MESSAGE = {
  ...OF_ONE,
  body: {},
  bodyOptional: true,
  successes: [{ status: 200, description: "The message.", schema: "WebhookMessage" }],
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
const PEOPLE_SCOPE = "subscriptions:read";
const NO_PEOPLE = insufficientScope([PEOPLE_SCOPE]);
const DISABLED = new Problem("webhook_disabled", "The webhook is disabled: enable it first");
const NO_MESSAGE = new Problem(
  "message_not_found",
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
    operation("GET", PATH, {
      ...OF_ALL,
      operationId: "listWebhooks",
      summary: "List webhooks",
      description: "In ascending order of `webhookId`; secrets are never shown.",
      query: PAGE_FIELDS,
      successes: [{ status: 200, description: "A page of webhooks.", schema: "WebhookPage" }],
      run: ({ storage, query }) =>
        pageReply(query, (page) => listWebhooks(storage, page), {
          listing: "webhooks",
          positionOf: ({ webhookId }) => ({ key: webhookId }),
          show: showWebhook,
        }),
    }),

    operation("POST", PATH, {
      ...OF_ALL,
      operationId: "createWebhook",
      summary: "Create a webhook",
      description: `The response shows the secret that messages are signed with. There are at ` +
        `most ${MAX_WEBHOOKS} webhooks. One that is to be told of subscribers needs ` +
        "`subscriptions:read` as well.",
      body: {
        url: required(parseUrl, URL),
        types: optional(
          parseEventTypes,
          { ...TYPES, default: EVENT_TYPES.join(" ") },
          { type: "words" },
        ),
      },
      successes: [{ status: 201, description: "The webhook.", schema: "IssuedWebhook" }],
      problems: ["too_many_webhooks"],
      async run({ storage, body, caller, now }) {
        const webhook: Webhook = {
          webhookId: generateId(),
          url: body.url,
          types: body.types ?? EVENT_TYPES,
          enabled: true,
          secret: generateWebhookSecret(),
          replacedSecrets: [],
          failingSince: null,
          disabledAt: null,
          problem: null,
          createdAt: now.text,
          updatedAt: now.text,
        };
        if (isAboutPeople(webhook.types) && !maySeePeople(caller)) return NO_PEOPLE;
        if (!await createWebhook(storage, webhook)) return TOO_MANY;
        return jsonReply(201, { ...showWebhook(webhook), secret: webhook.secret });
      },
    }),

    operation("GET", ONE, {
      ...OF_ONE,
      operationId: "getWebhook",
      summary: "Read a webhook",
      description: "Returns one webhook, without its secret.",
      successes: [{ status: 200, description: "The webhook.", schema: "Webhook" }],
      run: async ({ storage, param }) => webhookReply(await getWebhook(storage, param)),
    }),

    operation("PATCH", ONE, {
      ...OF_ONE,
      operationId: "updateWebhook",
      summary: "Change a webhook",
      description: "Changes only the fields given. A webhook that is not enabled is told of " +
        "nothing, and messages that wait for it go on waiting, for up to 7 days. One that tells of " +
        "subscribers needs `subscriptions:read` as well.",
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
      async run({ storage, param, body, caller, now }) {
        const current = await getWebhook(storage, param);
        if (current === undefined) return NOT_FOUND;
        const types = [...current.types, ...body.types ?? []];
        if (isAboutPeople(types) && !maySeePeople(caller)) return NO_PEOPLE;
        return webhookReply(
          await updateWebhook(storage, param, {
            url: body.url ?? undefined,
            types: body.types ?? undefined,
            enabled: body.enabled ?? undefined,
            at: now.text,
          }),
        );
      },
    }),

    operation("DELETE", ONE, {
      ...OF_ONE,
      operationId: "deleteWebhook",
      summary: "Delete a webhook",
      description: "Nothing is sent to it from then on, not even what waits.",
      successes: [{ status: 204, description: "The webhook is gone." }],
      run: async ({ storage, param }) =>
        await deleteWebhook(storage, param) ? { status: 204 } : NOT_FOUND,
    }),

    operation("POST", `${ONE}/rotate`, {
      ...OF_ONE,
      operationId: "rotateWebhook",
      summary: "Rotate the secret of a webhook",
      description:
        "The response shows the new secret. Messages are signed with the old one too for " +
        "a while, and with three replaced ones at most.",
      body: {
        overlap: optional(parseDuration, {
          description:
            "How long the old secret signs too, up to `24h`; `0s` ends it at once, and " +
            "whatever is left of those before it.",
          default: "24h",
          examples: ["1h"],
        }, { nullable: false }),
      },
      bodyOptional: true,
      check: ({ overlap }) =>
        overlap && overlap > ROTATION_OVERLAP_MS
          ? [{ field: "overlap", code: "invalid_value", detail: "overlap is longer than 24h" }]
          : [],
      successes: [{ status: 200, description: "The webhook.", schema: "IssuedWebhook" }],
      async run({ storage, param, body, now }) {
        const secret = generateWebhookSecret();
        const overlapMs = body.overlap ?? ROTATION_OVERLAP_MS;
        const webhook = await rotateWebhook(storage, param, { secret, overlapMs, at: now.text });
        return webhookReply(webhook, { secret });
      },
    }),

    operation("POST", `${ONE}/test`, {
      ...OF_MESSAGE,
      operationId: "testWebhook",
      summary: "Test a webhook",
      description: "Sends a message of type `test`, like any other message.",
      problems: ["webhook_not_found", "webhook_disabled"],
      async run({ storage, param, caller, now }) {
        const message = await testWebhook(storage, param, now.text);
        if (message === "disabled") return DISABLED;
        return message === "not_found" ? NOT_FOUND : messageReply(message, caller);
      },
    }),

    operation("GET", `${ONE}/messages`, {
      ...OF_ONE,
      operationId: "listWebhookMessages",
      summary: "List the messages of a webhook",
      description: "Newest first. A message is kept for 7 days after it was delivered or failed, " +
        "one that tells of an erasure no longer than until then. Without `subscriptions:read`, the " +
        "`body` of what is about subscribers is `null`.",
      query: {
        ...ORDERED_PAGE_FIELDS,
        state: optional(parseMessageState, {
          description: "Return only messages in this state.",
          enum: MESSAGE_STATES,
        }, { nullable: false }),
        type: optional(parseMessageType, {
          description: "Return only messages of this type.",
          enum: [...EVENT_TYPES, "test"],
        }, { nullable: false }),
      },
      successes: [
        { status: 200, description: "A page of messages.", schema: "WebhookMessagePage" },
      ],
      async run({ storage, param, query, caller }) {
        if (await getWebhook(storage, param) === undefined) return NOT_FOUND;
        const state = query.state ?? undefined;
        const type = query.type ?? undefined;
        return await pageReply(
          query,
          (page) => listMessages(storage, param, { ...page, state, type }),
          {
            listing: `messages-${param}`,
            positionOf: ({ messageId, listPlace }) => ({ key: messageId, by: listPlace }),
            show: (message) => showMessage(message, maySeePeople(caller)),
          },
        );
      },
    }),

    operation("POST", `${ONE}/replay`, {
      ...OF_ONE,
      operationId: "replayWebhookMessages",
      summary: "Send messages again",
      description:
        "Sends all messages again that were stored since a time and not delivered; they " +
        "are kept for 7 days.",
      body: {
        since: required(parseInstant, {
          description: "From when on (RFC 3339).",
          format: "date-time",
          examples: ["2026-11-21T10:00:00Z"],
        }),
      },
      successes: [{ status: 200, description: "How many there are.", schema: "WebhookReplay" }],
      async run({ storage, param, body: { since }, now }) {
        const replayed = await replayMessages(storage, param, { since, at: now.text });
        return replayed === undefined ? NOT_FOUND : jsonReply(200, { replayed });
      },
    }),

    operation("POST", `${ONE}/messages/:messageId/retry`, {
      ...OF_MESSAGE,
      operationId: "retryWebhookMessage",
      summary: "Send a message again",
      description: "Sends the message again at once, whatever its state.",
      params: {
        webhookId: WEBHOOK_ID,
        messageId: {
          description: "The identifier of the message, as in its header `webhook-id`.",
          examples: ["msg_5v1k9x0a7m2q8d5t3c6b4n8z"],
        },
      },
      problems: ["webhook_not_found", "message_not_found"],
      async run({ storage, params: [webhookId, messageId], caller, now }) {
        if (await getWebhook(storage, webhookId) === undefined) return NOT_FOUND;
        const message = await retryMessage(storage, { webhookId, messageId }, now.text);
        return message === undefined ? NO_MESSAGE : messageReply(message, caller);
      },
    }),
  ];
}

function webhookReply(
  webhook: Webhook | undefined,
  shownOnce?: { readonly secret: string },
): Reply | Problem {
  return webhook === undefined
    ? NOT_FOUND
    : jsonReply(200, { ...showWebhook(webhook), ...shownOnce });
}

function messageReply(message: WebhookMessage, caller: Caller): Reply {
  return jsonReply(200, showMessage(message, maySeePeople(caller)));
}

function maySeePeople({ scopes }: Caller): boolean {
  return grantsScope(scopes, PEOPLE_SCOPE);
}
