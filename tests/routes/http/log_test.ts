import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createLog } from "../../../commands/serve/log.ts";
import { type LogEvent, StorageError } from "../../../mod.ts";

const REQUEST = { requestId: "request-1", method: "GET", keyId: null, durationMs: 1.23456 };
const EVENT: LogEvent = { ...REQUEST, level: "info", route: "/livez", status: 200 };
const error = new StorageError("unavailable", "Cannot write", { cause: new Error("disk full") });
const FAILED: LogEvent = { ...REQUEST, level: "error", route: null, status: 503, error };
const CAUSES = "StorageError: Cannot write\n[^]*\ncaused by Error: disk full\n";

/** Returns the line that a log writes about an event. */
function logged(format: "text" | "json", event: LogEvent): string {
  let text = "";
  createLog(format, (line) => text += line).request?.(event);
  return text;
}

describe("the log", () => {
  it("writes a request as one line of text", () => {
    assertMatch(logged("text", EVENT), /^\S+Z info GET \/livez 200 1\.23ms - request-1\n$/);
    assertMatch(logged("text", { ...EVENT, keyId: "4fQ0" }), /200 1\.23ms 4fQ0 request-1\n$/);
  });

  it("writes a failure with what caused it, in text and in JSON", () => {
    const text = new RegExp(`^\\S+Z error GET - 503 1\\.23ms - request-1\n${CAUSES}`);
    assertMatch(logged("text", FAILED), text);
    const { error, level, route } = JSON.parse(logged("json", FAILED));
    assertEquals([level, route], ["error", null]);
    assertMatch(error, new RegExp(`^${CAUSES}`));
  });
});
