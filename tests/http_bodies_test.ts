import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { LogEvent } from "../mod.ts";
import { FORM, PATH, put, VALID } from "./_bodies.ts";
import { assertProblem, createService, OPERATOR_KEY, readJson } from "./_service.ts";
import { untilTurned } from "./_waiting.ts";

const LIMIT = 16 * 1024;

/** A valid form of this many bytes. */
function formOf(bytes: number): string {
  return `${VALID}&x=`.padEnd(bytes, "x");
}

function streamOf(...parts: readonly string[]): ReadableStream<Uint8Array> {
  return new Blob([...parts]).stream();
}

describe("body size", () => {
  it("a body of exactly 16 KiB is taken, whether its length is announced or not", async () => {
    await readJson(await put(formOf(LIMIT)));
    await readJson(await put(formOf(LIMIT), FORM, { "content-length": `${LIMIT}` }));
    await readJson(await put(streamOf(formOf(LIMIT - 1), "x")));
  });

  it("a body is 413 when it has one byte more", async () => {
    await assertProblem(await put(formOf(LIMIT + 1)), 413, "body_too_large");
    await assertProblem(await put(streamOf(formOf(LIMIT), "x")), 413, "body_too_large");
  });

  it("a body is 413 by its Content-Length alone", async () => {
    let pulled = false;
    const body = new ReadableStream({
      pull() {
        pulled = true;
      },
    }, { highWaterMark: 0 });
    const response = await put(body, FORM, { "content-length": `${LIMIT + 1}` });
    await assertProblem(response, 413, "body_too_large");
    assertEquals(pulled, false);
  });

  it("a body is 413 when it is longer than it announced", async () => {
    const json = JSON.stringify({ userEmail: "ann@example.com", subscribe: true });
    const bodies = [[FORM, formOf(LIMIT + 1)], ["application/json", json.padEnd(LIMIT + 1)]];
    for (const [contentType, text] of bodies) {
      const response = await put(streamOf(text), contentType, { "content-length": "5" });
      await assertProblem(response, 413, "body_too_large");
    }
  });

  const UNANNOUNCED: readonly Record<string, string>[] = [
    {},
    { "content-length": "5", "transfer-encoding": "chunked" },
  ];
  for (const headers of UNANNOUNCED) {
    it(`the rest of a body that is too large is not read (${Object.keys(headers)})`, async () => {
      let chunks = 0;
      let cancelled = false;
      const body = new ReadableStream({
        pull(controller) {
          chunks++;
          controller.enqueue(new Uint8Array(1024));
        },
        cancel() {
          cancelled = true;
        },
      });
      await assertProblem(await put(body, FORM, headers), 413, "body_too_large");
      assertEquals([chunks < 20, cancelled], [true, true]);
    });
  }

  it("nothing is left unhandled when a body that is too large can't be given up", async () => {
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(LIMIT + 1)),
      cancel: () => Promise.reject(new Error("the connection is gone")),
    });
    await assertProblem(await put(body), 413, "body_too_large");
    // A rejection that nobody handles fails the test by the next turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 0));
  });

  it("a Content-Length that is no number is passed over", async () => {
    await readJson(await put(streamOf(VALID), FORM, { "content-length": "many" }));
  });
});

describe("body time", () => {
  for (const announced of ["chunked", "length"]) {
    it(`a body is 408 when it stalls (${announced})`, async () => {
      const service = createService({ bodyTimeoutMs: 20 });
      let cancelled = false;
      const stalled = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("userEmail="));
        },
        cancel() {
          cancelled = true;
        },
      });
      const response = await service.send("PUT", PATH, {
        body: stalled,
        headers: {
          "content-type": FORM,
          ...(announced === "length" && { "content-length": "50" }),
        },
      });
      assertEquals(response.headers.get("connection"), "close");
      const { detail } = await assertProblem(response, 408, "request_timeout");
      assertEquals(detail, "The body did not arrive within 0.02 s");
      // The platform's own reading of a whole body can't be called off.
      assertEquals(cancelled, announced === "chunked");
    });
  }

  it("a body may take 10 s, and leaves no timer behind when it comes late", async () => {
    const running = new Set<unknown>();
    const times: unknown[] = [];
    const { setTimeout, clearTimeout } = globalThis;
    globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
      const timer = setTimeout(...args);
      running.add(timer);
      times.push(args[1]);
      return timer;
    }) as typeof setTimeout;
    globalThis.clearTimeout = (timer) => {
      running.delete(timer);
      clearTimeout(timer);
    };
    try {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const answer = put(readable);
      await untilTurned(() => running.size > 0);
      const writer = writable.getWriter();
      await writer.write(new TextEncoder().encode(VALID));
      await writer.close();
      await readJson(await answer);
      assertEquals([running.size, times], [0, [10_000]]);
    } finally {
      Object.assign(globalThis, { setTimeout, clearTimeout });
    }
  });

  const cut: readonly (readonly [string, string, string, string])[] = [
    ["PATCH", "/api/v1/boards/ideas", FORM, ""],
    ["PATCH", "/api/v1/boards/ideas", "application/json", ""],
    ["PUT", PATH, FORM, VALID],
    ["PUT", PATH, FORM, `${VALID}&userName=\u00e9`],
    ["PUT", PATH, "application/json", "{}"],
  ];
  for (const [method, path, type, body] of cut) {
    it(`less of a body than was announced is 400 when ${method} has ${type} "${body}"`, async () => {
      const { length } = new TextEncoder().encode(body);
      for (const missing of [1, 2, 4]) {
        const headers = { "content-type": type, "content-length": `${length + missing}` };
        const response = await createService().send(method, path, { body, headers });
        await assertProblem(response, 400, "malformed_body");
      }
    });
  }

  it("a body of a byte order mark alone, which is left out, is empty", async () => {
    const mark = Uint8Array.of(0xef, 0xbb, 0xbf);
    const response = await put(mark, FORM, { "content-length": "3" });
    const { detail } = await assertProblem(response, 422, "validation_failed");
    assertMatch(detail, /the body is empty$/);
  });

  it("a body is 500, and logged, when the program read it before or has it in no bytes", async () => {
    const events: LogEvent[] = [];
    const service = createService({ log: (event) => void events.push(event) });
    const headers = { authorization: `Bearer ${OPERATOR_KEY}`, "content-type": FORM };
    const read = new Request(`http://localhost${PATH}`, { method: "PUT", headers, body: VALID });
    await read.text();
    await assertProblem(await service.handler(read), 500, "internal_error");
    const text = ReadableStream.from([VALID]) as unknown as ReadableStream<Uint8Array>;
    const response = await service.send("PUT", PATH, { body: text, headers });
    await assertProblem(response, 500, "internal_error");
    assertEquals(events.map(({ error }) => error instanceof TypeError), [true, true]);
  });

  function brokenOff(error = new Error("connection reset")): ReadableStream {
    return new ReadableStream({
      pull(controller) {
        controller.error(error);
      },
    });
  }

  it("a body is 400 when it breaks off", async () => {
    await assertProblem(await put(brokenOff()), 400, "malformed_body");
    // As one does that an app inflates.
    await assertProblem(await put(brokenOff(new TypeError("no gzip"))), 400, "malformed_body");
  });

  it("a body is 503 when it breaks off as the server stops", async () => {
    const stopping = createService({ signal: AbortSignal.abort() });
    const headers = { "content-type": FORM };
    const response = await stopping.send("PUT", PATH, { body: brokenOff(), headers });
    assertEquals(response.headers.get("retry-after"), "1");
    await assertProblem(response, 503, "storage_unavailable");
  });
});
