import { SCOPES, type ShownKey } from "../../model/api_key.ts";
import { type Board, BOARD_DESCRIPTION_MAX_CODE_POINTS } from "../../model/board.ts";
import { ENTRY_STATES, LABEL_PATTERN, type ShownEntry } from "../../model/entry.ts";
import { DELIVERY_STATES, type ShownDelivery } from "../../model/delivery.ts";
import { EMAIL_MAX_OCTETS } from "../../model/email_address.ts";
import { URL_MAX_LENGTH } from "../../model/http_url.ts";
import { NAME_MAX_CODE_POINTS } from "../../model/name.ts";
import { ID_PATTERN } from "../../model/record_id.ts";
import { REFUSAL_CODES } from "../../model/refusal.ts";
import { CSV_HEADER, formatCsvRow } from "../../model/subscriber_rows.ts";
import { type Subscription, SUBSCRIPTION_SOURCES } from "../../model/subscription.ts";
import { type FieldProblem, PROBLEMS } from "../_problem.ts";
import { AT, page, type Properties, record, type Schema, schemaRef } from "./schema.ts";
import { TIME, TIME_OR_NULL } from "./schema.ts";
import { WEBHOOK_SCHEMAS } from "./webhook_schemas.ts";

const BOARD_EXAMPLE: Board = {
  boardId: "feature-requests",
  name: "Feature requests",
  description: "What should we build next?",
  url: "https://example.com/feedback",
  createdAt: AT,
  updatedAt: AT,
};

const BOARD: Properties<Board> = {
  boardId: {
    description: "The identifier, case-sensitive.",
    type: "string",
    pattern: ID_PATTERN,
  },
  name: {
    description: "The name for people.",
    type: "string",
    minLength: 1,
    maxLength: NAME_MAX_CODE_POINTS,
  },
  description: {
    description: "What the board is for.",
    type: ["string", "null"],
    maxLength: BOARD_DESCRIPTION_MAX_CODE_POINTS,
  },
  url: {
    description: "Where the board is shown.",
    type: ["string", "null"],
    format: "uri",
    maxLength: URL_MAX_LENGTH,
  },
  createdAt: { description: "When the board was created.", ...TIME },
  updatedAt: { description: "When the board last changed.", ...TIME },
};

const SUBSCRIBER_EXAMPLE: Subscription = {
  userEmail: "ann@example.com",
  userName: "Ann",
  subscribed: true,
  source: "api",
  createdAt: AT,
  updatedAt: AT,
};

const { userEmail, userName, subscribed } = SUBSCRIBER_EXAMPLE;

const SUBSCRIBER: Properties<Subscription> = {
  userEmail: {
    description: "The normalised address, which identifies the subscriber.",
    type: "string",
    format: "email",
    maxLength: EMAIL_MAX_OCTETS,
  },
  userName: {
    description: "The name of the user, if one was ever given.",
    type: ["string", "null"],
    maxLength: NAME_MAX_CODE_POINTS,
  },
  subscribed: { description: "Whether the user is subscribed now.", type: "boolean" },
  source: {
    description: "What last changed `subscribed`; `link` is the unsubscribe link in a mail.",
    type: "string",
    enum: SUBSCRIPTION_SOURCES,
  },
  createdAt: { description: "When the address was first recorded.", ...TIME },
  updatedAt: { description: "When `subscribed` or `userName` last changed.", ...TIME },
};

const ENTRY_EXAMPLE: ShownEntry = {
  entryId: "dark-mode",
  title: "Dark mode",
  body: "Press **D**.",
  labels: ["new"],
  url: "https://example.com/docs/dark-mode",
  state: "published",
  publishedAt: AT,
  createdAt: AT,
  updatedAt: AT,
};

