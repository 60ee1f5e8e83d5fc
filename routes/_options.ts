import type { Storage } from "../adapters/storage.ts";
import { parseOperatorKey } from "../model/api_key.ts";
import type { Entry } from "../model/entry.ts";
import type { SendOutcome } from "../model/mail_outcome.ts";
import { checkFunctions, checkOptionNames } from "../model/option_names.ts";
import { parseName } from "../model/name.ts";
import { checkPublicUrl } from "../model/public_site.ts";
import { Refusal } from "../model/refusal.ts";
import { readWebhookAllow } from "../model/webhook_url.ts";
import { isOrigin } from "./_cors.ts";
import type { RateLimit } from "./_rate_limit.ts";

/** What the handler logs about a request: no personal data, secrets, queries or content. */
export interface LogEvent {
  /** `error` if the service is at fault. */
  readonly level: "info" | "error";
  /** The value of `X-Request-Id`. */
  readonly requestId: string;
  /** The method; `_OTHER` if the API has none like it (OpenTelemetry semantic conventions for HTTP). */
  readonly method: string;
  /** The path as it was declared, like `/api/v1/boards/:boardId`; `null` if there is none. */
  readonly route: string | null;
  /**
   * The identifier of the caller's key, which is not secret; `operator` for the operator's own
   * key, and `null` if no key was needed or accepted.
   */
  readonly keyId: string | null;
  /** The status of the response. */
  readonly status: number;
  /** How long the answer took, in milliseconds. */
  readonly durationMs: number;
  /** What was thrown, for `error`. */
  readonly error?: unknown;
}

/** What the handler asks of a worker in its process. */
export interface HandlerWorker {
  /** Has it look for what is due. */
  wake(): void;
  /** Has it mail an entry to one address alone. Rejects if the relay can't be used. Absent: no mail. */
  readonly sendTest?: ((entry: Entry, userEmail: string) => Promise<SendOutcome>) | undefined;
}

/** Options of {@linkcode createHandler}. */
export interface HandlerOptions {
  /** Where records are kept. The handler does not close it. */
  readonly storage: Storage;
  /** The path under which the handler is mounted, like `/feedback`. Default: none. */
  readonly basePath?: string | undefined;
  /**
   * The address of the service as the world sees it, like `https://example.com/feedback`. With it,
   * the changelog is public under `/changelog`. Default: none, and no public pages.
   */
  readonly publicUrl?: string | undefined;
  /** The title of the public changelog. Default: `Changelog`. */
  readonly title?: string | undefined;
  /**
   * A worker that was created on the same storage: it is told what was published, and sends test mails.
   * Default: none, and no test mails.
   */
  readonly worker?: HandlerWorker | undefined;
  /** Requests per key, or `false` for no limit. Default: 100 requests/s with a burst of 200. */
  readonly rateLimit?: RateLimit | false | undefined;
  /** The origins that browsers may call from, like `https://app.example.com`. Default: none. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Hosts and ports that webhooks may use though they are not public, like `localhost:9000`. */
  readonly webhookAllow?: readonly string[] | undefined;
  /** A key that the operator chooses; it holds every scope and is never stored. Default: none. */
  readonly operatorKey?: string | undefined;
  /** How long a body may take to arrive, in milliseconds. Default: 10,000. */
  readonly bodyTimeoutMs?: number | undefined;
  /**
   * Abort it when the server is about to stop: `/readyz` then answers 503, and so does a request whose
   * body the stop cuts off.
   */
  readonly signal?: AbortSignal | undefined;
  /** Called once per request, when the response is known. Default: nothing is logged. */
  readonly log?: ((event: LogEvent) => void) | undefined;
  /** The time, in milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: (() => number) | undefined;
  /**
   * Creates the ids of requests that bring none, each of 1 to 64 characters of `A-Za-z0-9._-`.
   * Default: a random UUID.
   */
  readonly createRequestId?: (() => string) | undefined;
}

// Its type makes an error of types of an option that is left out.
const OPTIONS: Readonly<Record<keyof HandlerOptions, true>> = {
  storage: true,
  basePath: true,
  publicUrl: true,
  title: true,
  worker: true,
  rateLimit: true,
  corsOrigins: true,
  webhookAllow: true,
  operatorKey: true,
  bodyTimeoutMs: true,
  signal: true,
  log: true,
  clock: true,
  createRequestId: true,
};
const STORAGE_METHODS = ["get", "list", "transact", "ping"] as const;
const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/;
// A longer timer fires at once.
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Throws a `TypeError` or `RangeError` for options that can't work. */
export function checkOptions(options: HandlerOptions): void {
  const { storage, basePath = "", corsOrigins = [], operatorKey, signal } = options ?? {};
  const { rateLimit = false, bodyTimeoutMs = 1 } = options ?? {};
  if (STORAGE_METHODS.some((name) => typeof storage?.[name] !== "function")) {
    throw new TypeError("Cannot use storage: give what an adapter opened, awaited");
  }
  checkOptionNames(options, Object.keys(OPTIONS));
  if (typeof basePath !== "string" || !BASE_PATH.test(basePath)) {
    const remark = basePath === "/"
      ? "leave it out to mount at the root"
      : "write it like /feedback";
    throw new TypeError(`Cannot use basePath "${basePath}": ${remark}`);
  }
  if (options.publicUrl !== undefined) checkPublicUrl(options.publicUrl);
  const title = options.title === undefined ? "" : parseName(`${options.title}`);
  if (title instanceof Refusal) throw new TypeError(`Cannot use title: it ${title.detail}`);
  if (!Array.isArray(corsOrigins)) {
    throw new TypeError("Cannot use corsOrigins: give an array of origins");
  }
  for (const origin of corsOrigins) {
    if (!isOrigin(origin)) {
      throw new TypeError(`Cannot use origin "${origin}": write it like https://app.example.com`);
    }
  }
  readWebhookAllow(options.webhookAllow);
  if (operatorKey !== undefined && typeof operatorKey !== "string") {
    throw new TypeError("Cannot use operatorKey: give a string");
  }
  const key = operatorKey === undefined ? "" : parseOperatorKey(operatorKey);
  if (key instanceof Refusal) throw new TypeError(`Cannot use operatorKey: it ${key.detail}`);
  if (signal !== undefined && typeof signal?.aborted !== "boolean") {
    throw new TypeError("Cannot use signal: give an AbortSignal");
  }
  const { worker } = options;
  if (worker !== undefined && typeof worker?.wake !== "function") {
    throw new TypeError("Cannot use worker: give what createWorker returned");
  }
  checkFunctions(options, ["log", "clock", "createRequestId"]);
  if (rateLimit !== false && !(isCount(rateLimit?.requests) && isCount(rateLimit.windowSeconds))) {
    throw new RangeError("Cannot use rateLimit: it needs whole requests and windowSeconds from 1");
  }
  if (!(Number.isFinite(bodyTimeoutMs) && bodyTimeoutMs > 0 && bodyTimeoutMs <= MAX_TIMER_MS)) {
    throw new RangeError(`Cannot use bodyTimeoutMs: it must be above 0 and up to ${MAX_TIMER_MS}`);
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}
