import type { Operation } from "./_operation.ts";
import type { HandlerOptions } from "./options.ts";
import type { Match } from "./_router.ts";

/** What is known about a request while it is answered. */
export interface Exchange {
  readonly request: Request;
  /** When it began, by `performance.now()`. */
  readonly startedMs: number;
  requestId: string;
  match: Match | undefined;
  keyId: string | null;
  rateHeaders: Readonly<Record<string, string>> | undefined;
  error: unknown;
}

/** Logs an exchange that ended with a status. Never throws. */
export type Reporter = (exchange: Exchange, status: number) => void;

/** Creates what calls `log` for each request; nothing where there is no log. */
export function createReporter(
  log: HandlerOptions["log"],
  operations: readonly Operation[],
): Reporter | undefined {
  if (log === undefined) return undefined;
  // A client can send any word as its method, even a part of another request's body.
  const methods = new Set<string>(["HEAD", "OPTIONS", ...operations.map(({ method }) => method)]);

  return ({ request, startedMs, requestId, match, keyId, error }, status) => {
    try {
      const logging: unknown = log({
        level: error === undefined ? "info" : "error",
        requestId,
        method: methods.has(request.method) ? request.method : "_OTHER",
        route: match?.path ?? null,
        keyId,
        status,
        durationMs: performance.now() - startedMs,
        error,
      });
      if (logging !== undefined) Promise.resolve(logging).catch(() => {});
    } catch {
      // The request was carried out: a log that fails must not turn it into an error.
    }
  };
}
