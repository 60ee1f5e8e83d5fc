import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { Ajv2020 } from "ajv/2020";
import addFormats from "ajv-formats";
import { type HandlerOptions, openMemoryStorage, StorageError } from "../mod.ts";
import type { Endpoint } from "../routes/_docs/operation.ts";
import type { ExampleObject, ResponseObject } from "../routes/_openapi/types.ts";
import { api, createDescribed, ENDPOINTS, exampleOf, follow, pathOf, SESSION } from "./_openapi.ts";
import { forEachRow } from "./_rows.ts";
import { FORM, JSON_TYPE, type Sent } from "./_service.ts";

// What is drawn at random or follows from what went before, and so can't be as in the example.
const DIFFERENT = [
  ...["webhookId", "secret", "messageId", "keyId", "key", "hint", "state", "publishedAt"],
  ...["sent", "failed", "deferred", "startedAt", "finishedAt", "requestId"],
];

const SUBSCRIBE = "changelogs/subscribe";
const LONG_EMAIL = `a@${"b".repeat(60)}.`.padEnd(256, "c.d");
const BOARD = { boardId: "feature-requests", name: "Feature requests" };
const ENTRY = { entryId: "dark-mode", title: "Dark mode", body: "" };
const ENTRY_PATH = "changelogs/entries/dark-mode";
const WEBHOOKS_MADE = 20;

/** A body that is sent as a form, whatever it is. */
function formOf(body: BodyInit, headers: Readonly<Record<string, string>> = {}): Sent {
  return { body, headers: { "content-type": FORM, ...headers } };
}

function failing(error: Error): Options {
  return { storage: { ...openMemoryStorage(), get: () => Promise.reject(error) } };
}

type Options = Partial<HandlerOptions>;

/** How every problem is brought about, where the board and the entry of the examples are there. */
const PROVOCATIONS: Readonly<
  Record<string, readonly [method: string, path: string, sent?: Sent, options?: Options]>
