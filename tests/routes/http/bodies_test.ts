import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { forEachRow } from "../../_support/rows.ts";
import { assertProblem, createService, FORM, JSON_TYPE } from "../../_support/service.ts";
import { outcomeOf, put, VALID_FORM } from "../../_support/service.ts";
import { withTimersOf } from "../../_support/waiting.ts";

const LIMIT = 16 * 1024;
const SUBSCRIBE = "changelogs/subscribe";
const VALID_JSON = '{"userEmail":"ann@example.com","subscribe":true}';

/** Returns a form of a given length that subscribes. */
function formOf(bytes: number): string {
  return `${VALID_FORM}&x=`.padEnd(bytes, "x");
}

describe("the media type of a body", () => {
  it("is form or JSON in UTF-8, in any spelling, else 415 with Accept", async () => {
    const sent = (type: string) => put(/json/i.test(type) ? VALID_JSON : VALID_FORM, type);
    const charsets = ["; charset=utf-8", ' ; Charset="UTF-8"', "; charset=UTF-8; x=y"];
    const types = [FORM, "Application/X-WWW-Form-URLencoded", JSON_TYPE, "APPLICATION/JSON"];
    await forEachRow([...types, ...charsets.map((charset) => FORM + charset)], async (type) => {
      assertEquals(await outcomeOf(await sent(type)), "200");
    });
    const others = [
      "",
      "text/plain",
      "multipart/form-data; boundary=x",
      "application/problem+json",
    ];
    const wrong = ["; charset=iso-8859-1", "; charset=", "; charset=utf-8x"];
    await forEachRow([...others, ...wrong.map((charset) => FORM + charset)], async (type) => {
      const response = await sent(type);
      assertEquals(response.headers.get("accept"), `${FORM}, ${JSON_TYPE}`);
      assertEquals(await outcomeOf(response), "415 unsupported_media_type");
    });
    const untyped = await createService().send("PUT", SUBSCRIBE, { body: new Blob([VALID_FORM]) });
    assertEquals(await outcomeOf(untyped), "415 unsupported_media_type");
  });

  it("is 415 with Accept-Encoding if the content is encoded, 501 if the transfer is", async () => {
    await forEachRow([
      ["content-encoding", "gzip", "415 unsupported_media_type", "identity"],
      ["content-encoding", "identity", "415 unsupported_media_type", "identity"],
      ["content-encoding", "", "415 unsupported_media_type", "identity"],
      ["transfer-encoding", "gzip, chunked", "501 unsupported_transfer_encoding", null],
      ["transfer-encoding", "Chunked", "200", null],
    ], async ([name, coding, expected, accepted]) => {
      const response = await put(new Blob([VALID_FORM]), FORM, { [name]: coding });
      assertEquals(response.headers.get("accept-encoding"), accepted);
      assertEquals(await outcomeOf(response), expected);
    });
  });
});

describe("the size of a body", () => {
  it("is at most 16 KiB, and 128 KiB where it holds an entry", async () => {
    // The longest text, each byte of it escaped.
    const entry = `title=Long&body=${"%41".repeat(32_768)}`;
    await forEachRow([
      ["PUT", SUBSCRIBE, formOf(LIMIT), FORM, "200"],
      ["PUT", SUBSCRIBE, VALID_JSON.padEnd(LIMIT), JSON_TYPE, "200"],
      ["PUT", SUBSCRIBE, formOf(LIMIT + 1), FORM, "413 body_too_large"],
      ["PUT", SUBSCRIBE, VALID_JSON.padEnd(LIMIT + 1), JSON_TYPE, "413 body_too_large"],
      ["POST", "changelogs/entries", entry.padEnd(8 * LIMIT, "&"), FORM, "201"],
      ["POST", "changelogs/entries", entry.padEnd(8 * LIMIT + 1, "&"), FORM, "413 body_too_large"],
      ["POST", "changelogs/entries/preview", entry.padEnd(8 * LIMIT, "&"), FORM, "200"],
      ["PATCH", "changelogs/entries/none", entry, FORM, "404 entry_not_found"],
    ], async ([method, path, body, type, expected]) => {
      const sent = { body, headers: { "content-type": type } };
      assertEquals(await outcomeOf(await createService().send(method, path, sent)), expected);
    });
  });

  it("is 413 without more than the limit being read, and the rest is cancelled", async () => {
    await forEachRow([
      [{ "content-length": `${LIMIT + 1}` }, 0],
      [{}, LIMIT + 1024],
      [{ "transfer-encoding": "chunked", "content-length": "5" }, LIMIT + 1024],
    ], async ([headers, mostBytes]) => {
      let bytes = 0;
      let cancelled = false;
      const body = new ReadableStream({
        pull(controller) {
          bytes += 1024;
          controller.enqueue(new Uint8Array(1024));
        },
        cancel: () => void (cancelled = true),
      }, { highWaterMark: 0 });
      assertEquals(await outcomeOf(await put(body, FORM, headers)), "413 body_too_large");
      assertEquals([bytes, cancelled], [mostBytes, mostBytes > 0]);
    });
  });

  it("is 400 if Content-Length is not one number, or more than what comes", async () => {
    await forEachRow(["5, 7", "many", "-1", "1e3", "99"], async (length) => {
      const response = await put(VALID_FORM, FORM, { "content-length": length });
      assertEquals(await outcomeOf(response), "400 malformed_body");
    });
  });
});

describe("the arrival of a body", () => {
  it("is 408 if it stalls, and the connection is to be closed", async () => {
    const { send } = createService({ bodyTimeoutMs: 20 });
    let cancelled = false;
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("userEmail=")),
      cancel: () => void (cancelled = true),
    });
    const response = await send("PUT", SUBSCRIBE, { body, headers: { "content-type": FORM } });
    assertEquals([response.headers.get("connection"), cancelled], ["close", true]);
    await assertProblem(response, 408, "request_timeout");
  });

  it("may take 10 s", async () => {
    await withTimersOf(10_000, "at once", async () => {
      await assertProblem(await put(new ReadableStream()), 408, "request_timeout");
    });
  });

  it("is 400 if it breaks off, and 503 if it does so as the server stops", async () => {
    await forEachRow([
      [{}, "400 malformed_body"],
      [{ signal: AbortSignal.abort() }, "503 storage_unavailable"],
    ], async ([options, expected]) => {
      const error = new TypeError("connection reset");
      const body = new ReadableStream({ pull: (controller) => controller.error(error) });
      const sent = { body, headers: { "content-type": FORM } };
      const response = await createService(options).send("PUT", SUBSCRIBE, sent);
      assertEquals(await outcomeOf(response), expected);
    });
  });
});
