import { grantsScope, type Scope } from "../model/api_key.ts";
import { DEFAULT_TITLE } from "../model/public_site.ts";
import { readWebhookAllow } from "../model/webhook_url.ts";
import { BODY_TIMEOUT_MS, MAX_BODY_BYTES, readBody } from "./_body.ts";
import { createCors } from "./_cors.ts";
import { type Caller, createAuthenticator, insufficientScope } from "./_credentials.ts";
import type { Fields, Values } from "./_fields.ts";
import { instant } from "./_instant.ts";
import type { Operation } from "./_operation.ts";
import { checkOptions, type HandlerOptions } from "./_options.ts";
import { Problem, problemReply, unavailable } from "./_problem.ts";
import { joinProblems, readQuery } from "./_query.ts";
import { createRateLimiter, DEFAULT_RATE_LIMIT } from "./_rate_limit.ts";
import type { Reply } from "./_reply.ts";
import { createResponse, isStream, onEnd } from "./_response.ts";
import { createRouter, type Match } from "./_router.ts";
import { openStream } from "./_stream.ts";
import { boardOperations } from "./boards.ts";
import { changelogOperations } from "./changelog.ts";
import { entryOperations } from "./entries.ts";
import { healthOperations } from "./health.ts";
import { importOperation } from "./import.ts";
import { keyOperations } from "./keys.ts";
import { publicationOperations } from "./publication.ts";
import { withReference } from "./reference.ts";
import { subscriptionOperations } from "./subscriptions.ts";
import { unsubscribeOperations } from "./unsubscribe.ts";
import { webhookOperations } from "./webhooks.ts";

/** Answers a request, and never rejects. */
export type Handler = (request: Request) => Promise<Response>;

const FIXED_OPERATIONS: readonly Operation[] = [
  ...boardOperations,
  // Before the path of one subscriber, which would fit as well.
  importOperation,
  ...subscriptionOperations,
  ...entryOperations,
  ...publicationOperations,
  ...keyOperations,
  ...healthOperations,
];
// What else a client sends as its method is its own word, and may be part of another one's body.
const METHODS = new Set(["HEAD", "OPTIONS", ...FIXED_OPERATIONS.map(({ method }) => method)]);
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const NOBODY: Caller = { keyId: "", scopes: [] };
const NO_VALUES: Values<Fields> = {};
const NO_CHUNKS: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };
const BAD_HOST = new Problem("malformed_path", "The host of the request is invalid");
const RATE_LIMITED = new Problem("rate_limited", "The API key is over its rate limit");

/** What is known about a request while it is answered. */
interface Exchange {
  readonly request: Request;
  requestId: string;
  match: Match | undefined;
  keyId: string | null;
  rateHeaders: Readonly<Record<string, string>> | undefined;
  error: unknown;
}

/**
 * Creates the handler of the whole service on top of a storage. Throws a `TypeError` or
 * `RangeError` for invalid options.
 *
 * @example Usage
 * ```ts
 * import { createHandler, openMemoryStorage } from "@boardcast/boardcast";
 * import { assertEquals } from "@std/assert";
 *
 * const handler = createHandler({
 *   storage: openMemoryStorage(),
 *   operatorKey: "a-key-of-24-characters-or-more",
 * });
 * const response = await handler(
 *   new Request("http://localhost/api/v1/changelogs/subscribe", {
 *     method: "PUT",
 *     headers: { Authorization: "Bearer a-key-of-24-characters-or-more" },
 *     body: new URLSearchParams({ userEmail: "ann@example.com", subscribe: "true" }),
 *   }),
 * );
 * assertEquals(response.status, 200);
 * assertEquals((await response.json()).subscribed, true);
 * ```
 */
