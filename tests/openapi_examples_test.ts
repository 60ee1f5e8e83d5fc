import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { Ajv2020 } from "ajv/2020";
import addFormats from "ajv-formats";
import { openMemoryStorage } from "../adapters/memory.ts";
import { type Storage, StorageError } from "../adapters/storage.ts";
import { issueKey } from "../model/issue_key.ts";
import type { Handler } from "../mod.ts";
import type { ExampleObject, ResponseObject } from "../routes/_openapi/types.ts";
import { type Endpoint, listEndpoints } from "../routes/_docs/operation.ts";
import { type Call, createTestHandler, follow, readApi, requestOf } from "./_openapi.ts";
import { OPERATOR_KEY, START } from "./_service.ts";

const FORM = "application/x-www-form-urlencoded";
const api = await readApi(createTestHandler());
const all = listEndpoints(api);

// An order in which every operation finds what its example speaks of.
const SESSION = [
  "createBoard",
  "getBoard",
  "listBoards",
  "updateBoard",
  "putSubscription",
  "getSubscriber",
  "listSubscribers",
  "createKey",
  "listKeys",
  "rotateKey",
  "revokeKey",
  "eraseSubscriber",
  "deleteBoard",
  "getLiveness",
  "getReadiness",
  "getOpenApi",
  "getDocs",
];
// What is drawn at random, and so can't be as in the example.
const RANDOM = ["keyId", "key", "hint"];

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
    const { key, text } = await issueKey(
      { name: "Reader", scopes: ["boards:read"], expiresAt: null },
      START,
    );
    await storage.apiKeys.create(key);
    return provoke("deleteBoard", { key: text }, createTestHandler({ storage }));
  },
  not_found: () => provokeWith("getLiveness", new Request("http://localhost/livez/")),
  board_not_found: () => provoke("getBoard"),
  subscriber_not_found: () => provoke("getSubscriber"),
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

describe("The examples described", () => {
  it("are those of every operation", () => {
    const described = all.map(({ operation }) => operation.operationId).sort();
    assertEquals([...SESSION].sort(), described, "SESSION of this file is to name each");
  });

  for (const mediaType of [FORM, "application/json"]) {
    it(`are answered as described when sent as ${mediaType}`, async () => {
      const handler = createTestHandler();
      let keyId = "";
      for (const operationId of SESSION) {
        const described = find(operationId);
        const example = described.operation.requestBody?.content[mediaType].example as
          | Call["json"]
          | undefined;
        const call = mediaType === FORM ? { form: example } : { json: example };
        const response = await handler(requestOf(api, described, { ...call, params: { keyId } }));
        const content = await checkAnswer(described, response);
        if (operationId === "createKey") keyId = (content as { readonly keyId: string }).keyId;
      }
    });
  }

  it("match their schemas", () => {
    for (const [name, { examples = [] }] of Object.entries(api.components.schemas)) {
      for (const example of examples) assertValid(example, `#/components/schemas/${name}`);
    }
  });

  it("are there for every problem code", () => {
    const codes = api.components.schemas.Problem.properties?.code.enum;
    assertEquals(Object.keys(api.components.examples), codes);
    assertEquals(Object.keys(PROVOCATIONS), codes, "PROVOCATIONS of this file is to have each");
  });

  for (const [code, provoke] of Object.entries(PROVOCATIONS)) {
    it(`of ${code} read as the problem does`, async () => {
      const { operationId, response } = await provoke();
      const content = await checkAnswer(find(operationId), response);
      const { value } = api.components.examples[code];
      const { requestId } = content as { readonly requestId: string };
      assertEquals(requestId, response.headers.get("x-request-id"));
      assertEquals(content, { ...value as ExampleObject, requestId });
    });
  }
});

/** Checks the status, headers and content of an answer against what is described. */
async function checkAnswer(described: Endpoint, response: Response): Promise<unknown> {
  const { responses, operationId } = described.operation;
  const answer = responses[response.status];
  assert(answer !== undefined, `${operationId} answers ${response.status}, which is not described`);
  const { headers, content = {} } = follow<ResponseObject>(api, answer);
  checkHeaders(headers, response);
  const [[mediaType, media] = []] = Object.entries(content);
  const text = await response.text();
  assertEquals(response.headers.get("content-type")?.split(";")[0], mediaType);
  if (mediaType === undefined || media === undefined) return assertEquals(text, "");
  if (mediaType === "text/html") return undefined;
  const value = JSON.parse(text);
  assertValid(value, media.schema.$ref ?? media.schema);
  if (media.example !== undefined) assertEquals(hideRandom(value), hideRandom(media.example));
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

function putForm(body: BodyInit, contentType = FORM): Request {
  return new Request("http://localhost/api/v1/changelogs/subscribe", {
    method: "PUT",
    headers: { "Authorization": `Bearer ${OPERATOR_KEY}`, "Content-Type": contentType },
    body,
  });
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

function hideRandom(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, inner) => RANDOM.includes(name) ? "…" : inner));
}

function brokenStorage(error: Error): Storage {
  const storage = openMemoryStorage();
  storage.boards.get = () => Promise.reject(error);
  return storage;
}
