import type { LogEvent, WorkerEvent } from "../../mod.ts";

/** The format in which a running server logs events. */
export type LogFormat = "text" | "json" | "off";

/** The log of a running server. */
export interface Log {
  /** Absent if requests are not logged. */
  readonly request?: (event: LogEvent) => void;
  /** Absent if deliveries are not logged. */
  readonly worker?: (event: WorkerEvent) => void;
  /** Writes a message; `fields` are members of the JSON line. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Creates a log that writes lines. They contain no keys, addresses, contents or queries. */
export function createLog(format: LogFormat, write: (text: string) => void): Log {
  function json(level: string, fields: Readonly<Record<string, unknown>>): void {
    write(JSON.stringify({ time: new Date().toISOString(), level, ...fields }) + "\n");
  }
  function text(words: readonly unknown[], error: unknown): void {
    const reason = error === undefined ? "" : `\n${describe(error)}`;
    write(`${[new Date().toISOString(), ...words].join(" ")}${reason}\n`);
  }
  if (format === "json") {
    return {
      request: ({ level, error, ...fields }) =>
        json(level, { ...fields, durationMs: round(fields.durationMs), error: describe(error) }),
      worker: ({ level, error, ...fields }) => json(level, { ...fields, error: describe(error) }),
      info: (message, fields) => json("info", { message, ...fields }),
      warn: (message) => json("warn", { message }),
      error: (message) => json("error", { message }),
    };
  }
  const events: Pick<Log, "request" | "worker"> = {
    request({ level, requestId, method, route, keyId, status, durationMs, error, warning }) {
      const duration = `${round(durationMs)}ms`;
      const words = [level, method, route ?? "-", status, duration, keyId ?? "-", requestId];
      text(warning === undefined ? words : [...words, warning], error);
    },
    worker: ({ level, channel, entryId, webhookId, event, problem = "", error }) =>
      text([level, channel, entryId ?? webhookId ?? "-", event, problem], error),
  };
  return {
    ...(format === "text" ? events : {}),
    info: (message) => write(`${message}\n`),
    warn: (message) => write(`boardcast: ${message}\n`),
    error: (message) => write(`boardcast: ${message}\n`),
  };
}

function round(durationMs: number): number {
  return Math.round(durationMs * 100) / 100;
}

function describe(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${describe(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}
