import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type LogEvent, openMemoryStorage, type Storage, StorageError } from "../mod.ts";
import { HEADER, importCounts, readReport, sendImport, stored, SUBSCRIBERS } from "./_import.ts";
import { assertProblem, assertRefused, createService } from "./_service.ts";

const NDJSON = "application/x-ndjson";

/** A body whose chunks come one by one, and which then ends, breaks off or is never heard of again. */
function bodyOf(chunks: readonly string[], end: "close" | "break" | "stall"): ReadableStream {
  const left = chunks.map((chunk) => new TextEncoder().encode(chunk));
  return new ReadableStream({
    pull(controller) {
      const chunk = left.shift();
      if (chunk !== undefined) controller.enqueue(chunk);
      else if (end === "close") controller.close();
      else if (end === "break") controller.error(new Error("The connection is gone"));
      else return new Promise(() => {});
    },
  });
}

describe("importing subscribers", () => {
  it("adds, changes and leaves rows, and counts each", async () => {
    const service = createService();
    await importCounts(service, `${HEADER}ann@x.org,Ann,true\nbob@x.org,,true\n`);
    const text = `${HEADER}ann@x.org,Ann,true\nBOB@x.org,Bob,false\neve@x.org,,TRUE\n`;
    assertEquals(await importCounts(service, text), { added: 1, changed: 1, unchanged: 1 });
    assertEquals(await stored(service.storage), [
      "ann@x.org Ann true import",
      "bob@x.org Bob false import",
      "eve@x.org null true import",
    ]);
  });

  it("keeps an unsubscribed address so, unless resubscribe says otherwise", async () => {
    const service = createService();
    await importCounts(service, `${HEADER}ann@x.org,,false\n`);
    const text = `${HEADER}ann@x.org,Ann,true\n`;
    assertEquals(await importCounts(service, text), { keptUnsubscribed: 1 });
    assertEquals(await stored(service.storage), ["ann@x.org Ann false import"]);
    assertEquals(await importCounts(service, text, { query: "?resubscribe" }), { changed: 1 });
    assertEquals(await stored(service.storage), ["ann@x.org Ann true import"]);
  });

  it("only tells what it would do when dryRun is asked for", async () => {
    const service = createService();
    await importCounts(service, `${HEADER}ann@x.org,,false\n`);
    const text = `${HEADER}ann@x.org,,true\nbob@x.org,,true\nbad,,true\n`;
    for (const query of ["?dryRun", "?dryRun=true"]) {
      const { refused, counts } = await readReport(await sendImport(service, text, { query }));
      assertEquals(refused.length, 1);
      assertEquals(counts, {
        added: 1,
        changed: 0,
        unchanged: 0,
        keptUnsubscribed: 1,
        refused: 1,
      });
    }
    assertEquals(await stored(service.storage), ["ann@x.org null false import"]);
  });

  it("makes the changes of one address in the order of the rows", async () => {
    const service = createService();
    const rows = Array.from({ length: 6_000 }, (_, n) => `ann@x.org,Name ${n},${n !== 3_000}\n`);
    assertEquals(await importCounts(service, HEADER + rows.join("")), {
      added: 1,
      changed: 3_000,
      keptUnsubscribed: 2_999,
    });
    assertEquals(await stored(service.storage), ["ann@x.org Name 5999 false import"]);
  });

  it("has 2,000 addresses under way at once, and no more", async () => {
    const storage = openMemoryStorage();
    let [underWay, most] = [0, 0];
    const waiting: Storage = {
      ...storage,
      async transact(refs, decide) {
        const { length } = Object.keys(refs);
        most = Math.max(most, underWay += length);
        await Promise.resolve();
        underWay -= length;
        return await storage.transact(refs, decide);
      },
    };
    const service = createService({ storage: waiting });
    const rows = Array.from({ length: 20_000 }, (_, n) => `user${n}@x.org,,true\n`).join("");
    assertEquals(await importCounts(service, HEADER + rows), { added: 20_000 });
    assertEquals(most, 2_000);
  });

  it("takes columns in any order, and ignores others", async () => {
    const service = createService();
    await importCounts(service, "note,subscribed,userEmail\nx,false,ann@x.org\n");
    assertEquals(await stored(service.storage), ["ann@x.org null false import"]);
  });

  it("reads NDJSON, and ignores members that it does not know", async () => {
    const service = createService();
    const text = '\ufeff{"userEmail":"ann@x.org","subscribed":true,"createdAt":"x"}\r\n\n' +
      '{"subscribed":false,"userName":null,"userEmail":"bob@x.org"}';
    assertEquals(await importCounts(service, text, { type: NDJSON }), { added: 2 });
    assertEquals(await stored(service.storage), [
      "ann@x.org null true import",
      "bob@x.org null false import",
    ]);
    assertEquals(await importCounts(service, "", { type: NDJSON }), {});
  });

  it("tells line, field, code and reason of each row that it refuses", async () => {
    const csv = new TextEncoder().encode(
      `${HEADER}bad,,true\n"a\nb","\u202e",maybe\na@x.org,true\n,,\na@x.org,"A" B,true\n#\n"a,\n`,
    );
    csv[csv.indexOf("#".charCodeAt(0))] = 0xff;
    const { refused } = await readReport(await sendImport(createService(), csv));
    const noAt = "userEmail is not a valid e-mail address: it has no @";
    assertEquals(refused, [
      { line: 2, field: "userEmail", code: "invalid_email", detail: noAt },
      {
        line: 3,
        field: "userEmail",
        code: "invalid_email",
        detail: `${noAt}; userName has control characters, bidirectional controls or lone ` +
          "surrogates; subscribed must be true or false (lines 3 to 4)",
      },
      {
        line: 5,
        field: null,
        code: "invalid_value",
        detail: "the row has 2 fields where the header has 3",
      },
      {
        line: 6,
        field: "userEmail",
        code: "required",
        detail: "userEmail is required; subscribed is required",
      },
      {
        line: 7,
        field: null,
        code: "invalid_value",
        detail: "the row has text after a closing quote",
      },
      {
        line: 8,
        field: null,
        code: "unsupported_characters",
        detail: "the row is not valid UTF-8",
      },
      {
        line: 9,
        field: null,
        code: "invalid_value",
        detail: "the row has a quote that is never closed",
      },
    ]);
    const ndjson = 'x\n[]\nnull\n{"userEmail":1,"userName":2,"subscribed":"true"}\n{}\n';
    const lines = await readReport(await sendImport(createService(), ndjson, { type: NDJSON }));
    assertEquals(lines.refused.map(({ code, detail }) => `${code}: ${detail}`), [
      "invalid_value: the row is not JSON",
      "invalid_type: the row is not a JSON object",
      "invalid_type: the row is not a JSON object",
      "invalid_type: userEmail must be a string; userName must be a string; " +
      "subscribed must be a JSON boolean",
      "required: userEmail is required; subscribed is required",
    ]);
  });

  const headers: readonly (readonly [string, string])[] = [
    ["", "the file is empty; its first line must be a header"],
    ["\n\n", "the file is empty; its first line must be a header"],
    ["ann@x.org,Ann,true\n", "the header has no column userEmail; the first line must name"],
    ["userEmail,userName\n", "the header has no column subscribed; "],
    ["userEmail, subscribed\n", 'no column subscribed, but " subscribed": spelling, spaces and'],
    ["userEmail,username,subscribed\n", 'no column userName, but "username": spelling'],
    ["userEmail;userName;subscribed\n", "no column userEmail; separate columns by commas"],
    ["userEmail,subscribed,userEmail\n", "the header has the column userEmail twice"],
    ['"userEmail,subscribed\n', "the header has a quote that is never closed"],
    [`${"x".repeat(66_000)}\n`, "the header is longer than 65,536 characters"],
  ];
  for (const [text, detail] of headers) {
    it(`is 400, and stores nothing, when the file is ${JSON.stringify(text.slice(0, 40))}`, async () => {
      const service = createService();
      const problem = await assertProblem(await sendImport(service, text), 400, "malformed_body");
      assertStringIncludes(problem.detail, detail);
      assertEquals(await stored(service.storage), []);
    });
  }

  it("is 422 when a parameter is unknown or not a boolean", async () => {
    const service = createService();
    const response = await sendImport(service, HEADER, { query: "?dryrun&resubscribe=1" });
    await assertRefused(response, { dryrun: "unknown_field", resubscribe: "invalid_value" });
  });

  const NOT_TAKEN: readonly Readonly<Record<string, string>>[] = [
    { "content-type": "application/json" },
    { "content-type": "text/csv; charset=latin1" },
    { "content-type": "text/csv", "content-encoding": "gzip" },
  ];
  for (const headers of NOT_TAKEN) {
    it(`is 415 when the headers are ${JSON.stringify(headers)}`, async () => {
      const { send } = createService();
      const response = await send("POST", `${SUBSCRIBERS}/import`, { headers, body: HEADER });
      await assertProblem(response, 415, "unsupported_media_type");
    });
  }

  it("is 403 when the key lacks subscriptions:write", async () => {
    const service = createService();
    const key = await service.createKey(["subscriptions:read"]);
    const response = await service.send("POST", `${SUBSCRIBERS}/import`, { key, body: HEADER });
    await assertProblem(response, 403, "insufficient_scope");
  });

  for (
    const [end, status, code] of [
      ["stall", 408, "request_timeout"],
      ["break", 400, "malformed_body"],
    ] as const
  ) {
    it(`is ${status}, and has stored the rows before, when the body comes to a ${end}`, async () => {
      const service = createService({ bodyTimeoutMs: 20 });
      const body = bodyOf([HEADER, "ann@x.org,,true\nbad,,true\nbob@x.org,,tr"], end);
      await assertProblem(await sendImport(service, body), status, code);
      assertEquals(await stored(service.storage), ["ann@x.org null true import"]);
    });
  }

  it("is 503 when the server stops meanwhile", async () => {
    const stopping = new AbortController();
    const service = createService({ signal: stopping.signal });
    const response = sendImport(service, bodyOf([`${HEADER}ann@x.org,,true\n`], "stall"));
    stopping.abort();
    await assertProblem(await response, 503, "storage_unavailable");
  });

  it("finishes what is under way, and is 503, when storage fails", async () => {
    const storage = openMemoryStorage();
    let left = 7;
    const failing: Storage = {
      ...storage,
      async transact(refs, decide) {
        if (left-- <= 0) throw new StorageError("unavailable", "The disk is full");
        return await storage.transact(refs, decide);
      },
    };
    const events: LogEvent[] = [];
    const service = createService({ storage: failing, log: (event) => void events.push(event) });
    const rows = Array.from({ length: 1_200 }, (_, n) => `user${n}@x.org,,true\n`).join("");
    await assertProblem(await sendImport(service, HEADER + rows), 503, "storage_unavailable");
    assertEquals((await stored(storage)).length, 700);
    assertEquals(events.map(({ status, error }) => [status, `${error}`]), [
      [503, "StorageError: The disk is full"],
    ]);
  });

  it("breaks off, and is logged once, when it fails after the response has begun", async () => {
    const events: LogEvent[] = [];
    const service = createService({ log: (event) => void events.push(event) });
    const chunks = [HEADER, ...Array.from({ length: 4_000 }, () => "bad,,true\n")];
    const response = await sendImport(service, bodyOf(chunks, "break"));
    assertEquals(response.status, 200);
    assertEquals(events, []);
    await assertRejects(() => response.text());
    assertEquals(events.map(({ status, level }) => [status, level]), [[200, "info"]]);
  });
});
