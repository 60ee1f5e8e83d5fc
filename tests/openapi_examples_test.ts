import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { Ajv2020 } from "ajv/2020";
import addFormats from "ajv-formats";
import { type Handler, openMemoryStorage, type Storage, StorageError } from "../mod.ts";
import type { HandlerWorker } from "../mod.ts";
import type { ExampleObject, ResponseObject } from "../routes/_openapi/types.ts";
import { PROBLEM_TYPE } from "../routes/_problem.ts";
import { type Endpoint, listEndpoints } from "../routes/_docs/operation.ts";
import { createKey } from "../services/api_keys.ts";
import { FORM, JSON_TYPE, SUBSCRIBE_PATH } from "./_calls.ts";
import { type Call, createTestHandler, follow, readApi, requestOf } from "./_openapi.ts";
import { forEachRow } from "./_rows.ts";
import { OPERATOR_KEY, START } from "./_service.ts";

const api = await readApi(createTestHandler());
const all = listEndpoints(api);

// An order in which every operation finds what its example speaks of.
const SESSION = [
  ...["createBoard", "getBoard", "listBoards", "updateBoard"],
  ...["putSubscription", "getSubscriber", "listSubscribers", "importSubscribers"],
  ...["createKey", "listKeys", "rotateKey", "revokeKey"],
  ...["createWebhook", "getWebhook", "listWebhooks", "updateWebhook", "rotateWebhook"],
  ...["testWebhook", "listWebhookMessages", "retryWebhookMessage", "deleteWebhook"],
  ...["createEntry", "updateEntry", "publishEntry", "getEntry", "listEntries", "testEntry"],
  ...["getDelivery", "pauseDelivery", "resumeDelivery", "cancelDelivery"],
  ...["getChangelogPage", "getEntryPage", "getAtomFeed", "getJsonFeed"],
  ...["unpublishEntry", "deleteEntry", "getUnsubscribePage", "unsubscribeByLink"],
  ...["eraseSubscriber", "deleteBoard"],
  ...["getLiveness", "getReadiness", "getRoot", "getOpenApi", "getDocs"],
];
// What is drawn at random or follows from what went before, and so can't be as in the example.
const DIFFERENT = [
  ...["webhookId", "secret", "messageId", "keyId", "key", "hint", "state", "publishedAt"],
  ...["sent", "failed", "deferred", "startedAt", "finishedAt"],
];

