import type { Brand } from "../model/brand.ts";
import { createDeadlines } from "../model/deadlines.ts";
import { KeyEnded } from "../services/keys/api_keys.ts";
import { meterOf } from "../services/shared.ts";
import { createMailerCheck } from "../services/mailers.ts";
import { storeOf } from "../services/store.ts";
import { BODY_TIMEOUT_MS } from "./_http/body.ts";
import { createCors } from "./_http/cors.ts";
import {
  type Caller,
  checkScopes,
  createAuthenticator,
  INVALID_TOKEN,
} from "./_http/credentials.ts";
import { readInput } from "./_http/input.ts";
import { instant } from "../model/values/time.ts";
import { createReporter, type Exchange } from "./_http/log.ts";
import type { Operation } from "./_http/operation.ts";
import { remember } from "../model/lazy.ts";
import { createBrandReader, siteOf } from "./branded.ts";
import { routeModulesOf } from "./operations.ts";
import { optionDefault } from "../model/options.ts";
import { checkHandlerOptions, HANDLER_OPTIONS, type HandlerOptions } from "./options.ts";
import {
  Problem,
  type ProblemCode,
  problemReply,
  PROBLEMS,
  requestTimeout,
  unavailable,
} from "./_http/problem.ts";
import { createNoteReply } from "./public/_page/note_reply.ts";
import { createSessionAuthenticator, createSessionCookie } from "./_http/session.ts";
import { createRateLimiter } from "./_http/rate_limit.ts";
import { createResponse, isStream, onEnd, type Reply, whileAllowed } from "./_http/reply.ts";
import { createRouter } from "./_http/router.ts";

