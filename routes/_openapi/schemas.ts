import type { Schema } from "../../model/json_schema.ts";
import { SCOPES, type ShownKey } from "../../model/api_key.ts";
import { BOARD } from "../../model/board.ts";
import { REFUSAL_CODES } from "../../model/refusal.ts";
import { type FieldProblem, PROBLEMS } from "../_problem.ts";
import { CHANGELOG_SCHEMAS } from "./changelog_schemas.ts";
import { describe, describeRecord, list, orNull, page, type Properties, record } from "./schema.ts";
import { schemaRef, text, time } from "./schema.ts";
import { STATS_SCHEMAS } from "./stats_schemas.ts";
import { WEBHOOK_SCHEMAS } from "./webhook_schemas.ts";

const Board = describeRecord(BOARD);

const KEY: Properties<ShownKey> = {
  keyId: text("The identifier, which is not secret.", "4f92a8e1b07c3d65"),
  name: text("What the key is for.", "Web app"),
  hint: text("The first 7 characters of the secret.", "bc_0000"),
  scopes: list("What the key may do; `*` is everything.", ["boards:read", "subscriptions:write"], {
    enum: SCOPES,
  }),
  createdAt: time("When the key was issued."),
  expiresAt: orNull(time("When the key expires; `null`: never.", "2027-02-19T10:00:00.000Z")),
  revokedAt: orNull(time("When the key was revoked; `null`: it has not been."), null),
  lastUsedAt: orNull(
    time("The minute in which the key was last accepted; `null`: never."),
    null,
  ),
};
const Key = record("An API key, without its secret.", KEY);

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
  Board,
  BoardPage: page("Board", Board),
  ...CHANGELOG_SCHEMAS,
  ...WEBHOOK_SCHEMAS,
  ...STATS_SCHEMAS,
  Key,
  KeyPage: page("Key", Key),
  IssuedKey: record("A new API key, with its secret.", {
    ...KEY,
    key: text("The secret, shown only here.", "bc_000000000000000000000000000000000000"),
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

export type SchemaName = keyof typeof SCHEMAS;
