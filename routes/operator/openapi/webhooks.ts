import type { Schema } from "../../../model/values/json_schema.ts";
import { EXAMPLE_TIME } from "../../../model/values/time.ts";
import type { WebhookEvent } from "../../../model/webhooks/webhook_event.ts";
import { JSON_TYPE } from "../../_http/reply.ts";
import { count, exampleOf, object, text } from "../../../model/declare.ts";
import { ENTRY } from "../../../model/entries/entry.ts";
import { POST } from "../../../model/posts/post.ts";
import type { Described } from "../../../model/resource.ts";
import { SUBSCRIPTION } from "../../../model/subscriptions/subscription.ts";
import { WEBHOOK } from "../../../model/webhooks/webhook.ts";
import { describe, mapValues, schemaRef } from "./schema.ts";
import type { WebhookItem } from "./types.ts";

/** The description of the messages of one type. */
interface MessageKind {
  readonly summary: string;
  readonly data: Described;
}

const ERASED = object("ErasedSubscriber", "The person who was erased.", {
  userEmail: text("The address.", "ann@example.com"),
});
const TESTED = object("TestedWebhook", "The webhook that is tested.", {
  webhookId: WEBHOOK.fields.webhookId,
});

const HELD = object("HeldPost", "A post whose words nobody sees before it is approved.", {
  postId: POST.fields.postId,
  boardId: POST.fields.boardId,
});
const REPORTED = object("ReportedPost", "A post that visitors reported.", {
  ...HELD.fields,
  reports: count("How many reports of it are kept.", 1),
});

const EVENTS: Readonly<Record<WebhookEvent["type"], MessageKind>> = {
  "entry.published": { summary: "An entry becomes public", data: ENTRY },
  "entry.updated": { summary: "A public entry is edited", data: ENTRY },
  "entry.unpublished": { summary: "A public entry becomes a draft, or is deleted", data: ENTRY },
  "subscriber.subscribed": { summary: "A person subscribes", data: SUBSCRIPTION },
  "subscriber.unsubscribed": { summary: "A person opts out", data: SUBSCRIPTION },
  "subscriber.updated": { summary: "The name of a person changes", data: SUBSCRIPTION },
  "subscriber.erased": { summary: "A person is erased", data: ERASED },
  "post.created": { summary: "A post becomes public", data: POST },
  "post.updated": { summary: "The words, the status or the answer of a post change", data: POST },
  "post.merged": { summary: "A public post is merged into another", data: POST },
  "post.deleted": { summary: "A public post is deleted, hidden or held again", data: POST },
  "post.held": { summary: "A post waits for approval", data: HELD },
  "post.reported": { summary: "A visitor reports a post", data: REPORTED },
  "test": { summary: "A test was asked for", data: TESTED },
};

const HEADERS = {
  "webhook-id": "The identifier of the message, the same in each attempt.",
  "webhook-timestamp": "When the attempt is made, in seconds since 1970.",
  "webhook-signature": "`v1,` and a signature in base64, for each secret; separated by spaces.",
};

/** The messages to webhooks, by type. */
export const EVENT_DATA: readonly Described[] = Object.values(EVENTS).map(({ data }) => data);

/** Describes the messages to webhooks, by type. */
export function describeWebhooks(): Readonly<Record<string, WebhookItem>> {
  return mapValues(EVENTS, (kind, type) => ({ post: describeMessage(type, kind) }));
}

function describeMessage(type: string, { summary, data }: MessageKind): WebhookItem["post"] {
  const schema: Schema = {
    type: "object",
    properties: {
      type: describe("What happened.", { const: type }),
      timestamp: describe("When it happened.", { format: "date-time" }),
      data: schemaRef(data.title),
    },
    required: ["type", "timestamp", "data"],
  };
  return {
    operationId: `on${type.replace(/(?:^|\.)(\w)/g, (_, letter) => letter.toUpperCase())}`,
    summary,
    description: "A message as Standard Webhooks describes it. Any 2xx within 15 s is success.",
    tags: ["Webhooks"],
    security: [],
    parameters: Object.entries(HEADERS).map(([name, description]) => {
      return { name, in: "header", required: true, description, schema: { type: "string" } };
    }),
    requestBody: {
      required: true,
      content: {
        [JSON_TYPE]: {
          schema,
          example: { type, timestamp: EXAMPLE_TIME, data: exampleOf(data.fields) },
        },
      },
    },
    responses: {
      "2XX": { description: "The message was taken.", headers: {} },
      "4XX": { description: "It is sent again later; 410 disables the webhook.", headers: {} },
    },
  };
}