> = {
  malformed_path: ["GET", "boards/%00"],
  malformed_body: ["PUT", SUBSCRIBE, formOf("userEmail=a&userEmail=b")],
  malformed_credentials: ["GET", "boards", { key: "two tokens" }],
  missing_credentials: ["GET", "boards", { key: null }],
  invalid_token: ["GET", "boards", { key: "unknown" }],
  insufficient_scope: ["DELETE", "boards/none", { key: "reader" }],
  unsupported_transfer_encoding: ["PUT", SUBSCRIBE, formOf("a", { "transfer-encoding": "gzip" })],
  not_found: ["GET", "/livez/"],
  board_not_found: ["GET", "boards/none"],
  entry_not_found: ["GET", "changelogs/entries/none"],
  delivery_not_found: ["GET", `${ENTRY_PATH}/delivery`],
  subscriber_not_found: ["GET", "changelogs/subscribers/none"],
  webhook_not_found: ["GET", "webhooks/none"],
  key_not_found: ["DELETE", "keys/none"],
  method_not_allowed: ["POST", "/livez"],
  request_timeout: ["PUT", SUBSCRIBE, formOf(new ReadableStream()), { bodyTimeoutMs: 10 }],
  board_exists: ["POST", "boards", { json: BOARD }],
  entry_exists: ["POST", "changelogs/entries", { json: ENTRY }],
  too_many_webhooks: ["POST", "webhooks", { json: { url: "https://example.com/" } }],
  mail_not_configured: ["POST", `${ENTRY_PATH}/test`, { json: { userEmail: "ann@example.com" } }],
  precondition_failed: ["DELETE", ENTRY_PATH, { headers: { "if-match": '"old"' } }],
  body_too_large: ["PUT", SUBSCRIBE, formOf("a".repeat(16 * 1024 + 1))],
  unsupported_media_type: ["PUT", SUBSCRIBE, formOf("a", { "content-type": "text/plain" })],
  validation_failed: ["PUT", SUBSCRIBE, { json: { userEmail: LONG_EMAIL } }],
  rate_limited: ["GET", "boards", {}, { rateLimit: { requests: 1, windowSeconds: 60 } }],
  internal_error: ["GET", "boards/none", {}, failing(new Error("a bug"))],
  storage_unavailable: ["GET", "boards/none", {}, failing(new StorageError("damaged", "gone"))],
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(api, "api");

describe("the examples described", () => {
  it("are those of every operation, and answered as described, in a form and in JSON", async () => {
    const described = ENDPOINTS.map(({ operation }) => operation.operationId);
    assertEquals(SESSION.toSorted(), described.toSorted(), "SESSION is to name each");
    const worker = { wake() {}, sendTest: () => Promise.resolve({ state: "sent" } as const) };
    for (const index of [0, 1]) {
      const { send } = createDescribed({ worker });
      const ids: Record<string, string> = {};
      await forEachRow(SESSION, async (operationId) => {
        const endpoint = ENDPOINTS.find(({ operation }) => operation.operationId === operationId)!;
        const path = pathOf(endpoint, ids);
        const response = await send(endpoint.method, path, exampleOf(endpoint, index));
        const content = await checkAnswer(endpoint, response);
        for (const name of ["keyId", "webhookId", "messageId"]) {
          if (typeof content[name] === "string") ids[name] ??= content[name];
        }
      });
    }
  });

  it("match their schemas", async () => {
    await forEachRow(Object.entries(api.components.schemas), ([name, { examples = [] }]) => {
      for (const example of examples) {
        assertValid(example, { $ref: `#/components/schemas/${name}` });
      }
    });
  });

  it("are there for every problem code, and read as the problem does", async () => {
    const { schemas, examples } = api.components;
    const codes = schemas.Problem.properties?.code.enum;
    assertEquals(Object.keys(examples), codes);
    assertEquals(Object.keys(PROVOCATIONS).sort(), codes?.toSorted());
    await forEachRow(
      Object.entries(PROVOCATIONS),
      async ([code, [method, path, sent, options]]) => {
        const { send, createKey } = createDescribed(options);
        await send("POST", "boards", { json: BOARD });
        await send("POST", "changelogs/entries", { json: ENTRY });
        const made = code === "too_many_webhooks" ? WEBHOOKS_MADE : 0;
        for (let i = 0; i < made; i++) await send(method, path, sent);
        const key = sent?.key === "reader" ? await createKey(["boards:read"]) : sent?.key;
        const response = await send(method, path, { ...sent, key });
        const content = await checkAnswer(endpointOf(method, path), response);
        const detail = `${content.detail}`.replace("0.01 s", "10 s");
        const { value } = examples[code];
        assertEquals(hideDifferent({ ...content, detail }), hideDifferent(value as ExampleObject));
      },
    );
  });
});

/** The operation of a request; where there is none, one that any problem may be told at. */
function endpointOf(method: string, path: string): Endpoint {
  const found = ENDPOINTS.find((endpoint) => {
    const pattern = endpoint.path.replaceAll(/{\w+}/g, "[^/]+");
    return endpoint.method === method && new RegExp(`^${pattern}$`).test(`/api/v1/${path}`);
  });
  return found ?? ENDPOINTS.find(({ path }) => path === "/livez")!;
}

/** Checks the status, headers and content of an answer against what is described. */
async function checkAnswer(
  { operation: { operationId, responses } }: Endpoint,
  response: Response,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = responses[response.status];
  assert(answer !== undefined, `${operationId} answers ${response.status}, which is not described`);
  const { headers, content = {} } = follow<ResponseObject>(answer);
  const mediaType = response.headers.get("content-type")?.split(";")[0];
  const described = Object.keys(headers).map((name) => name.toLowerCase());
  const unlisted = ["content-type", "connection", "content-length"];
  const sent = [...response.headers.keys()].filter((name) => !unlisted.includes(name));
  if (mediaType !== "text/html") {
    assertEquals(sent.filter((name) => !described.includes(name)), []);
  }
  for (const name of ["x-request-id", "cache-control", "x-content-type-options"]) {
    assert(described.includes(name) && sent.includes(name));
  }
  const text = await response.text();
  if (mediaType === undefined) assertEquals([content, text], [{}, ""]);
  if (mediaType === undefined) return {};
  const media = content[mediaType];
  assert(media !== undefined, `${operationId} answers ${mediaType}, which is not described`);
  if (mediaType !== JSON_TYPE && mediaType !== "application/problem+json") return {};
  const value = JSON.parse(text);
  assertValid(value, media.schema);
  if (media.example !== undefined) assertEquals(hideDifferent(value), hideDifferent(media.example));
  return value;
}

function assertValid(value: unknown, schema: object): void {
  // References are relative to the description, which has another name here.
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/'));
  const validate = ajv.compile(absolute);
  assert(validate(value), ajv.errorsText(validate.errors));
}

function hideDifferent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, inner) => DIFFERENT.includes(name) ? "…" : inner));
}
