import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createLog } from "../commands/_log.ts";
import { type LogEvent, StorageError } from "../mod.ts";

const EVENT: LogEvent = {
  level: "info",
  requestId: "request-1",
  method: "GET",
  route: "/livez",
  keyId: null,
  status: 200,
  durationMs: 1.23456,
};
const FAILED: LogEvent = {
  ...EVENT,
  level: "error",
  route: null,
  status: 503,
  error: new StorageError("unavailable", "Cannot write", { cause: new Error("disk full") }),
};

/** What a log writes of an event. */
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
    assertMatch(
      logged("text", FAILED),
      /^\S+Z error GET - 503 1\.23ms - request-1\nStorageError: Cannot write\n[^]*\ncaused by Error: disk full\n/,
    );
    const { error, level, route } = JSON.parse(logged("json", FAILED));
    assertEquals([level, route], ["error", null]);
    assertMatch(error, /^StorageError: Cannot write\n[^]*\ncaused by Error: disk full\n/);
  });

  it("writes what is no Error as it is", () => {
    const { error } = JSON.parse(logged("json", { ...FAILED, error: null }));
    assertEquals(error, "null");
  });
});
