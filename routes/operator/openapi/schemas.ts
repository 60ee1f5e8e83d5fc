import type { Schema } from "../../../model/values/json_schema.ts";
import { REFUSAL_CODES } from "../../../model/values/refusal.ts";
import { type FieldProblem, PROBLEMS } from "../../_http/problem.ts";
import { CHANGELOG_SCHEMAS } from "./changelog_schemas.ts";
import { count, describe, describeRecord, schemaRef, text } from "./schema.ts";
import { STATS_SCHEMAS } from "./stats_schemas.ts";
import { RECORD_SCHEMAS } from "./record_schemas.ts";
import { WEBHOOK } from "../../../model/webhooks/webhook.ts";

const FIELD_PROBLEM: Record<keyof FieldProblem, Schema> = {
  field: describe("The name of the field."),
  code: describe("The stable code.", { enum: REFUSAL_CODES }),
  detail: describe("What is wrong, for people."),
};
const PROBLEM = {
  type: describe("Always `about:blank`.", { const: "about:blank" }),
  title: describe("The reason phrase of the status."),
  status: describe("The status of the response.", { type: "integer" }),
  code: describe("The stable code.", { enum: Object.keys(PROBLEMS) }),
  detail: describe("What is wrong here, for people."),
  requestId: describe("The value of `X-Request-Id`."),
};

/** The schemas of what goes out, by name. */
export const SCHEMAS = {
  ...RECORD_SCHEMAS,
  ...CHANGELOG_SCHEMAS,
  ...STATS_SCHEMAS,
  WebhookReplay: describeRecord({
    description: "What is sent again.",
    fields: { replayed: count("How many messages are sent again.", 3) },
  }),
  ErasedSubscriber: describeRecord({
    description: "Who was erased.",
    fields: { userEmail: text("The address.", "ann@example.com") },
  }),
  TestedWebhook: describeRecord({
    description: "The webhook that is tested.",
    fields: { webhookId: WEBHOOK.fields.webhookId },
  }),
  Health: {
    ...describe("All is well.", { type: "object" }),
    properties: { status: { type: "string", const: "ok" } },
    required: ["status"],
    examples: [{ status: "ok" }],
  },
  Feed: describe("An Atom feed (RFC 4287)."),
  JsonFeed: describe("A JSON Feed 1.1.", { type: "object" }),
  Page: describe("An HTML page."),
  ImageFile: describe("The bytes of an image."),
  Sitemap: describe("A sitemap (sitemaps.org)."),
  Script: describe("A script."),
  OpenApi: describe("An OpenAPI 3.1 description.", { type: "object" }),
  Problem: describe("What is wrong (RFC 9457).", {
    type: "object",
    properties: PROBLEM,
    required: Object.keys(PROBLEM),
  }),
  ValidationProblem: {
    description: "All fields that were refused, at once.",
    allOf: [schemaRef("Problem"), {
      type: "object",
      properties: {
        errors: describe("One entry for each field that was refused.", {
          type: "array",
          items: {
            type: "object",
            properties: FIELD_PROBLEM,
            required: Object.keys(FIELD_PROBLEM),
          },
        }),
      },
      required: ["errors"],
    }],
  },
} as const satisfies Record<string, Schema>;

/** The name of a schema. */
export type SchemaName = keyof typeof SCHEMAS;
