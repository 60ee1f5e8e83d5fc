import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { LogEvent } from "../mod.ts";
import { FORM, JSON_TYPE, put, SUBSCRIBE_PATH, VALID_FORM } from "./_calls.ts";
import { forEachRow } from "./_rows.ts";
import { assertProblem, createService, OPERATOR_KEY, readJson } from "./_service.ts";
import { unhandledDuring, withTimersOf } from "./_waiting.ts";

const LIMIT = 16 * 1024;
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
    await forEachRow([
      ...["", ";charset=utf-8", ' ; Charset="UTF-8"', "; charset=UTF-8; x=y", ';x="a;\\"b"', ";"]
        .map((parameters) => [FORM + parameters, VALID_FORM]),
      ["Application/X-WWW-Form-URLencoded", VALID_FORM],
      ...[JSON_TYPE, "APPLICATION/JSON", `${JSON_TYPE}; charset=utf-8`]
        .map((contentType) => [contentType, VALID_JSON]),
    ], async ([contentType, body]) => {
      await readJson(await put(body, contentType));
    });
  });

  it("is 415 with Accept if it is another", async () => {
    const others = [
      ...["text/plain", "multipart/form-data; boundary=x", "application/jsonp", "x", ""],
      ...["application/problem+json", "application/*", `${FORM}, ${FORM}`],
      ...["iso-8859-1", "utf-16", "", "xutf-8", "utf-8x", "utf-8; charset=latin1"]
        .map((charset) => `${FORM}; charset=${charset}`),
      ...[`${FORM}; Charset=latin1`, `${FORM} charset=utf-8`],
    ];
    await forEachRow(others, async (contentType) => {
      const response = await put(VALID_FORM, contentType);
      assertEquals(response.headers.get("accept"), `${FORM}, ${JSON_TYPE}`);
      const { detail } = await assertProblem(response, 415, "unsupported_media_type");
      assertEquals(detail, `The Content-Type is not ${FORM} or ${JSON_TYPE} in UTF-8`);
    });
    await forEachRow([new Blob([VALID_FORM]), undefined], async (body) => {
      const response = await createService().send("PUT", SUBSCRIBE_PATH, { body });
      assertEquals(response.headers.get("accept"), `${FORM}, ${JSON_TYPE}`);
      const { detail } = await assertProblem(response, 415, "unsupported_media_type");
      assertMatch(detail, /^The request has no Content-Type; send its fields in a body/);
    });
  });

  it("is 415 with Accept-Encoding if the body is encoded", async () => {
    await forEachRow(["gzip", "identity", "br", ""], async (coding) => {
      const response = await put(VALID_FORM, FORM, { "content-encoding": coding });
      assertEquals(response.headers.get("accept-encoding"), "identity");
      await assertProblem(response, 415, "unsupported_media_type");
    });
  });

  it("is 501 if the transfer is encoded by more than chunks", async () => {
    await forEachRow(["gzip, chunked", "gzip", "chunked, chunked", "identity"], async (coding) => {
      const response = await put(VALID_FORM, FORM, { "transfer-encoding": coding });
      await assertProblem(response, 501, "unsupported_transfer_encoding");
    });
    await readJson(await put(streamOf(VALID_FORM), FORM, { "transfer-encoding": "Chunked" }));
  });
});

describe("the size of a body", () => {
  it("is at most 16 KiB, announced or not", async () => {
    const announced = { "content-length": `${LIMIT}` };
    await readJson(await put(formOf(LIMIT)));
    await readJson(await put(formOf(LIMIT), FORM, announced));
    await readJson(await put(streamOf(formOf(LIMIT))));
    await readJson(await put(VALID_JSON.padEnd(LIMIT), JSON_TYPE));
    const short = { "content-length": "5" };
    await forEachRow([
      [formOf(LIMIT + 1), FORM, {}],
      [streamOf(formOf(LIMIT + 1)), FORM, {}],
      // Longer than it was announced.
      [streamOf(formOf(LIMIT + 1)), FORM, short],
      [streamOf(VALID_JSON.padEnd(LIMIT + 1)), JSON_TYPE, short],
    ], async ([body, contentType, headers]) => {
      await assertProblem(await put(body, contentType, headers), 413, "body_too_large");
    });
  });

  it("is at most 128 KiB where it holds an entry", async () => {
    const { send } = createService();
    const path = "/api/v1/changelogs/entries";
    // The longest text, each byte of it escaped.
    const form = `title=Long&body=${"%41".repeat(32_768)}`;
    await forEachRow([[form, 201], [form.padEnd(128 * 1024, "&"), 201]], async ([body, status]) => {
      const headers = { "content-type": FORM };
      await readJson(await send("POST", path, { body, headers }), status);
    });
    const body = form.padEnd(128 * 1024 + 1, "&");
    const response = await send("POST", path, { body, headers: { "content-type": FORM } });
    await assertProblem(response, 413, "body_too_large");
  });

  it("is 413 by its Content-Length, without a byte being read", async () => {
    let pulled = false;
    const body = new ReadableStream({ pull: () => void (pulled = true) }, { highWaterMark: 0 });
    const response = await put(body, FORM, { "content-length": `${LIMIT + 1}` });
    await assertProblem(response, 413, "body_too_large");
    assertEquals(pulled, false);
  });

  it("is 413 without the rest being read, and the rest is given up", async () => {
    const cancelled: unknown[] = [];
    const cancels = [
      () => void cancelled.push("done"),
      // A connection that is gone has nothing to give up.
      () => Promise.reject(new Error("the connection is gone")),
    ];
    const unhandled = await unhandledDuring(async () => {
      for (const cancel of cancels) {
        for (const headers of [{}, { ...CHUNKED, "content-length": "5" }]) {
          let chunks = 0;
          const body = new ReadableStream({
            pull(controller) {
              chunks++;
              controller.enqueue(new Uint8Array(1024));
            },
            cancel,
          });
          await assertProblem(await put(body, FORM, headers), 413, "body_too_large");
          assertEquals(chunks < 20, true);
        }
      }
    });
    assertEquals([unhandled, cancelled], [[], ["done", "done"]]);
  });

  it("is 400 if Content-Length is not one number, also where a body may be left out", async () => {
    const { send } = createService();
    await forEachRow(["5, 7", "5, 5", "many", "-1", "1e3", "5 5"], async (length) => {
      const headers = { "content-length": length, "content-type": FORM };
      for (const sent of [{ body: streamOf(VALID_FORM), headers }, { headers }]) {
        await assertProblem(await send("PUT", SUBSCRIBE_PATH, sent), 400, "malformed_body");
      }
      const rotated = await send("POST", "/api/v1/keys/k1/rotate", {
        headers: { "content-length": length },
      });
      await assertProblem(rotated, 400, "malformed_body");
    });
  });
});

