import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import {
  escapeFormula,
  formatCsvField,
  splitCsvRecord,
  unescapeFormula,
} from "../../model/values/csv.ts";
import { createRecordSplitter, RECORD_MAX_LENGTH } from "../../model/values/record_splitter.ts";
import { forEachRow } from "../_support/rows.ts";

const encoder = new TextEncoder();
const LONGEST = "a".repeat(RECORD_MAX_LENGTH);
const MISPLACED = "has a quote inside a field that doesn't start with one";
const TRAILING = "has text after a closing quote";
const TOO_LONG = "is longer than 65,536 characters";

/** Splits contents that arrive in pieces. */
function split(contents: string | Uint8Array, { pieceSize = Infinity, quoting = true } = {}) {
  const bytes = typeof contents === "string" ? encoder.encode(contents) : contents;
  const splitter = createRecordSplitter({ quoting });
  const records = [];
  for (let at = 0; at < bytes.length; at += pieceSize) {
    records.push(...splitter.push(bytes.slice(at, at + pieceSize)));
  }
  records.push(...splitter.end());
  return records.map(({ fault, ...rest }) => ({ ...rest, fault: fault?.detail }));
}

/** Returns the text of each record, or its first and last line and its fault. */
function read(contents: string | Uint8Array, options = {}): string[] {
  return split(contents, options).map(({ text, fault, line, lastLine }) =>
    fault === undefined ? text : `${line}-${lastLine}: ${fault}`
  );
}

const formatCsvRecord = (fields: readonly string[]) => `${fields.map(formatCsvField).join(",")}\n`;

describe("CSV", () => {
  it("gives the same fields back when it is written and read, in pieces of any size", () => {
    const field = fc.string({ unit: fc.constantFrom(..."a\",\r\né'= ") });
    const records = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
    fc.assert(fc.property(records, fc.integer({ min: 1, max: 9 }), (records, pieceSize) => {
      const found = split(records.map(formatCsvRecord).join(""), { pieceSize });
      assertEquals(found.map(({ text }) => splitCsvRecord(text)), records);
    }));
  });

  it("is read the same whatever the bytes and the pieces", () => {
    const byte = fc.oneof(fc.constantFrom(10, 13, 34, 44, 97), fc.integer({ min: 0, max: 255 }));
    fc.assert(fc.property(fc.array(byte), fc.integer({ min: 1, max: 9 }), (list, pieceSize) => {
      const bytes = Uint8Array.from(list);
      assertEquals(split(bytes, { pieceSize }), split(bytes));
    }));
  });

  it("is refused record by record, each with its lines and the reason", async () => {
    const comment = `${"x".repeat(RECORD_MAX_LENGTH)}\nb,c\n`;
    await forEachRow<readonly [string | Uint8Array, readonly string[]]>([
      ["a\r\nb\nc", ["a", "b", "c"]],
      ['"a\r\n""b",c\r\n', ['"a\r\n""b",c']],
      ['a"b,c\nd', [`1-1: ${MISPLACED}`, "d"]],
      ['"a"b,c\nd', [`1-1: ${TRAILING}`, "d"]],
      ['a\n"b,c\nd', ["a", "2-3: has a quote that is never closed"]],
      [`${LONGEST}\r\nb`, [LONGEST, "b"]],
      [`${LONGEST}a\nb`, [`1-1: ${TOO_LONG}`, "b"]],
      // The rest of a quoted text that is too long is not read as records.
      [`a,"${comment}"\n"e"\n`, [`1-1: ${TOO_LONG}; is a quote left open?`, '"e"']],
      [Uint8Array.of(97, 10, 34, 0xff, 10, 34, 10, 98), ["a", "2-3: is not valid UTF-8", "b"]],
    ], ([contents, expected]) => assertEquals(read(contents), expected));
    assertEquals(read('"a\nb"', { quoting: false }), ['"a', 'b"']);
  });

  it("has a record that is too long refused before its end has come, and once", () => {
    const splitter = createRecordSplitter({ quoting: true });
    const push = (text: string) => splitter.push(encoder.encode(text)).map(({ line }) => line);
    assertEquals(push(`"${"a\n".repeat(RECORD_MAX_LENGTH / 2)}`), [1]);
    assertEquals(push(`${"c".repeat(RECORD_MAX_LENGTH * 3)}`), []);
    assertEquals([push('"'), push("\nd\n")], [[], [RECORD_MAX_LENGTH / 2 + 2]]);
  });
});

describe("a text in a spreadsheet", () => {
  const text = fc.string({ unit: fc.constantFrom(..."'\"=+-@\t\r＝;a") });

  it("is no formula, comes back as it was, and is left alone when it is harmless", () => {
    fc.assert(fc.property(text, (text) => {
      assertEquals(unescapeFormula(escapeFormula(text)), text);
      // A spreadsheet that separates by semicolons also understands quotes that were written for
      // commas.
      for (const line of [escapeFormula(text), formatCsvRecord([escapeFormula(text)])]) {
        for (const cell of line.split(";")) assert(!/^"*[=+\-@\t\r＝＋－＠]/.test(cell), line);
      }
    }));
    assertEquals(["＝1", "＠a"].map(escapeFormula), ["'＝1", "'＠a"]);
    const harmless = ["Ann", "'t Hooft", "", "a=b", "a; b", ";'t Hooft", ';"Ann"'];
    assertEquals(harmless.map(escapeFormula), harmless);
  });
});
