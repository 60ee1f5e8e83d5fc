import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { HEADER, importCounts, readReport, sendImport, stored } from "../../_support/import.ts";
import { forEachRow } from "../../_support/rows.ts";
import { assertOutcomes, assertProblem, createService, outcomeOf } from "../../_support/service.ts";
import { until } from "../../_support/waiting.ts";

const NDJSON = "application/x-ndjson";
const IMPORT = "changelogs/subscribers/import";

/** Returns a body that sends its chunks one by one, then breaks off or stays silent. */
function bodyOf(chunks: readonly string[], end: "break" | "stall"): ReadableStream {
  const left = chunks.map((chunk) => new TextEncoder().encode(chunk));
  return new ReadableStream({
    pull(controller) {
      const chunk = left.shift();
      if (chunk !== undefined) controller.enqueue(chunk);
      else if (end === "break") controller.error(new Error("The connection is gone"));
      else return new Promise(() => {});
    },
  });
}

describe("an import of subscribers", () => {
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

  it("only reports what it would do with dryRun", async () => {
    const service = createService();
    const text = `${HEADER}ann@x.org,,true\nbad,,true\n`;
    const counts = await importCounts(service, text, { query: "?dryRun" });
    assertEquals(counts, { added: 1, refused: 1 });
    assertEquals(await stored(service.storage), []);
  });

  it("takes columns in any order and NDJSON, and ignores other columns and members", async () => {
    const service = createService();
    await importCounts(service, "note,subscribed,userEmail\nx,false,ann@x.org\n");
    const text = '\ufeff{"userEmail":"bob@x.org","subscribed":true,"createdAt":"x"}\r\n\n' +
      '{"subscribed":false,"userName":null,"userEmail":"eve@x.org"}';
    assertEquals(await importCounts(service, text, { type: NDJSON }), { added: 2 });
    assertEquals(await stored(service.storage), [
      "ann@x.org null false import",
      "bob@x.org null true import",
      "eve@x.org null false import",
    ]);
  });

  it("tells line, field, code and reason of each row that it refuses", async () => {
    const csv = new TextEncoder().encode(
      `${HEADER}bad,,true\n"a\nb","\u202e",maybe\na@x.org,true\n,x,\na@x.org,"A" B,true\n#\n"a,\n`,
    );
    csv[csv.indexOf("#".charCodeAt(0))] = 0xff;
    const { refused } = await readReport(await sendImport(createService(), csv));
    const noAt = "userEmail is not a valid e-mail address: it has no @";
    const both = `${noAt}; userName has control characters, bidirectional controls or lone ` +
      "surrogates; subscribed must be true or false, and is " +
      '"maybe"; name other words by true and false ' +
      "(--true WORD, --false WORD) (lines 3 to 4)";
    const expected = [
      [2, "userEmail", "invalid_email", noAt, "bad,,true"],
      [3, "userEmail", "invalid_email", both, '"a\nb","\u202e",maybe'],
      [5, null, "invalid_value", "the row has 2 fields where the header has 3", "a@x.org,true"],
      [6, "userEmail", "required", "userEmail is required; subscribed is required", ",x,"],
      [7, null, "invalid_value", "the row has text after a closing quote", 'a@x.org,"A" B,true'],
      [8, null, "unsupported_characters", "the row is not valid UTF-8", "\ufffd"],
      [9, null, "invalid_value", "the row has a quote that is never closed", '"a,\n'],
    ].map(([line, field, code, detail, row]) => ({ line, field, code, detail, row }));
    assertEquals(refused, expected);
    const ndjson = 'x\n[]\n{"userEmail":1,"subscribed":"true"}\n{}\n';
    const report = await readReport(await sendImport(createService(), ndjson, { type: NDJSON }));
    const codes = ["invalid_value", "invalid_type", "invalid_type", "required"];
    assertEquals(report.refused.map(({ code }) => code), codes);
  });

  it("tells no text of a row that is too long to be kept", async () => {
    const { refused: [{ code, row }] } = await readReport(
      await sendImport(createService(), `${HEADER}${"x".repeat(70_000)},,true\n`),
    );
    assertEquals([code, row], ["too_long", null]);
  });

  it("is 400, names the fault in the header, and stores nothing", async () => {
    const service = createService();
    await forEachRow([
      ["\n\n", "the file is empty; its first line must be a header"],
      ["ann@x.org,Ann,true\n", "the header has no column userEmail; the first line must name"],
      ["userEmail, subscribed\n", 'no column subscribed, but " subscribed": spelling, spaces and'],
      ["userEmail,username,subscribed\n", 'no column userName, but "username": spelling'],
      ["userEmail|subscribed\n", "no column userEmail; the first line must name the columns"],
      ["userEmail,subscribed,userEmail\n", "the header has the column userEmail twice"],
      ['"userEmail,subscribed\n', "the header has a quote that is never closed"],
      [`${"x".repeat(66_000)}\n`, "the header is longer than 65,536 characters"],
    ], async ([text, detail]) => {
      const problem = await assertProblem(await sendImport(service, text), 400, "malformed_body");
      assertStringIncludes(problem.detail, detail);
    });
    assertEquals(await stored(service.storage), []);
  });

  it("is 400, and says what to do, for a file that is not text or not a list of lines", async () => {
    const service = createService();
    const gzip = new Blob([HEADER]).stream().pipeThrough(new CompressionStream("gzip"));
    await forEachRow([
      [gzip, "compressed by gzip: unpack it first"],
      [Uint8Array.of(0x50, 0x4b, 3, 4, 0x14, 0), "a workbook (.xlsx) or another archive: save"],
      [Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1), "a workbook (.xls): save the sheet as CSV"],
      [' [\n{"userEmail":"ann@x.org"}]', "a JSON array: write one object a line (jq -c"],
      ["[\n", "a JSON array"],
    ], async ([body, detail]) => {
      const response = await sendImport(service, body as BodyInit);
      const problem = await assertProblem(response, 400, "malformed_body");
      assertStringIncludes(problem.detail, detail as string);
    });
    const array = await sendImport(service, '[{"userEmail":"ann@x.org"}]', { type: NDJSON });
    const { detail } = await assertProblem(array, 400, "malformed_body");
    assertStringIncludes(detail, "a JSON array");
  });

  it("is 422 for a bad parameter, 415 for another media type", async () => {
    const unsupported = "415 unsupported_media_type";
    const query = "dryrun&resubscribe=1";
    const refused = "422 resubscribe:invalid_value dryrun:unknown_field";
    const columns = ["userEmail", "mail=E-Mail", "userName=A,userName=B", "userEmail="];
    const [csv, json] = ["text/csv", "application/json"].map((type) => ({ "content-type": type }));
    await assertOutcomes(createService(), [
      ["POST", `${IMPORT}?${query}`, { headers: csv, body: HEADER }, refused],
      ...columns.map((text) => {
        const path = `${IMPORT}?columns=${encodeURIComponent(text)}`;
        return ["POST", path, { headers: csv, body: HEADER }, "422 columns:invalid_value"] as const;
      }),
      ["POST", `${IMPORT}?true=,`, { headers: csv, body: HEADER }, "422 true:invalid_value"],
      ["POST", `${IMPORT}?true=yes`, {
        headers: { "content-type": NDJSON },
        body: "{}",
      }, "422 true:invalid_value"],
      ["POST", IMPORT, { headers: json, body: HEADER }, unsupported],
      ["POST", IMPORT, { headers: { ...csv, "content-encoding": "gzip" } }, unsupported],
    ]);
  });

  it("has stored the rows before when the body stalls or breaks off, or the server stops", async () => {
    const stopping = new AbortController();
    await forEachRow([
      ["stall", {}, "408 request_timeout"],
      ["break", {}, "400 malformed_body"],
      ["stall", { bodyTimeoutMs: undefined, signal: stopping.signal }, "503 storage_unavailable"],
    ], async ([end, options, expected]) => {
      const service = createService({ bodyTimeoutMs: 20, ...options });
      const body = bodyOf([HEADER, "ann@x.org,,true\nbad,,true\nbob@x.org,,tr"], end);
      const response = sendImport(service, body);
      await until(async () => (await stored(service.storage)).length > 0);
      if ("signal" in options) stopping.abort();
      assertEquals(await outcomeOf(await response), expected);
      assertEquals(await stored(service.storage), ["ann@x.org null true import"]);
    });
  });

  it("is 429 while four others are under way, and taken once one of them ends", async () => {
    const service = createService();
    const rows = HEADER + "bad,,true\n".repeat(10_000);
    const running = await Promise.all([1, 2, 3, 4].map(() => sendImport(service, rows)));
    const refused = await sendImport(service, rows);
    assertEquals(refused.headers.get("retry-after"), "1");
    const { detail } = await assertProblem(refused, 429, "rate_limited");
    assertEquals(detail, "4 imports of subscribers are under way; try again later");
    // The test reads one response to its end, cancels another, and leaves the rest unread.
    assertEquals((await readReport(running[0])).counts.refused, 10_000);
    await running[1].body!.cancel();
    const others = await Promise.all([rows, rows].map((rows) => sendImport(service, rows)));
    assertEquals(others.map(({ status }) => status), [200, 200]);
  });
});