describe("the arrival of a body", () => {
  it("is 408 if it stalls, and the connection is to be closed", async () => {
    const announced: readonly Record<string, string>[] = [{}, { "content-length": "50" }];
    await forEachRow(announced, async (headers) => {
      const { send } = createService({ bodyTimeoutMs: 20 });
      let cancelled = false;
      const stalled = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode("userEmail=")),
        cancel: () => void (cancelled = true),
      });
      const response = await send("PUT", SUBSCRIBE_PATH, {
        body: stalled,
        headers: { "content-type": FORM, ...headers },
      });
      assertEquals(response.headers.get("connection"), "close");
      const { detail } = await assertProblem(response, 408, "request_timeout");
      assertEquals(detail, "The body did not arrive within 0.02 s");
      // The platform's own reading of a whole body can't be called off.
      assertEquals(cancelled, !("content-length" in headers));
    });
  });

  it("may take 10 s", async () => {
    await withTimersOf(10_000, "at once", async () => {
      await assertProblem(await put(new ReadableStream()), 408, "request_timeout");
    });
  });

  it("is 400 if less comes than was announced", async () => {
    const bodies = [
      [FORM, VALID_FORM],
      [FORM, `${VALID_FORM}&userName=\u00e9`],
      [FORM, ""],
      [JSON_TYPE, "{}"],
      [JSON_TYPE, ""],
    ];
    await forEachRow(bodies, async ([contentType, body]) => {
      const { length } = new TextEncoder().encode(body);
      for (const missing of [1, 2, 4]) {
        const headers = { "content-length": `${length + missing}` };
        await assertProblem(await put(body, contentType, headers), 400, "malformed_body");
      }
    });
    // Of a byte order mark, the platform leaves nothing.
    const mark = Uint8Array.of(0xef, 0xbb, 0xbf);
    const { detail } = await assertProblem(
      await put(mark, FORM, { "content-length": "3" }),
      422,
      "validation_failed",
    );
    assertMatch(detail, /the body is empty$/);
  });

  it("is 400 if it breaks off, and 503 if it does so as the server stops", async () => {
    const { send } = createService({ signal: AbortSignal.abort() });
    const headers = { "content-type": FORM };
    // The second is as one of a body that an app inflates.
    await forEachRow([new Error("connection reset"), new TypeError("no gzip")], async (error) => {
      const broken = () => new ReadableStream({ pull: (controller) => controller.error(error) });
      await assertProblem(await put(broken()), 400, "malformed_body");
      const stopped = await send("PUT", SUBSCRIBE_PATH, { body: broken(), headers });
      assertEquals(stopped.headers.get("retry-after"), "1");
      await assertProblem(stopped, 503, "storage_unavailable");
    });
  });

  it("is 500, and logged, if the app read the body before or it is no stream of bytes", async () => {
    const events: LogEvent[] = [];
    const service = createService({ log: (event) => void events.push(event) });
    const headers = { authorization: `Bearer ${OPERATOR_KEY}`, "content-type": FORM };
    const read = new Request(`http://localhost${SUBSCRIBE_PATH}`, {
      method: "PUT",
      headers,
      body: VALID_FORM,
    });
    await read.text();
    await assertProblem(await service.handler(read), 500, "internal_error");
    const text: ReadableStream = ReadableStream.from([VALID_FORM]);
    const response = await service.send("PUT", SUBSCRIBE_PATH, { body: text, headers });
    await assertProblem(response, 500, "internal_error");
    assertEquals(events.map(({ error }) => error instanceof TypeError), [true, true]);
  });
});