export function createHandler(options: HandlerOptions): Handler {
  checkOptions(options);
  const { storage, signal, log, basePath = "", rateLimit = DEFAULT_RATE_LIMIT } = options;
  const { clock = Date.now, createRequestId } = options;
  const route = createRouter(basePath, withReference(operationsOf(options), basePath));
  const { operatorKey } = options;
  const authenticate = createAuthenticator(storage, { operatorKey, now: () => instant(clock()) });
  const takeRequest = rateLimit === false ? undefined : createRateLimiter(rateLimit);
  const addCors = options.corsOrigins?.length ? createCors(options.corsOrigins) : undefined;
  const bodyTimeoutMs = options.bodyTimeoutMs ?? BODY_TIMEOUT_MS;
  const tellTime = () => instant(clock());

  function admit(caller: Caller, scope: Scope, exchange: Exchange): Problem | undefined {
    if (!grantsScope(caller.scopes, scope)) return insufficientScope([scope]);
    if (takeRequest === undefined) return undefined;
    // As of now: a look-up may have taken a while, in which others went on.
    const { allowed, headers } = takeRequest(caller.keyId, tellTime().ms);
    exchange.rateHeaders = headers;
    return allowed ? undefined : RATE_LIMITED;
  }

  function identify({ headers }: Request): string {
    const brought = headers.get("x-request-id");
    if (brought !== null && REQUEST_ID.test(brought)) return brought;
    if (createRequestId === undefined) return crypto.randomUUID();
    const made = createRequestId();
    if (typeof made === "string" && REQUEST_ID.test(made)) return made;
    throw new TypeError(`createRequestId made "${made}", which is not 1 to 64 of A-Za-z0-9._-`);
  }

  async function answer(exchange: Exchange): Promise<Reply | Problem> {
    const { request } = exchange;
    try {
      exchange.requestId = identify(request);
      const now = tellTime();
      const match = find(request);
      if (match instanceof Problem) return match;
      exchange.match = match;
      const operation = match.operations.get(request.method);
      if (operation === undefined) return answerOtherMethod(request.method, match.allow);
      const { scope, check } = operation;
      let caller: Caller | Problem = NOBODY;
      if (scope !== undefined) {
        caller = await authenticate(request.headers.get("authorization"));
        if (caller instanceof Problem) return caller;
        exchange.keyId = caller.keyId;
        const refused = admit(caller, scope, exchange);
        if (refused !== undefined) return refused;
      }
      const query = readQuery(request.url, operation);
      if (query instanceof Problem && query.errors === undefined) return query;
      const body = operation.body === undefined
        ? NO_VALUES
        : await readBody(request, operation.body, {
          timeoutMs: bodyTimeoutMs,
          signal,
          maxBytes: operation.maxBodyBytes ?? MAX_BODY_BYTES,
          optional: operation.bodyOptional,
          ignoresUnknown: operation.ignoresUnknown,
          check: check && ((values) => check(values, tellTime())),
        });
      if (body instanceof Problem) {
        return query instanceof Problem ? joinProblems(query, body) : body;
      }
      if (query instanceof Problem) return query;
      const chunks = operation.streams === undefined
        ? NO_CHUNKS
        : openStream(request, Object.keys(operation.streams), { timeoutMs: bodyTimeoutMs, signal });
      if (chunks instanceof Problem) return chunks;
      // A body may have taken a while: a change has the time at which it is made, and a key must not
      // have ended by then.
      const later = operation.body === undefined ? now : tellTime();
      if (later !== now && scope !== undefined) {
        caller = await authenticate(request.headers.get("authorization"));
        if (caller instanceof Problem) return caller;
      }
      return await operation.run({
        request,
        storage,
        now: later,
        caller,
        param: match.params[0] ?? "",
        params: match.params,
        query,
        body,
        chunks,
        clock: tellTime,
        basePath,
        worker: options.worker,
        signal,
      });
    } catch (error) {
      if (error instanceof Problem) return error;
      exchange.requestId ||= crypto.randomUUID();
      exchange.error = error ?? new Error(`${error} was thrown`);
      return toProblem(error);
    }
  }

  function find({ url, headers }: Request): Match | Problem {
    // Deno puts Host and path together as they came: what ends a host would hide the path.
    if (/[/?#\\]/.test(headers.get("host") ?? "")) return BAD_HOST;
    return route(url);
  }

  function respond({ request, requestId, rateHeaders }: Exchange, reply: Reply): Response {
    const headers: Record<string, string> = {
      "X-Request-Id": requestId,
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-store",
    };
    Object.assign(headers, rateHeaders, reply.headers);
    if (reply.contentType !== undefined) headers["Content-Type"] = reply.contentType;
    addCors?.(request, headers);
    return createResponse(request.method, reply, headers);
  }

  function report(exchange: Exchange, status: number, started: number): void {
    if (log === undefined) return;
    const { request, requestId, match, keyId, error } = exchange;
    try {
      const reported: unknown = log({
        level: error === undefined ? "info" : "error",
        requestId,
        method: METHODS.has(request.method) ? request.method : "_OTHER",
        route: match?.path ?? null,
        keyId,
        status,
        durationMs: performance.now() - started,
        error,
      });
      // A promise, of whatever realm.
      if (reported !== undefined) Promise.resolve(reported).catch(() => {});
    } catch {
      // What was done is done: a log that fails must not turn it into an error.
    }
  }

  return async function handle(request) {
    const started = log === undefined ? 0 : performance.now();
    const exchange: Exchange = {
      request,
      requestId: "",
      match: undefined,
      keyId: null,
      rateHeaders: undefined,
      error: undefined,
    };
    const outcome = await answer(exchange);
    const reply = outcome instanceof Problem ? problemReply(outcome, exchange.requestId) : outcome;
    const { status, body } = reply;
    if (!isStream(body) || request.method === "HEAD") {
      report(exchange, status, started);
      return respond(exchange, reply);
    }
    const reported = onEnd(body, (cause) => {
      const error = cause instanceof Problem ? undefined : cause;
      report({ ...exchange, error }, status, started);
    });
    return respond(exchange, { ...reply, body: reported });
  };
}

/** Returns the operations that the options ask for. */
function operationsOf(options: HandlerOptions): readonly Operation[] {
  const { publicUrl, title = DEFAULT_TITLE, webhookAllow } = options;
  const operations = [...FIXED_OPERATIONS, ...webhookOperations(readWebhookAllow(webhookAllow))];
  if (publicUrl === undefined) return operations;
  const site = { publicUrl, title };
  return [...operations, ...changelogOperations(site), ...unsubscribeOperations(site)];
}

function answerOtherMethod(method: string, allow: string): Reply | Problem {
  if (method === "OPTIONS") return { status: 204, headers: { Allow: allow } };
  return new Problem("method_not_allowed", `This path allows ${allow}`, {
    headers: { Allow: allow },
  });
}

function toProblem(error: unknown): Problem {
  // By its name, as an adapter may have it from another copy of the package.
  if ((error as { readonly name?: unknown } | null | undefined)?.name === "StorageError") {
    return unavailable("Storage can't do this at the moment; try again");
  }
  return new Problem("internal_error", "Something went wrong; the log has details");
}
