import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { formatOf, queryOf, readHeader, writeRefused } from "../../studio/importing/sheet.js";
import { forEachRow } from "../_support/rows.ts";

describe("a sheet of subscribers", () => {
  it("has the headings that people see, whatever wrote it", () =>
    forEachRow([
      ["Mail,Name\na@example.com,A\n", ",", ["Mail", "Name"]],
      ['\uFEFF\n\nMail;"Full; name";Wants news\r\n', ";", ["Mail", "Full; name", "Wants news"]],
      ["Mail\tName\n", "\t", ["Mail", "Name"]],
      ['sep=;\nMail;"A ""B"""\n', ";", ["Mail", 'A "B"']],
      ['"Two\nlines",Mail\n', ",", ["Two\nlines", "Mail"]],
      ["", ",", []],
    ], ([text, separator, headings]) => {
      const read = readHeader(text);
      assertEquals([read.separator, read.headings], [separator, headings]);
    }));

  it("gives its refused rows back as they came, each after the reason", () => {
    const row = 'bob@;"B; ""ob"""';
    const refused = [{ row, reason: 'No "address"' }, { row: null, reason: "Gone" }];
    const options = { type: "text/csv", heading: "Reason" };
    assertEquals(
      writeRefused("sep=;\nMail;Name\n", refused, options),
      `sep=;\n"Reason";Mail;Name\n"No ""address""";${row}\n`,
    );
  });

  it("gives refused lines of JSON back with the reason, and as they are where they aren't JSON", () => {
    const refused = [{ row: '{"userEmail":"b"}', reason: "Bad" }, { row: "{oops", reason: "Bad" }];
    const options = { type: "application/x-ndjson", heading: "Reason" };
    assertEquals(writeRefused("", refused, options), '{"reason":"Bad","userEmail":"b"}\n{oops\n');
  });

  it("is told by its name from lines of JSON", () =>
    forEachRow(
      [["a.csv", "text/csv"], ["a.txt", "text/csv"], ["A.NDJSON", "application/x-ndjson"], [
        "a.jsonl",
        "application/x-ndjson",
      ]],
      ([name, type]) => assertEquals(formatOf(new File([], name)), type),
    ));

  it("is imported with what was chosen, and no more", () => {
    const nothing = { state: "", resubscribe: "false", true: "", false: "" };
    const columns = { userEmail: "Mail", userName: "", subscribed: "" };
    assertEquals(queryOf(nothing), {});
    assertEquals(queryOf({ ...nothing, ...columns, state: "state=subscribed" }), {
      columns: "userEmail=Mail",
      state: "subscribed",
    });
    // If a column has the state of each row, there is no setting for all rows.
    const chosen = { ...columns, subscribed: "News", state: "state=subscribed", true: "si" };
    assertEquals(queryOf({ ...nothing, ...chosen, resubscribe: "true" }), {
      columns: "userEmail=Mail,subscribed=News",
      true: "si",
      resubscribe: "true",
    });
  });
});
