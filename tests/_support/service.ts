import "./environment.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Scope } from "../../model/keys/api_key.ts";
import { createHandler, openMemoryStorage } from "../../mod.ts";
import type { Handler, HandlerOptions, LogEvent, Storage } from "../../mod.ts";
import { createKey } from "../../services/keys/api_keys.ts";
import { registerMailer } from "../../services/mailers.ts";
import { forEachRow } from "./rows.ts";

/** The start time of the clock of a service under test. */
export const START = "2026-11-21T10:00:00.000Z";
/** The default key of requests. */
export const OPERATOR_KEY = "operators-own-key-0123456789";
export const FORM = "application/x-www-form-urlencoded";
export const JSON_TYPE = "application/json";
/** A form that subscribes. */
export const VALID_FORM = "userEmail=ann%40example.com&subscribe=true";

/** The parts of a request besides its method and path: a form, JSON, or a raw body. */
export interface Sent {
  /** The API key; `null` for none. Default: the operator's. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: BodyInit;
}

/** A service in memory, with a clock of its own. */
export interface TestService {
  readonly handler: Handler;
  readonly storage: Storage;
  /** The logged events, unless a log was given. */
  readonly events: readonly LogEvent[];
  /** Sends a request. A path without a leading slash is relative to `/api/v1/`. */
  send(method: string, path: string, sent?: Sent): Promise<Response>;
  /** Sends fields as JSON, and returns the content of the response, which must be a success. */
  call<T = Record<string, unknown>>(method: string, path: string, json?: unknown): Promise<T>;
  /** Creates a key with these scopes and returns its secret. */
  createKey(scopes: readonly Scope[], expiresAt?: string): Promise<string>;
  /** Moves the clock on. */
  advance(durationMs: number): void;
}

/** Creates a service to be tested through its handler; there is no rate limit by default. */
export function createService(
  { isMailed = true, ...options }: Partial<HandlerOptions> & {
    /** Whether a mailer is configured. Default: `true`. */
    readonly isMailed?: boolean;
  } = {},
): TestService {
  const storage = options.storage ?? openMemoryStorage();
  const events: LogEvent[] = [];
  let nowMs = Date.parse(START);
  let requests = 0;
  const handler = createHandler({
    operatorKey: OPERATOR_KEY,
    rateLimit: false,
    clock: () => nowMs,
    createRequestId: () => `request-${++requests}`,
    log: (event) => void events.push(event),
    ...options,
    storage,
  });
  if (isMailed) registerMailer(storage);
  const send: TestService["send"] = (method, path, sent = {}) =>
    handler(createRequest(method, path, sent));
  return {
    handler,
    storage,
    events,
    send,
    async call(method, path, json) {
      const response = await send(method, path, { json });
      // A problem has another media type.
      return await readJson(response, response.status);
    },
    advance(durationMs) {
      nowMs += durationMs;
    },
    async createKey(scopes, expiresAt) {
      const request = { name: "Key", scopes, expiresAt: expiresAt ?? null };
      return (await createKey(storage, request, new Date(nowMs).toISOString())).secret;
    },
  };
}

function createRequest(method: string, path: string, sent: Sent): Request {
  const { key = OPERATOR_KEY, json, form } = sent;
  const headers = new Headers(sent.headers);
  if (key !== null) headers.set("authorization", `Bearer ${key}`);
  if (json !== undefined) headers.set("content-type", JSON_TYPE);
  const fields = json === undefined ? form && new URLSearchParams(form) : JSON.stringify(json);
  const target = path.startsWith("/") ? path : `/api/v1/${path}`;
  return new Request(`http://localhost${target}`, { method, headers, body: fields ?? sent.body });
}

/** Sends a body to the subscribe operation of a new service. */
export function put(
  body: BodyInit,
  contentType = FORM,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const sent = { body, headers: { "content-type": contentType, ...headers } };
  return createService().send("PUT", "changelogs/subscribe", sent);
}

/** The members of a problem that tests read. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
  readonly errors?: readonly { field: string; code: string; detail: string }[];
}

/** Summarises a response: `204`, `404 board_not_found` or `422 name:required url:too_long`. */
export async function outcomeOf(response: Response): Promise<string> {
  if (response.status < 400) {
    await response.body?.cancel();
    return `${response.status}`;
  }
  const { status, code, errors } = assertWellFormed(await response.json(), response);
  return [status, ...(errors?.map(({ field, code }) => `${field}:${code}`) ?? [code])].join(" ");
}

/** Checks the outcome of each call in a table. */
export function assertOutcomes(
  { send }: Pick<TestService, "send">,
  rows: Iterable<readonly [method: string, path: string, sent: Sent, outcome: string]>,
): Promise<void> {
  return forEachRow(rows, async ([method, path, sent, outcome]) => {
    assertEquals(await outcomeOf(await send(method, path, sent)), outcome);
  });
}

/** Checks that a response is a problem of this status and code. */
export async function assertProblem(
  response: Response,
  status: number,
  code: string,
): Promise<Problem> {
  const problem = assertWellFormed(await response.json(), response);
  assertEquals([problem.status, problem.code], [status, code]);
  return problem;
}

/** Checks the members of a problem and the headers that it has. */
export function assertWellFormed(
  problem: Problem & { readonly type?: string; readonly title?: string },
  response: Response,
): Problem {
  assertCommonHeaders(response);
  assertEquals(response.headers.get("content-type"), "application/problem+json");
  const { type, title, status, code, detail, requestId, errors, ...rest } = problem;
  assertEquals(rest, {});
  assertEquals([type, status], ["about:blank", response.status]);
  assertEquals(requestId, response.headers.get("x-request-id"));
  for (const text of [title, code, detail]) assert(typeof text === "string" && text !== "");
  assertEquals(errors !== undefined, status === 422);
  for (const error of errors ?? []) {
    assertEquals(Object.keys(error).sort(), ["code", "detail", "field"]);
    assert(error.detail.startsWith(error.field), error.detail);
  }
  return problem;
}

/** Checks the headers that every response has. */
export function assertCommonHeaders({ headers }: Response): void {
  assertMatch(headers.get("x-request-id") ?? "", /^[A-Za-z0-9._-]{1,64}$/);
  assertEquals(headers.get("x-content-type-options"), "nosniff");
  assert(headers.has("cache-control"));
}

/** Checks that a response names exactly these fields, with these codes. */
export async function assertRefused(
  response: Response,
  expected: Readonly<Record<string, string>>,
): Promise<Problem> {
  const problem = await assertProblem(response, 422, "validation_failed");
  const found = (problem.errors ?? []).map(({ field, code }) => [field, code]);
  assertEquals(Object.fromEntries(found), expected);
  return problem;
}

/** Checks the status and the media type, and returns the content. */
export async function readJson<T = Record<string, unknown>>(
  response: Response,
  status = 200,
): Promise<T> {
  const text = await response.text();
  assertEquals([response.status, response.headers.get("content-type")], [status, JSON_TYPE], text);
  return JSON.parse(text);
}
