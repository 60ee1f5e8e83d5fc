import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { forEachRow } from "./_rows.ts";
import { assertProblem, createService, FORM, JSON_TYPE } from "./_service.ts";
import { outcomeOf, put, VALID_FORM } from "./_service.ts";
import { withTimersOf } from "./_waiting.ts";

const LIMIT = 16 * 1024;
const SUBSCRIBE = "changelogs/subscribe";
const VALID_JSON = '{"userEmail":"ann@example.com","subscribe":true}';
const CHUNKED = { "transfer-encoding": "chunked" };

/** A form of this many bytes that subscribes. */
function formOf(bytes: number): string {
  return `${VALID_FORM}&x=`.padEnd(bytes, "x");
}

function streamOf(text: string): ReadableStream<Uint8Array> {
  return new Blob([text]).stream();
}

describe("the media type of a body", () => {
  it("is form or JSON, in any spelling, in UTF-8", async () => {
    const parameters = ["", ";charset=utf-8", ' ; Charset="UTF-8"', "; charset=UTF-8; x=y", ";"];
    await forEachRow([
      ...parameters.map((rest) => [FORM + rest, VALID_FORM]),
      ["Application/X-WWW-Form-URLencoded", VALID_FORM],
      ...[JSON_TYPE, "APPLICATION/JSON", `${JSON_TYPE}; charset=utf-8`]
        .map((type) => [type, VALID_JSON]),
    ], async ([type, body]) => assertEquals(await outcomeOf(await put(body, type)), "200"));
  });

  it("is 415 with Accept if it is another or none", async () => {
    const others = [
      "text/plain",
      "multipart/form-data; boundary=x",
      "application/problem+json",
      "",
    ];
    const charsets = ["iso-8859-1", "", "utf-8x"].map((charset) => `${FORM}; charset=${charset}`);
    const untyped = { body: new Blob([VALID_FORM]) };
    await forEachRow([...others, ...charsets, undefined], async (type) => {
      const response = type === undefined
        ? await createService().send("PUT", SUBSCRIBE, untyped)
        : await put(VALID_FORM, type);
      assertEquals(response.headers.get("accept"), `${FORM}, ${JSON_TYPE}`);
      const { detail } = await assertProblem(response, 415, "unsupported_media_type");
      const reason = type === undefined ? /has no Content-Type; send its/ : /Content-Type is not/;
      assertMatch(detail, reason);
    });
  });

  it("is 415 with Accept-Encoding if the content is encoded, 501 if the transfer is", async () => {
    await forEachRow(["gzip", "identity", ""], async (coding) => {
      const response = await put(VALID_FORM, FORM, { "content-encoding": coding });
      assertEquals(response.headers.get("accept-encoding"), "identity");
      assertEquals(await outcomeOf(response), "415 unsupported_media_type");
    });
    await forEachRow(["gzip, chunked", "gzip", "chunked, chunked"], async (coding) => {
      const response = await put(VALID_FORM, FORM, { "transfer-encoding": coding });
      assertEquals(await outcomeOf(response), "501 unsupported_transfer_encoding");
    });
    const chunked = await put(streamOf(VALID_FORM), FORM, { "transfer-encoding": "Chunked" });
    assertEquals(await outcomeOf(chunked), "200");
  });
});

describe("the size of a body", () => {
  it("is at most 16 KiB, announced or not", async () => {
    const short = { "content-length": "5" };
    await forEachRow([
      [formOf(LIMIT), FORM, { "content-length": `${LIMIT}` }, "200"],
      [streamOf(formOf(LIMIT)), FORM, {}, "200"],
      [VALID_JSON.padEnd(LIMIT), JSON_TYPE, {}, "200"],
      [formOf(LIMIT + 1), FORM, {}, "413 body_too_large"],
      [streamOf(formOf(LIMIT + 1)), FORM, {}, "413 body_too_large"],
      [streamOf(VALID_JSON.padEnd(LIMIT + 1)), JSON_TYPE, short, "413 body_too_large"],
    ], async ([body, type, headers, expected]) => {
      assertEquals(await outcomeOf(await put(body, type, headers)), expected);
    });
  });

  it("is at most 128 KiB where it holds an entry", async () => {
    const { send } = createService();
    // The longest text, each byte of it escaped.
    const form = `title=Long&body=${"%41".repeat(32_768)}`;
    await forEachRow([[128 * 1024, "201"], [128 * 1024 + 1, "413 body_too_large"]], async (row) => {
      const sent = { body: form.padEnd(row[0], "&"), headers: { "content-type": FORM } };
      assertEquals(await outcomeOf(await send("POST", "changelogs/entries", sent)), row[1]);
    });
  });

  it("is 413 without more than the limit being read, and the rest is cancelled", async () => {
    await forEachRow([
      [{ "content-length": `${LIMIT + 1}` }, 0],
      [{}, LIMIT + 1024],
      [{ ...CHUNKED, "content-length": "5" }, LIMIT + 1024],
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

  it("is 400 if Content-Length is not one number, also where a body may be left out", async () => {
    const { send } = createService();
    await forEachRow(["5, 7", "5, 5", "many", "-1", "1e3"], async (length) => {
      const headers = { "content-length": length, "content-type": FORM };
      for (const [method, path] of [["PUT", SUBSCRIBE], ["POST", "keys/k1/rotate"]]) {
        const response = await send(method, path, { headers });
        assertEquals(await outcomeOf(response), "400 malformed_body");
      }
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
    const { detail } = await assertProblem(response, 408, "request_timeout");
    assertEquals(detail, "The body did not arrive within 0.02 s");
  });

  it("may take 10 s", async () => {
    await withTimersOf(10_000, "at once", async () => {
      await assertProblem(await put(new ReadableStream()), 408, "request_timeout");
    });
  });

  it("is 400 if less comes than was announced", async () => {
    const bodies = [[FORM, VALID_FORM], [FORM, ""], [JSON_TYPE, "{}"], [JSON_TYPE, ""]];
    await forEachRow(bodies, async ([type, body]) => {
      const response = await put(body, type, { "content-length": `${body.length + 1}` });
      assertEquals(await outcomeOf(response), "400 malformed_body");
    });
  });

  it("is 400 if it breaks off, and 503 if it does so as the server stops", async () => {
    const stopping = createService({ signal: AbortSignal.abort() });
    const rows = [[createService(), "400 malformed_body"], [
      stopping,
      "503 storage_unavailable",
    ]] as const;
    for (const [{ send }, expected] of rows) {
      const error = new TypeError("connection reset");
      const body = new ReadableStream({ pull: (controller) => controller.error(error) });
      const response = await send("PUT", SUBSCRIBE, { body, headers: { "content-type": FORM } });
      assertEquals(await outcomeOf(response), expected);
    }
  });
});
