import { SCOPES, type ShownKey } from "../../model/api_key.ts";
import {
  type Board,
  BOARD_DESCRIPTION_MAX_CODE_POINTS,
  BOARD_ID_PATTERN,
} from "../../model/board.ts";
import { URL_MAX_LENGTH } from "../../model/http_url.ts";
import { NAME_MAX_CODE_POINTS } from "../../model/name.ts";
import { REFUSAL_CODES } from "../../model/refusal.ts";
import { type FieldProblem, PROBLEMS } from "../_problem.ts";
import { CHANGELOG_SCHEMAS } from "./changelog_schemas.ts";
import { AT, list, orNull, page, type Properties, property } from "./schema.ts";
import { record, type Schema, schemaRef, time } from "./schema.ts";
import { WEBHOOK_SCHEMAS } from "./webhook_schemas.ts";

const BOARD: Properties<Board> = {
  boardId: property("The identifier, case-sensitive.", { pattern: BOARD_ID_PATTERN }),
  name: property("The name for people.", { minLength: 1, maxLength: NAME_MAX_CODE_POINTS }),
  description: orNull(
    property("What the board is for.", { maxLength: BOARD_DESCRIPTION_MAX_CODE_POINTS }),
  ),
  url: orNull(
    property("Where the board is shown.", { format: "uri", maxLength: URL_MAX_LENGTH }),
  ),
  createdAt: time("When the board was created."),
  updatedAt: time("When the board last changed."),
};
const BOARD_EXAMPLE: Board = {
  boardId: "feature-requests",
  name: "Feature requests",
  description: "What should we build next?",
  url: "https://example.com/feedback",
  createdAt: AT,
  updatedAt: AT,
};

const KEY: Properties<ShownKey> = {
  keyId: property("The identifier, which is not secret."),
  name: property("What the key is for."),
  hint: property("The first 7 characters of the secret."),
  scopes: list("What the key may do; `*` is everything.", { enum: SCOPES }),
  createdAt: time("When the key was issued."),
  expiresAt: orNull(time("When the key expires; `null`: never.")),
  revokedAt: orNull(time("When the key was revoked; `null`: it has not been.")),
  lastUsedAt: orNull(time("The minute in which the key was last accepted; `null`: never.")),
};
const KEY_EXAMPLE: ShownKey = {
  keyId: "4f92a8e1b07c3d65",
  name: "Web app",
  hint: "bc_0000",
  scopes: ["boards:read", "subscriptions:write"],
  createdAt: AT,
  expiresAt: "2027-02-19T10:00:00.000Z",
  revokedAt: null,
  lastUsedAt: null,
};

const FIELD_PROBLEM: Properties<FieldProblem> = {
  field: property("The name of the field."),
  code: property("The stable code.", { enum: REFUSAL_CODES }),
  detail: property("What is wrong, for people."),
};
const PROBLEM = {
  type: property("Always `about:blank`.", { const: "about:blank" }),
  title: property("The reason phrase of the status."),
  status: property("The status of the response.", { type: "integer" }),
  code: property("The stable code.", { enum: Object.keys(PROBLEMS) }),
  detail: property("What is wrong here, for people."),
  requestId: property("The value of `X-Request-Id`."),
};

/** The schemas of what goes out, by name. */
export const SCHEMAS = {
  Board: record("A feedback board.", BOARD, BOARD_EXAMPLE),
  BoardPage: page("Board", BOARD_EXAMPLE),
  ...CHANGELOG_SCHEMAS,
  ...WEBHOOK_SCHEMAS,
  Key: record("An API key, without its secret.", KEY, KEY_EXAMPLE),
  KeyPage: page("Key", KEY_EXAMPLE),
  IssuedKey: record("A new API key, with its secret.", {
    ...KEY,
    key: property("The secret, shown only here."),
  }, { ...KEY_EXAMPLE, key: "bc_000000000000000000000000000000000000" }),
  Health: record("All is well.", { status: { type: "string", const: "ok" } }, { status: "ok" }),
  Feed: property("An Atom feed (RFC 4287)."),
  JsonFeed: property("A JSON Feed 1.1.", { type: "object" }),
  Page: property("An HTML page."),
  OpenApi: property("An OpenAPI 3.1 description.", { type: "object" }),
  Problem: property("What is wrong (RFC 9457).", {
    type: "object",
    properties: PROBLEM,
    required: Object.keys(PROBLEM),
  }),
  ValidationProblem: {
    description: "All fields that were refused, at once.",
    allOf: [schemaRef("Problem"), {
      type: "object",
      properties: {
        errors: property("One entry for each field that was refused.", {
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

/** The name of a schema of what goes out. */
export type SchemaName = keyof typeof SCHEMAS;