/** Answers a request, and never rejects. */
export type Handler = (request: Request) => Promise<Response>;

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const HELD_BACK_MS = 50;
const PUBLIC_PATH = /\/(?:changelog|preview|unsubscribe|subscribe|confirm)\/[^?#]/;
const NOBODY: Caller = { keyId: "", name: "", scopes: [], expiresAt: null };
const RATE_LIMITED = new Problem("rate_limited");

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
  checkHandlerOptions(options);
  const { signal, basePath = "", rateLimit = optionDefault(HANDLER_OPTIONS.rateLimit) } = options;
  const { clock = Date.now, createRequestId, operatorKey, corsOrigins = [], worker } = options;
  const onMessages = worker && (() => worker.wake("webhooks"));
  const storage = storeOf(options.storage, { onMessages });
  const hasWorker = worker !== undefined;
  const isMailed = createMailerCheck(storage, { hasWorker, elapsed: () => performance.now() });
  const hasMail = () => worker?.sendTest === undefined ? isMailed() : Promise.resolve(true);
  const now = () => instant(clock());
  // This clock is monotonic, unless the caller has provided another.
  const elapsedMs = () => Math.floor(options.clock?.() ?? performance.now());
  const brand = createBrandReader(storage, options, clock);
  const noteReplyOf = remember((shown: Brand) => {
    const site = siteOf(options, shown);
    return Promise.resolve(site && createNoteReply(site));
  });
  const route = createRouter(basePath, routeModulesOf(options, brand));
  const authenticate = createAuthenticator(storage, { operatorKey, now });
  const authenticateSession = createSessionAuthenticator(storage, {
    cookie: createSessionCookie(storage, {
      isSecure: options.publicUrl?.startsWith("https:") === true,
    }),
    now,
  });
  const takeRequest = rateLimit === false ? undefined : createRateLimiter(rateLimit);
  const addCors = corsOrigins.length > 0 ? createCors(corsOrigins) : undefined;
  const report = createReporter(options.log, meterOf(storage));
  const { bodyTimeoutMs = BODY_TIMEOUT_MS } = options;
  const deadlines = createDeadlines(bodyTimeoutMs, {
    now: () => performance.now(),
    refuse: () => requestTimeout(bodyTimeoutMs),
    signal,
  });
  const limits = { deadlines, signal, clock: now };

  function identify({ headers }: Request): string {
    const brought = headers.get("x-request-id");
    if (brought !== null && REQUEST_ID.test(brought)) return brought;
    if (createRequestId === undefined) return crypto.randomUUID();
    const made = createRequestId();
    if (typeof made === "string" && REQUEST_ID.test(made)) return made;
    throw new TypeError(`createRequestId made "${made}", which is not 1 to 64 of A-Za-z0-9._-`);
  }

  /** Identifies the caller by the API key or, in the API alone, by the session of a member. */
  async function identifyCaller({ request, match }: Exchange): Promise<Caller | Problem> {
    const found = await authenticate(request.headers.get("authorization"));
    // A proxy that asks for a password makes browsers send a header of another scheme.
    const hasKey = !(found instanceof Problem) || found.code !== "missing_credentials";
    if (hasKey || !match?.path.startsWith("/api/v1/")) return found;
    return await authenticateSession(request) ?? found;
  }

  /** Returns the caller, if its key grants the scopes and is within the rate limit. */
  async function admit(operation: Operation, exchange: Exchange): Promise<Caller | Problem> {
    const { scope, alsoScopes = [] } = operation;
    if (scope === undefined) return NOBODY;
    const caller = await identifyCaller(exchange);
    if (caller instanceof Problem) return caller;
    exchange.keyId = caller.keyId;
    const lacking = checkScopes(caller, scope === "any" ? alsoScopes : [scope, ...alsoScopes]);
    if (lacking !== undefined) return lacking;
    if (takeRequest === undefined) return caller;
    // The limit counts from this moment, because other requests may have been admitted during the
    // look-up of the key.
    const { allowed, headers } = takeRequest(caller.keyId, elapsedMs());
    exchange.rateHeaders = headers;
    return allowed ? caller : RATE_LIMITED;
  }

  async function perform(exchange: Exchange): Promise<Reply | Problem> {
    const { request } = exchange;
    exchange.requestId = identify(request);
    const match = await route(request);
    if (match instanceof Problem) return match;
    exchange.match = match;
    const operation = match.operations.get(request.method);
    if (operation === undefined) return replyToOtherMethod(request.method, match.allow);
    const caller = await admit(operation, exchange);
    if (caller instanceof Problem) return caller;
    const [param = ""] = match.params;
    const refused = operation.admit && await operation.admit({ request, storage, param });
    if (refused !== undefined) return refused;
    const input = await readInput(exchange, operation, limits);
    if (input instanceof Problem) return input;

    async function checkKey(): Promise<void> {
      if (caller === NOBODY) return;
      const found = await identifyCaller(exchange);
      if (found instanceof Problem) throw new KeyEnded();
    }

    // A client that holds its body back must not act with a key that was revoked meanwhile.
    if (exchange.isBodyLate && isHeldBack(exchange)) await checkKey();
    const outcome = await operation.run({
      request,
      storage,
      now: now(),
      caller,
      param,
      params: match.params,
      query: input.query,
      body: input.body,
      chunks: whileAllowed(input.chunks, checkKey),
      checkKey,
      clock: now,
      basePath,
      worker,
      hasMail,
      signal,
      // Deno prints a warning when a handler reads this signal, so only long operations do.
      isGone: () => request.signal.aborted,
      warn: (warning) => exchange.warning = warning,
    });
    if (typeof outcome === "string") return new Problem(outcome);
    if (outcome instanceof Problem) return outcome;
    // A search may take so long that its key ends meanwhile. A change is reported in any case,
    // because it has been made.
    if (request.method === "GET" && isHeldBack(exchange)) await checkKey();
    // The report of an import is sent even if the key has ended, because it tells how far it got.
    const isGuarded = caller !== NOBODY && operation.streams === undefined;
    return isGuarded && isStream(outcome.body)
      ? { ...outcome, body: whileAllowed(outcome.body, checkKey) }
      : outcome;
  }

  async function replyTo(problem: Problem, exchange: Exchange): Promise<Reply> {
    const { requestId } = exchange;
    const { code, headers } = problem;
    if (!isForPeople(exchange, code)) return problemReply(problem, requestId);
    const [status] = PROBLEMS[code];
    try {
      const showNote = await noteReplyOf(await brand());
      if (showNote === undefined) return problemReply(problem, requestId);
      const reply = await showNote(storage, status, (notes) => notes.problem(status));
      return { ...reply, headers: { ...headers, ...reply.headers } };
    } catch (error) {
      // The page has settings, which are in storage.
      return problemReply(toProblem(error), requestId);
    }
  }

  function respond({ request, requestId, rateHeaders }: Exchange, reply: Reply): Response {
    const response = createResponse(request.method, reply, {
      "X-Request-Id": requestId,
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-store",
      ...rateHeaders,
    });
    addCors?.(request, response.headers);
    return response;
  }

  return async function handle(request) {
    const exchange: Exchange = {
      request,
      startedMs: performance.now(),
      requestId: "",
      isBodyLate: false,
      match: undefined,
      keyId: null,
      rateHeaders: undefined,
      error: undefined,
      warning: undefined,
    };
    let outcome: Reply | Problem;
    try {
      outcome = await perform(exchange);
    } catch (error) {
      outcome = error instanceof Problem ? error : toProblem(error);
      exchange.requestId ||= crypto.randomUUID();
      if (outcome !== error && outcome !== INVALID_TOKEN) {
        exchange.error = error ?? new Error(`${error} was thrown`);
      }
    }
    const reply = outcome instanceof Problem ? await replyTo(outcome, exchange) : outcome;
    const { status, body } = reply;
    if (!isStream(body) || request.method === "HEAD") {
      report(exchange, status);
      return respond(exchange, reply);
    }
    const reported = onEnd(body, (cause) => {
      const isExpected = cause instanceof Problem || cause instanceof KeyEnded;
      exchange.error = isExpected ? undefined : cause;
      report(exchange, status);
    });
    return respond(exchange, { ...reply, body: reported });
  };
}

/**
 * Tells whether a request is for a page or, if nothing matches its path, whether a browser sent it.
 */
function isForPeople({ request, match }: Exchange, code: ProblemCode): boolean {
  const { method, url, headers } = request;
  const isBrowser = headers.get("accept")?.includes("text/html") === true;
  if (match !== undefined) {
    const [first] = match.operations.values();
    // Programs get a JSON problem if a page does not support the method or the sender.
    const operation = match.operations.get(method) ?? (isBrowser ? first : undefined);
    return operation?.isPage === true && (isBrowser || code !== "foreign_origin");
  }
  if (url.includes("/api/v1/")) return false;
  return PUBLIC_PATH.test(url) || isBrowser;
}

function isHeldBack({ startedMs }: Exchange): boolean {
  return performance.now() - startedMs > HELD_BACK_MS;
}

function replyToOtherMethod(method: string, allow: string): Reply | Problem {
  const headers = { Allow: allow };
  if (method === "OPTIONS") return { status: 204, headers };
  return new Problem("method_not_allowed", `This path allows ${allow}`, { headers });
}

function toProblem(error: unknown): Problem {
  // Compares the name, because an adapter may have imported the class from another copy of the
  // package.
  if ((error as { readonly name?: unknown } | null | undefined)?.name === "StorageError") {
    return unavailable();
  }
  return error instanceof KeyEnded ? INVALID_TOKEN : new Problem("internal_error");
}
