import type { LogEvent, WorkerEvent } from "../mod.ts";

/** How the log is written. */
export type LogFormat = "text" | "json" | "off";

/** Where a running server writes what happens. */
export interface Log {
  /** Notes a request that was answered; absent where nobody wants to know. */
  readonly request?: (event: LogEvent) => void;
  /** Notes what happened to a delivery; absent where nobody wants to know. */
  readonly worker?: (event: WorkerEvent) => void;
  /** Notes something else; `fields` are members of the JSON line. */
  note(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Warns the operator. */
  warn(message: string): void;
}

/** Creates a log of lines. Neither keys nor addresses nor contents nor queries are in it. */
export function createLog(format: LogFormat, write: (text: string) => void): Log {
  function json(level: string, fields: Readonly<Record<string, unknown>>): void {
    write(JSON.stringify({ time: new Date().toISOString(), level, ...fields }) + "\n");
  }
  if (format === "json") {
    return {
      request: ({ level, error, ...fields }) =>
        json(level, { ...fields, durationMs: round(fields.durationMs), error: describe(error) }),
      worker: ({ level, error, ...fields }) => json(level, { ...fields, error: describe(error) }),
      note: (message, fields) => json("info", { message, ...fields }),
      warn: (message) => json("warn", { message }),
    };
  }
  return {
    request: format === "off" ? undefined : (event) => {
      const { level, requestId, method, route, keyId, status, durationMs, error } = event;
      const words = [new Date().toISOString(), level, method, route ?? "-", status];
      words.push(`${round(durationMs)}ms`, keyId ?? "-", requestId);
      const reason = error === undefined ? "" : `\n${describe(error)}`;
      write(`${words.join(" ")}${reason}\n`);
    },
    worker: format === "off" ? undefined : ({ level, channel, entryId, event, error }) => {
      const words = [new Date().toISOString(), level, channel, entryId ?? "-", event];
      const reason = error === undefined ? "" : `\n${describe(error)}`;
      write(`${words.join(" ")}${reason}\n`);
    },
    note: (message) => write(`${message}\n`),
    warn: (message) => write(`boardcast: ${message}\n`),
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
