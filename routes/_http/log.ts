import type { Meter } from "../../services/meter.ts";
import type { Operation } from "./operation.ts";
import type { HandlerOptions } from "../options.ts";
import type { Incoming } from "./content.ts";
import type { Match } from "./router.ts";

/** What is known about a request while it is answered. */
export interface Exchange extends Incoming {
  /** When it began, by `performance.now()`. */
  readonly startedMs: number;
  requestId: string;
  match: Match | undefined;
  keyId: string | null;
  rateHeaders: Readonly<Record<string, string>> | undefined;
  /** Called once the response has been sent. */
  onEnd: (() => void) | undefined;
  error: unknown;
  warning: string | undefined;
}

/** Counts and logs an exchange that ended with a status. Never throws. */
export type Reporter = (exchange: Exchange, status: number) => void;

// What finds no operation has the label of all that do not: a client could send any path.
const NO_OPERATION = "other";

/** Creates what counts each request and, where there is a log, calls `log` for it. */
export function createReporter(
  log: HandlerOptions["log"],
  operations: readonly Operation[],
  meter: Meter,
): Reporter {
  // A client can send any word as its method, even a part of another request's body.
  const methods = new Set<string>(["HEAD", "OPTIONS", ...operations.map(({ method }) => method)]);
  const counters = new Map(
    operations.map((operation) => [operation, meter.requestCounter(operation.operationId)]),
  );
  const countOther = meter.requestCounter(NO_OPERATION);

  return ({ request, startedMs, requestId, match, keyId, error, warning }, status) => {
    const durationMs = performance.now() - startedMs;
    const operation = match?.operations.get(request.method);
    const count = operation === undefined ? countOther : counters.get(operation) ?? countOther;
    count(status, durationMs / 1_000);
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
      // The request was carried out: a log that fails must not turn it into an error.
    }
  };
}