const ENTRY: Properties<ShownEntry> = {
  entryId: {
    description: "The identifier, case-sensitive.",
    type: "string",
    pattern: ID_PATTERN,
  },
  title: {
    description: "The title.",
    type: "string",
    minLength: 1,
    maxLength: NAME_MAX_CODE_POINTS,
  },
  body: { description: "What the entry says, in Markdown, as it came.", type: "string" },
  labels: {
    description: "What the entry is about.",
    type: "array",
    items: { type: "string", pattern: LABEL_PATTERN },
  },
  url: {
    description: "Where more is told.",
    type: ["string", "null"],
    format: "uri",
    maxLength: URL_MAX_LENGTH,
  },
  state: {
    description: "Whether the entry is public now.",
    type: "string",
    enum: ENTRY_STATES,
  },
  publishedAt: {
    description: "From when on the entry is public; `null`: it is a draft.",
    ...TIME_OR_NULL,
  },
  createdAt: { description: "When the entry was created.", ...TIME },
  updatedAt: { description: "When the entry last changed.", ...TIME },
};

const DELIVERY_EXAMPLE: ShownDelivery = {
  entryId: "dark-mode",
  state: "running",
  sent: 1200,
  failed: 3,
  deferred: 1,
  startedAt: AT,
  finishedAt: null,
  problem: null,
};