const WORKER: HandlerWorker = {
  wake() {},
  sendTest: () => Promise.resolve({ state: "sent" }),
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(api, "api");

// How every problem is brought about.
const PROVOCATIONS: Readonly<Record<string, () => Promise<Provoked>>> = {
  malformed_path: () => provoke("getBoard", { params: { boardId: "\0" } }),
  malformed_body: () => provokeWith("putSubscription", putForm("userEmail=a&userEmail=b")),
  malformed_credentials: () => provoke("getBoard", { key: "two tokens" }),
  missing_credentials: () => provoke("getBoard", { key: "" }),
  invalid_token: () => provoke("getBoard", { key: "unknown" }),
  insufficient_scope: async () => {
    const storage = openMemoryStorage();
    const request = { name: "Reader", scopes: ["boards:read"], expiresAt: null } as const;
    const { secret } = await createKey(storage, request, START);
    return provoke("deleteBoard", { key: secret }, createTestHandler({ storage }));
  },
  unsupported_transfer_encoding: () =>
    provokeWith("putSubscription", putForm("a", FORM, { "Transfer-Encoding": "gzip, chunked" })),
  not_found: () => provokeWith("getLiveness", new Request("http://localhost/livez/")),
  board_not_found: () => provoke("getBoard"),
  entry_not_found: () => provoke("getEntry"),
  delivery_not_found: () => provoke("getDelivery"),
  subscriber_not_found: () => provoke("getSubscriber"),
  webhook_not_found: () => provoke("getWebhook"),
  key_not_found: () => provoke("revokeKey"),
  method_not_allowed: () =>
    provokeWith("getLiveness", new Request("http://localhost/livez", { method: "POST" })),
  request_timeout: async () => {
    const handler = createTestHandler({ bodyTimeoutMs: 10 });
    const endless = putForm(new ReadableStream());
    const { operationId, response } = await provokeWith("putSubscription", endless, handler);
    const { detail, ...rest } = await response.json();
    const text = JSON.stringify({ ...rest, detail: detail.replace("0.01 s", "10 s") });
    return { operationId, response: new Response(text, response) };
  },
  board_exists: async () => {
    const handler = createTestHandler();
    const form = { boardId: "feature-requests", name: "Feature requests" };
    await provoke("createBoard", { form }, handler);
    return provoke("createBoard", { form }, handler);
  },
  entry_exists: async () => {
    const handler = createTestHandler();
    const form = { entryId: "dark-mode", title: "Dark mode", body: "" };
    await provoke("createEntry", { form }, handler);
    return provoke("createEntry", { form }, handler);
  },
  too_many_webhooks: async () => {
    const handler = createTestHandler();
    const form = { url: "https://example.com/" };
    for (let i = 0; i < 20; i++) await provoke("createWebhook", { form }, handler);
    return provoke("createWebhook", { form }, handler);
  },
  mail_not_configured: async () => {
    const handler = createTestHandler();
    const form = { entryId: "dark-mode", title: "Dark mode", body: "" };
    await provoke("createEntry", { form }, handler);
    return provoke("testEntry", { form: { userEmail: "ann@example.com" } }, handler);
  },
  precondition_failed: async () => {
    const handler = createTestHandler();
    const json = { boardId: "feature-requests", name: "Feature requests" };
    await provoke("createBoard", { json }, handler);
    return provoke("deleteBoard", { headers: { "If-Match": '"old"' } }, handler);
  },
  body_too_large: () => provokeWith("putSubscription", putForm("a".repeat(16 * 1024 + 1))),
  unsupported_media_type: () => provokeWith("putSubscription", putForm("a", "text/plain")),
  validation_failed: () =>
    provoke("putSubscription", { form: { userEmail: `a@${"b".repeat(60)}.`.padEnd(256, "c.d") } }),
  rate_limited: async () => {
    const handler = createTestHandler({ rateLimit: { requests: 1, windowSeconds: 60 } });
    await provoke("getBoard", {}, handler);
    await provoke("getBoard", {}, handler);
    return provoke("getBoard", {}, handler);
  },
  internal_error: () =>
    provoke("getBoard", {}, createTestHandler({ storage: brokenStorage(new Error("a bug")) })),
  storage_unavailable: () => {
    const storage = brokenStorage(new StorageError("unavailable", "The disk is gone"));
    return provoke("getBoard", {}, createTestHandler({ storage }));
  },
};

describe("the examples described", () => {
  it("are those of every operation, and answered as described, in a form and in JSON", async () => {
    const described = all.map(({ operation }) => operation.operationId);
    assertEquals(SESSION.toSorted(), described.toSorted(), "SESSION of this file is to name each");
    for (const index of [0, 1]) {
      const handler = createTestHandler({ worker: WORKER });
      const ids: Record<string, string> = {};
      await forEachRow(SESSION, async (operationId) => {
        const endpoint = find(operationId);
        const call = callOf(endpoint, index);
        const response = await handler(requestOf(api, endpoint, { ...call, params: ids }));
        const content = await checkAnswer(endpoint, response);
        for (const name of ["keyId", "webhookId", "messageId"]) {
          if (typeof content[name] === "string") ids[name] ??= content[name];
        }
      });
    }
  });

  it("match their schemas", async () => {
    await forEachRow(Object.entries(api.components.schemas), ([name, { examples = [] }]) => {
      for (const example of examples) assertValid(example, `#/components/schemas/${name}`);
    });
  });

  it("are there for every problem code, and read as the problem does", async () => {
    const codes = api.components.schemas.Problem.properties?.code.enum;
    assertEquals(Object.keys(api.components.examples), codes);
    const provoked = Object.keys(PROVOCATIONS).sort();
    assertEquals(provoked, codes?.toSorted(), "PROVOCATIONS of this file is to have each");
    await forEachRow(Object.entries(PROVOCATIONS), async ([code, provoke]) => {
      const { operationId, response } = await provoke();
      const content = await checkAnswer(find(operationId), response);
      const { requestId } = content;
      assertEquals(requestId, response.headers.get("x-request-id"));
      const { value } = api.components.examples[code];
      assertEquals(content, { ...value as ExampleObject, requestId });
    });
  });
});

/** Makes a call of an operation of the example for the first or the second media type of its body. */
function callOf({ operation }: Endpoint, index: number): Call {
  const content = Object.entries(operation.requestBody?.content ?? {})[index];
  if (content === undefined) return {};
  const [mediaType, { example }] = content;
  if (typeof example === "string") return { content: [mediaType, example] };
  return { [mediaType === FORM ? "form" : "json"]: example };
}

/** Checks the status, headers and content of an answer against what is described. */
async function checkAnswer(
  described: Endpoint,
  response: Response,
): Promise<Readonly<Record<string, unknown>>> {
  const { responses, operationId } = described.operation;
  const answer = responses[response.status];
  assert(answer !== undefined, `${operationId} answers ${response.status}, which is not described`);
  const { headers, content = {} } = follow<ResponseObject>(api, answer);
  checkHeaders(headers, response);
  const text = await response.text();
  const mediaType = response.headers.get("content-type")?.split(";")[0];
  if (mediaType === undefined) assertEquals([content, text], [{}, ""]);
  if (mediaType === undefined) return {};
  const media = content[mediaType];
  assert(media !== undefined, `${operationId} answers ${mediaType}, which is not described`);
  if (mediaType !== JSON_TYPE && mediaType !== PROBLEM_TYPE) return {};
  const value = JSON.parse(text);
  assertValid(value, media.schema.$ref ?? media.schema);
  if (media.example !== undefined) assertEquals(hideDifferent(value), hideDifferent(media.example));
  return value;
}

function checkHeaders(described: ResponseObject["headers"], response: Response): void {
  const ofPages = response.headers.get("content-type")?.startsWith("text/html");
  const unlisted = ["content-type", "connection", "content-length"];
  const names = Object.keys(described).map((name) => name.toLowerCase());
  const sent = [...response.headers.keys()].filter((name) => !unlisted.includes(name));
  if (!ofPages) assertEquals(sent.filter((name) => !names.includes(name)), []);
  for (const name of ["x-request-id", "cache-control", "x-content-type-options"]) {
    assert(names.includes(name) && sent.includes(name));
  }
}

/** A problem that was brought about at an operation. */
interface Provoked {
  readonly operationId: string;
  readonly response: Response;
}

function provoke(operationId: string, call: Call = {}, handler?: Handler): Promise<Provoked> {
  return provokeWith(operationId, requestOf(api, find(operationId), call), handler);
}

async function provokeWith(
  operationId: string,
  request: Request,
  handler = createTestHandler(),
): Promise<Provoked> {
  return { operationId, response: await handler(request) };
}

function putForm(
  body: BodyInit,
  contentType = FORM,
  rest: Readonly<Record<string, string>> = {},
): Request {
  const authorization = `Bearer ${OPERATOR_KEY}`;
  const headers = { "Authorization": authorization, "Content-Type": contentType, ...rest };
  return new Request(`http://localhost${SUBSCRIBE_PATH}`, { method: "PUT", headers, body });
}

function find(operationId: string): Endpoint {
  const described = all.find(({ operation }) => operation.operationId === operationId);
  if (described === undefined) throw new Error(`${operationId} is not described`);
  return described;
}

function assertValid(value: unknown, schema: unknown): void {
  const definition = typeof schema === "string" ? { $ref: `api${schema}` } : absolute(schema);
  const validate = ajv.compile(definition as Record<string, unknown>);
  assert(validate(value), ajv.errorsText(validate.errors));
}

// References are relative to the description, which has another name here.
function absolute(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/'));
}

function hideDifferent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, inner) => DIFFERENT.includes(name) ? "…" : inner));
}

function brokenStorage(error: Error): Storage {
  return { ...openMemoryStorage(), get: () => Promise.reject(error) };
}
