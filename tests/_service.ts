import "./_environment.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Scope } from "../model/api_key.ts";
import {
  createHandler,
  type Handler,
  type HandlerOptions,
  openMemoryStorage,
  type Storage,
} from "../mod.ts";
import { createKey } from "../services/api_keys.ts";

/** When the clock of a service under test starts. */
export const START = "2026-11-21T10:00:00.000Z";
/** The key with which requests are sent unless another is chosen. */
export const OPERATOR_KEY = "operators-own-key-0123456789";

/** What a request has beside its method and path. */
export interface Sent {
  /** The API key; `null` for none. Default: the operator's. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: BodyInit;
}

/** A service in memory, with a clock of its own. */
export interface TestService {
  readonly handler: Handler;
  readonly storage: Storage;
  /** Sends a request; `path` starts with a slash. */
  send(method: string, path: string, sent?: Sent): Promise<Response>;
  /** Creates a key of these scopes and returns its secret. */
  createKey(
    scopes: readonly Scope[],
    rest?: { expiresAt?: string; name?: string },
  ): Promise<string>;
  /** Moves the clock on. */
  advance(durationMs: number): void;
}

/** Creates a service to be tested through its handler; there is no rate limit by default. */
export function createService(options: Partial<HandlerOptions> = {}): TestService {
  const storage = options.storage ?? openMemoryStorage();
  let nowMs = Date.parse(START);
  let requests = 0;
  const handler = createHandler({
    operatorKey: OPERATOR_KEY,
    rateLimit: false,
    clock: () => nowMs,
    createRequestId: () => `request-${++requests}`,
    ...options,
    storage,
  });
  return {
    handler,
    storage,
    advance(durationMs) {
      nowMs += durationMs;
    },
    send: (method, path, sent = {}) => handler(createRequest(method, path, sent)),
    async createKey(scopes, { expiresAt, name = "Key" } = {}) {
      const at = new Date(nowMs).toISOString();
      const request = { name, scopes, expiresAt: expiresAt ?? null };
      return (await createKey(storage, request, at)).secret;
    },
  };
}

function createRequest(method: string, path: string, sent: Sent): Request {
  const headers = new Headers(sent.headers);
  const key = sent.key === undefined ? OPERATOR_KEY : sent.key;
  if (key !== null) headers.set("authorization", `Bearer ${key}`);
  if (sent.json !== undefined) headers.set("content-type", "application/json");
  const body = sent.json !== undefined
    ? JSON.stringify(sent.json)
    : sent.form !== undefined
    ? new URLSearchParams(sent.form)
    : sent.body;
  return new Request(`http://localhost${path}`, { method, headers, body });
}

/** A problem as callers see it. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
  readonly errors?: readonly { field: string; code: string; detail: string }[];
}

/** Checks that a response is a well-formed problem of this status and code. */
export async function assertProblem(
  response: Response,
  status: number,
  code: string,
): Promise<Problem> {
  const text = await response.text();
  assertEquals([response.status, response.headers.get("content-type")], [
    status,
    "application/problem+json",
  ], text);
  const problem: Problem = JSON.parse(text);
  assertEquals([problem.code, text.at(-1)], [code, "\n"], text);
  assertWellFormed(problem, response);
  return problem;
}

/** Checks the members of a problem and the headers that every response has. */
export function assertWellFormed(problem: Problem, response: Response): void {
  assertCommonHeaders(response);
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
  assertEquals(found.length, Object.keys(expected).length);
  return problem;
}

/** Checks the status, the media type and the line break at the end, and returns the content. */
export async function readJson<T = Record<string, unknown>>(
  response: Response,
  status = 200,
): Promise<T> {
  const text = await response.text();
  assertEquals(response.status, status, text);
  assertEquals([response.headers.get("content-type"), text.at(-1)], ["application/json", "\n"]);
  return JSON.parse(text);
}