const DELIVERY: Properties<ShownDelivery> = {
  entryId: { description: "The entry that is mailed.", type: "string" },
  state: {
    description: "What the delivery is doing. One that was found more than a day late is `held`.",
    type: "string",
    enum: DELIVERY_STATES,
  },
  sent: { description: "How many mails were sent.", type: "integer", minimum: 0 },
  failed: { description: "How many recipients were refused.", type: "integer", minimum: 0 },
  deferred: {
    description: "How many recipients are tried again later.",
    type: "integer",
    minimum: 0,
  },
  startedAt: { description: "When sending began.", ...TIME_OR_NULL },
  finishedAt: { description: "When the delivery was done or cancelled.", ...TIME_OR_NULL },
  problem: {
    description: "Why nothing advances at the moment, for people.",
    type: ["string", "null"],
  },
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

const KEY: Properties<ShownKey> = {
  keyId: { description: "The identifier, which is not secret.", type: "string" },
  name: { description: "What the key is for.", type: "string" },
  hint: { description: "The first 7 characters of the secret.", type: "string" },
  scopes: {
    description: "What the key may do; `*` is everything.",
    type: "array",
    items: { type: "string", enum: SCOPES },
  },
  createdAt: { description: "When the key was issued.", ...TIME },
  expiresAt: { description: "When the key expires; `null`: never.", ...TIME_OR_NULL },
  revokedAt: { description: "When the key was revoked; `null`: it has not been.", ...TIME_OR_NULL },
  lastUsedAt: {
    description: "The minute in which the key was last accepted; `null`: never.",
    ...TIME_OR_NULL,
  },
};

const FIELD_PROBLEM: Properties<FieldProblem> = {
  field: { description: "The name of the field.", type: "string" },
  code: { description: "The stable code.", type: "string", enum: REFUSAL_CODES },
  detail: { description: "What is wrong, for people.", type: "string" },
};

/** The schemas of what goes out, by name. */
export const SCHEMAS = {
  Board: record("A feedback board.", BOARD, BOARD_EXAMPLE),
  BoardPage: page("Board", BOARD_EXAMPLE),
  SubscriptionResult: record(
    "A subscription after a call.",
    {
      userEmail: SUBSCRIBER.userEmail,
      userName: SUBSCRIBER.userName,
      subscribed: { description: "The state after the call.", type: "boolean" },
      changed: {
        description: "Whether the call changed `subscribed` or `userName`.",
        type: "boolean",
      },
      createdAt: SUBSCRIBER.createdAt,
      updatedAt: SUBSCRIBER.updatedAt,
    },
    { userEmail, userName, subscribed, changed: true, createdAt: AT, updatedAt: AT },
  ),
  Subscriber: record(
    "Whether one person receives changelog updates.",
    SUBSCRIBER,
    SUBSCRIBER_EXAMPLE,
  ),
  SubscriberPage: page("Subscriber", SUBSCRIBER_EXAMPLE),
  SubscriberLines: {
    description:
      "Subscribers as NDJSON: one object a line. An import reads `userEmail`, `userName` " +
      "and `subscribed` alone.",
    type: "string",
    examples: [`${JSON.stringify(SUBSCRIBER_EXAMPLE)}\n`],
  },
  SubscriberTable: {
    description: "Subscribers as CSV (RFC 4180) under a header. An import reads `userEmail`, " +
      "`userName` and `subscribed` alone. Text that a spreadsheet would run as a formula has an " +
      "apostrophe in front.",
    type: "string",
    examples: [CSV_HEADER + formatCsvRow(SUBSCRIBER_EXAMPLE)],
  },
  ImportReport: {
    description:
      "NDJSON: an object with `line`, `field` (`null` for the row as a whole), `code` and " +
      "`detail` for each row that was refused, and at last one with the number of rows that were " +
      "`added`, `changed`, `unchanged`, `keptUnsubscribed` and `refused`.",
    type: "string",
    examples: [
      '{"line":3,"field":"userEmail","code":"required","detail":"userEmail is required"}\n' +
      '{"added":1,"changed":0,"unchanged":0,"keptUnsubscribed":0,"refused":1}\n',
    ],
  },
  Entry: record("An entry of the changelog.", ENTRY, ENTRY_EXAMPLE),
  EntryPage: page("Entry", ENTRY_EXAMPLE),
  EntryResult: record("An entry after a call.", {
    ...ENTRY,
    changed: { description: "Whether the call changed anything.", type: "boolean" },
  }, { ...ENTRY_EXAMPLE, changed: true }),
  Delivery: record("The mailing of an entry.", DELIVERY, DELIVERY_EXAMPLE),
  TestMail: record("What became of a test mail.", {
    entryId: DELIVERY.entryId,
    userEmail: SUBSCRIBER.userEmail,
    sent: { description: "Whether the relay took the mail.", type: "boolean" },
    problem: { description: "Why it did not, for people.", type: ["string", "null"] },
  }, { entryId: "dark-mode", userEmail, sent: true, problem: null }),
  ...WEBHOOK_SCHEMAS,
  Key: record("An API key, without its secret.", KEY, KEY_EXAMPLE),
  KeyPage: page("Key", KEY_EXAMPLE),
  IssuedKey: record(
    "A new API key, with its secret.",
    { ...KEY, key: { description: "The secret, shown only here.", type: "string" } },
    { ...KEY_EXAMPLE, key: "bc_000000000000000000000000000000000000" },
  ),
  Health: record("All is well.", { status: { type: "string", const: "ok" } }, {
    status: "ok",
  }),
  Feed: { description: "An Atom feed (RFC 4287).", type: "string" },
  JsonFeed: { description: "A JSON Feed 1.1.", type: "object" },
  Page: { description: "An HTML page.", type: "string" },
  OpenApi: { description: "An OpenAPI 3.1 description.", type: "object" },
  Problem: {
    description: "What is wrong (RFC 9457).",
    type: "object",
    properties: {
      type: { description: "Always `about:blank`.", type: "string", const: "about:blank" },
      title: { description: "The reason phrase of the status.", type: "string" },
      status: { description: "The status of the response.", type: "integer" },
      code: {
        description: "The stable code.",
        type: "string",
        enum: Object.keys(PROBLEMS),
      },
      detail: { description: "What is wrong here, for people.", type: "string" },
      requestId: { description: "The value of `X-Request-Id`.", type: "string" },
    },
    required: ["type", "title", "status", "code", "detail", "requestId"],
  },
  ValidationProblem: {
    description: "All fields that were refused, at once.",
    allOf: [schemaRef("Problem"), {
      type: "object",
      properties: {
        errors: {
          description: "One entry for each field that was refused.",
          type: "array",
          items: {
            type: "object",
            properties: FIELD_PROBLEM,
            required: Object.keys(FIELD_PROBLEM),
          },
        },
      },
      required: ["errors"],
    }],
  },
} as const satisfies Record<string, Schema>;

/** The name of a schema of what goes out. */
export type SchemaName = keyof typeof SCHEMAS;
