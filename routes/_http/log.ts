import type { LogEvent } from "./embedding.ts";
import type { Meter, RequestCounter } from "../../services/meter.ts";
import { METHODS, type Operation } from "./operation.ts";
import type { Incoming } from "./content.ts";
import type { Match } from "./router.ts";

/** A request and the state of its processing. */
export interface Exchange extends Incoming {
  /** The start of the request, by `performance.now()`. */
  readonly startedMs: number;
  requestId: string;
  match: Match | undefined;
  keyId: string | null;
  rateHeaders: Readonly<Record<string, string>> | undefined;
  error: unknown;
  warning: string | undefined;
}

/** Counts and logs an exchange that ended with this status. Never throws. */
export type Reporter = (exchange: Exchange, status: number) => void;

// Requests without an operation share one label, as a client could send any path.
const NO_OPERATION = "other";

/** Creates a reporter that counts each request and calls `log` for it, if given. */
export function createReporter(
  log: ((event: LogEvent) => void) | undefined,
  meter: Meter,
): Reporter {
  // A client can send any word as its method, even part of another request's body.
  const methods = new Set<string>(["HEAD", "OPTIONS", ...METHODS]);
  const counters = new Map<Operation | undefined, RequestCounter>();

  function counterOf(operation: Operation | undefined): RequestCounter {
    const counter = counters.get(operation) ??
      meter.requestCounter(operation?.operationId ?? NO_OPERATION);
    counters.set(operation, counter);
    return counter;
  }

  return ({ request, startedMs, requestId, match, keyId, error, warning }, status) => {
    const durationMs = performance.now() - startedMs;
    const operation = match?.operations.get(request.method);
    counterOf(operation)(status, durationMs / 1_000);
    if (log === undefined) return;
    try {
      const logging: unknown = log({
        level: error !== undefined ? "error" : warning !== undefined ? "warn" : "info",
        requestId,
        method: methods.has(request.method) ? request.method : "_OTHER",
        route: match?.path ?? null,
        keyId,
        status,
        durationMs,
        error,
        ...(warning !== undefined && { warning }),
      });
      if (logging !== undefined) Promise.resolve(logging).catch(() => {});
    } catch {
      // The request succeeded, and a failing log must not turn that into an error.
    }
  };
}
