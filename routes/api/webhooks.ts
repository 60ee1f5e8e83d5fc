import type { RouteContext } from "../branded.ts";
import { WEBHOOKS } from "../../model/kinds.ts";
import { object, settable, text } from "../../model/declare.ts";
import { generateId } from "../../model/values/record_id.ts";
import { changeOf, fillRecord } from "../../model/resource.ts";
import { parseDuration } from "../../model/values/time.ts";
import {
  MAX_WEBHOOKS,
  ROTATION_OVERLAP_MS,
  showWebhook,
  WEBHOOK,
  type Webhook,
} from "../../model/webhooks/webhook.ts";
import { scopesLackedFor } from "../../model/webhooks/webhook_event.ts";
import { generateWebhookSecret } from "../../model/webhooks/webhook_signature.ts";
import { parseWebhookUrl, readWebhookAllow } from "../../model/webhooks/webhook_url.ts";
import {
  createWebhook,
  deleteWebhook,
  type LackedScopes,
  rotateWebhook,
  updateWebhook,
} from "../../services/webhooks/webhooks.ts";
import { insufficientScope } from "../_http/credentials.ts";
import { type Operation, operation, type Outcome } from "../_http/operation.ts";
import { PAGE_FIELDS, pageReply } from "../_http/page.ts";
import { badValue } from "../_http/problem.ts";
import { jsonReply } from "../_http/reply.ts";
import { WEBHOOK_PATH, webhookMessageOperations, WEBHOOKS_PATH } from "./webhook_messages.ts";

const ISSUED = object("IssuedWebhook", "A webhook, with its secret.", {
  ...WEBHOOK.fields,
  secret: text(
    "What messages are signed with, shown only here: `whsec_` and base64.",
    "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
  ),
});
const SCOPES_BY_TYPE =
  "A webhook that is told of subscribers also needs `subscriptions:read`, and " +
  "one that is told of posts `posts:read`.";

/**
 * Creates the operations on webhooks. `allow` names hosts and ports that need not be public. Chat
 * messages link to the public URL.
 */
export function operations({ publicUrl, webhookAllow }: RouteContext): readonly Operation[] {
  const allow = readWebhookAllow(webhookAllow);
  const parseUrl = (text: string) => parseWebhookUrl(text, allow);
  const url = { ...WEBHOOK.fields.url, parse: parseUrl };
  const { enabled, format, ...others } = { ...settable(WEBHOOK.fields), url };

  return [
    operation("GET", WEBHOOKS_PATH, {
      scope: "webhooks:write",
      operationId: "listWebhooks",
      summary: "List webhooks",
      description: "In ascending order of `webhookId`; secrets are never shown.",
      query: PAGE_FIELDS,
      successes: [{ status: 200, description: "A page of webhooks.", page: WEBHOOK }],
      run: ({ storage, query }) =>
        pageReply(query, (page) => storage.list(WEBHOOKS, page), {
          listing: "webhooks",
          positionOf: ({ webhookId }) => ({ key: webhookId }),
          show: showWebhook,
        }),
    }),

    operation("POST", WEBHOOKS_PATH, {
      scope: "webhooks:write",
      operationId: "createWebhook",
      summary: "Create a webhook",
      description: `The response shows the secret that messages are signed with. There are at ` +
        `most ${MAX_WEBHOOKS} webhooks. ${SCOPES_BY_TYPE}`,
      body: { ...others, format },
      required: ["url"],
      successes: [{ status: 201, schema: ISSUED }],
      problems: ["too_many_webhooks"],
      async run({ storage, body, caller, now }) {
        const webhook = fillRecord<Webhook>(WEBHOOK, {
          ...body,
          types: body.types ?? (body.format === "slack" ? ["entry.published"] : undefined),
          webhookId: generateId(),
          secret: generateWebhookSecret(),
          createdAt: now.text,
          updatedAt: now.text,
        });
        const lacked = scopesLackedFor(webhook.types, caller.scopes);
        if (lacked.length > 0) return insufficientScope(lacked);
        if (!await createWebhook(storage, webhook)) return "too_many_webhooks";
        return jsonReply(201, { ...showWebhook(webhook), secret: webhook.secret });
      },
    }),

    operation("GET", WEBHOOK_PATH, {
      scope: "webhooks:write",
      operationId: "getWebhook",
      summary: "Read a webhook",
      successes: [{ status: 200, schema: WEBHOOK }],
      run: async ({ storage, param }) => webhookReply(await storage.get(WEBHOOKS, param)),
    }),

    operation("PATCH", WEBHOOK_PATH, {
      scope: "webhooks:write",
      operationId: "updateWebhook",
      summary: "Change a webhook",
      description:
        "Changes only the given fields. A disabled webhook gets no messages of new events, " +
        `and waiting messages wait on, for up to 7 days. ${SCOPES_BY_TYPE}`,
      body: { ...others, enabled },
      successes: [{ status: 200, schema: WEBHOOK }],
      async run({ storage, param, body, caller, now }) {
        const webhook = await updateWebhook(storage, param, {
          change: changeOf<Webhook>(WEBHOOK, body),
          at: now.text,
          scopes: caller.scopes,
        });
        return webhookReply(webhook);
      },
    }),

    operation("DELETE", WEBHOOK_PATH, {
      scope: "webhooks:write",
      operationId: "deleteWebhook",
      summary: "Delete a webhook",
      description:
        `Nothing is sent to it from then on, not even waiting messages. ${SCOPES_BY_TYPE}`,
      successes: [{ status: 204, description: "The webhook is gone." }],
      async run({ storage, param, caller }) {
        const deleted = await deleteWebhook(storage, param, { scopes: caller.scopes });
        if (typeof deleted === "object") return insufficientScope(deleted.lacked);
        return deleted ? { status: 204 } : "webhook_not_found";
      },
    }),

    operation("POST", `${WEBHOOK_PATH}/rotate`, {
      scope: "webhooks:write",
      operationId: "rotateWebhook",
      summary: "Rotate the secret of a webhook",
      description: `Messages are also signed with up to three replaced secrets. ${SCOPES_BY_TYPE}`,
      body: {
        overlap: {
          schema: {
            description:
              "How long the old secret signs too, up to `24h`; `0s` ends it at once, and " +
              "whatever is left of those before it.",
            type: "string",
            default: "24h",
            examples: ["1h"],
          },
          parse: parseDuration,
        },
      },
      bodyOptional: true,
      check: ({ overlap }) =>
        overlap && overlap > ROTATION_OVERLAP_MS ? [badValue("overlap", "is longer than 24h")] : [],
      successes: [{ status: 200, schema: ISSUED }],
      async run({ storage, param, body, caller, now }) {
        const secret = generateWebhookSecret();
        const webhook = await rotateWebhook(storage, param, {
          secret,
          overlapMs: body.overlap ?? ROTATION_OVERLAP_MS,
          at: now.text,
          scopes: caller.scopes,
        });
        return webhookReply(webhook, { secret });
      },
    }),
    ...webhookMessageOperations(publicUrl),
  ];
}

function webhookReply(
  webhook: Webhook | LackedScopes | undefined,
  shownOnce?: { readonly secret: string },
): Outcome {
  if (webhook === undefined) return "webhook_not_found";
  return "lacked" in webhook
    ? insufficientScope(webhook.lacked)
    : jsonReply(200, { ...showWebhook(webhook), ...shownOnce });
}
