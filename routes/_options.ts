import type { Storage } from "../adapters/storage.ts";
import { parseOperatorKey } from "../model/api_key.ts";
import { Refusal } from "../model/refusal.ts";
import { isOrigin } from "./_cors.ts";
import type { RateLimit } from "./_rate_limit.ts";

/** What the handler tells about a request: nothing personal, no key, no query, no content. */
export interface LogEvent {
  /** `error` where the service is at fault. */
  readonly level: "info" | "error";
  /** The value of `X-Request-Id`. */
  readonly requestId: string;
  /** The method. */
  readonly method: string;
  /** The path as it was declared, like `/api/v1/boards/:boardId`; `null` if there is none. */
  readonly route: string | null;
  /** The status of the response. */
  readonly status: number;
  /** How long the answer took, in milliseconds. */
  readonly durationMs: number;
  /** What was thrown, for `error`. */
  readonly error?: unknown;
}

/** Options of {@linkcode createHandler}. */
export interface HandlerOptions {
  /** Where records are kept. The handler does not close it. */
  readonly storage: Storage;
  /** The path under which the handler is mounted, like `/feedback`. Default: none. */
  readonly basePath?: string;
  /** Requests per key, or `false` for no limit. Default: 100 requests/s with a burst of 200. */
  readonly rateLimit?: RateLimit | false;
  /** The origins that browsers may call from, like `https://app.example.com`. Default: none. */
  readonly corsOrigins?: readonly string[];
  /** A key of the operator's own, which holds every scope and is never stored. Default: none. */
  readonly operatorKey?: string;
  /** How long a body may take to arrive, in milliseconds. Default: 10,000. */
  readonly bodyTimeoutMs?: number;
  /** Aborted when the server is about to stop: `/readyz` then answers 503. */
  readonly signal?: AbortSignal;
  /** Called after each response. Default: nothing is logged. */
  readonly log?: (event: LogEvent) => void;
  /** The time, in milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: () => number;
  /** Creates the identifiers of requests that bring none. Default: `crypto.randomUUID`. */
  readonly createRequestId?: () => string;
}

const BASE_PATH = /^(?:\/[A-Za-z0-9._~-]+)*$/;

/** Throws a `TypeError` or `RangeError` for options that can't work. */
export function checkOptions(options: HandlerOptions): void {
  const { basePath = "", rateLimit, corsOrigins = [], operatorKey, bodyTimeoutMs = 1 } = options;
  if (!BASE_PATH.test(basePath)) {
    throw new TypeError(`Cannot use basePath "${basePath}": write it like /feedback`);
  }
  if (rateLimit && !(rateLimit.requests >= 1 && rateLimit.windowSeconds > 0)) {
    throw new RangeError("Cannot use rateLimit: it needs requests >= 1 and windowSeconds > 0");
  }
  for (const origin of corsOrigins) {
    if (!isOrigin(origin)) {
      throw new TypeError(`Cannot use origin "${origin}": write it like https://app.example.com`);
    }
  }
  const key = operatorKey === undefined ? "" : parseOperatorKey(operatorKey);
  if (key instanceof Refusal) throw new TypeError(`Cannot use operatorKey: it ${key.detail}`);
  if (!(bodyTimeoutMs > 0)) throw new RangeError("Cannot use bodyTimeoutMs: it must be above 0");
}
