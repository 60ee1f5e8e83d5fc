import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { escapeFormula, formatCsvRecord, splitCsvRecord, unescapeFormula } from "../model/csv.ts";
import { createRecordSplitter, RECORD_MAX_LENGTH } from "../model/record_splitter.ts";

const encoder = new TextEncoder();
const field = fc.string({ unit: fc.constantFrom("a", '"', ",", "\r", "\n", "é", "'", "=", " ") });

/** What the splitter makes of bytes that come in pieces. */
function frame(contents: string | Uint8Array, { pieceSize = Infinity, quoting = true } = {}) {
  const bytes = typeof contents === "string" ? encoder.encode(contents) : contents;
  const splitter = createRecordSplitter({ quoting });
  const records = [];
  for (let at = 0; at < bytes.length; at += pieceSize) {
    records.push(...splitter.push(bytes.slice(at, at + pieceSize)));
  }
  records.push(...splitter.end());
  return records.map(({ fault, ...rest }) => ({ ...rest, fault: fault?.detail }));
}

function texts(contents: string): string[] {
  return frame(contents).map(({ text, fault, line }) => fault ? `${line}: ${fault}` : text);
}

describe("CSV", () => {
  it("gives the same fields back when it is written and read, in pieces of any size", () => {
    const records = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
    fc.assert(fc.property(records, fc.integer({ min: 1, max: 9 }), (records, pieceSize) => {
      const read = frame(records.map(formatCsvRecord).join(""), { pieceSize });
      assertEquals(read.map(({ text }) => splitCsvRecord(text)), records);
    }));
  });

  it("never fails on any bytes, and numbers records by the lines of the file", () => {
    const byte = fc.oneof(fc.constantFrom(10, 13, 34, 44, 97), fc.integer({ min: 0, max: 255 }));
    fc.assert(fc.property(fc.array(byte), fc.integer({ min: 1, max: 9 }), (list, pieceSize) => {
      const bytes = Uint8Array.from(list);
      const records = frame(bytes, { pieceSize });
      let next = 1;
      for (const { line, lastLine } of records) {
        assertEquals(line, next);
        assert(lastLine >= line);
        next = lastLine + 1;
      }
      const lineFeeds = list.filter((code) => code === 10).length;
      assertEquals(next - 1, lineFeeds + (list.length > 0 && list.at(-1) !== 10 ? 1 : 0));
    }));
  });

  it("reads the same whatever the pieces", () => {
    const bytes = fc.array(fc.constantFrom(10, 13, 34, 44, 97, 0xc3, 0xa9));
    fc.assert(fc.property(bytes, fc.integer({ min: 1, max: 5 }), (list, pieceSize) => {
      const bytes = Uint8Array.from(list);
      assertEquals(frame(bytes, { pieceSize }), frame(bytes));
    }));
  });

  it("ends a line with LF or CRLF, and the last one with nothing", () => {
    assertEquals(texts("a\r\nb\nc"), ["a", "b", "c"]);
  });

  it("keeps line ends and quotes inside quotes", () => {
    const [{ text, line, lastLine }] = frame('"a\r\n""b",c\r\n');
    assertEquals(splitCsvRecord(text), ['a\r\n"b', "c"]);
    assertEquals([line, lastLine], [1, 2]);
  });

  it("reads empty fields, quoted or not", () => {
    assertEquals(splitCsvRecord('"",,""'), ["", "", ""]);
    assertEquals(splitCsvRecord(""), [""]);
    assertEquals(splitCsvRecord('"a",'), ["a", ""]);
  });

  it("refuses a record whose quotes stand where none may, and reads the next line", () => {
    assertEquals(texts('a"b,c\nd'), [
      "1: has a quote inside a field that doesn't start with one",
      "d",
    ]);
    assertEquals(texts('"a"b,c\nd'), ["1: has text after a closing quote", "d"]);
    assertEquals(texts('"a"\rb\nd'), ["1: has text after a closing quote", "d"]);
    assertEquals(texts('"a"\r'), ['"a"']);
  });

  it("refuses a record whose quote is never closed", () => {
    assertEquals(texts('a\n"b,c\nd'), ["a", "2: has a quote that is never closed"]);
  });

  it("takes a record of the greatest length, and refuses one byte more", () => {
    const longest = "a".repeat(RECORD_MAX_LENGTH);
    assertEquals(texts(`${longest}\nb`), [longest, "b"]);
    assertEquals(texts(`${longest}\r\nb`), [longest, "b"]);
    assertEquals(texts(`${longest}a\nb`), ["1: is longer than 65,536 characters", "b"]);
  });

  it("takes a record of the greatest length when it comes at once with others", () => {
    const longest = "a".repeat(RECORD_MAX_LENGTH);
    const short = "b\n".repeat(RECORD_MAX_LENGTH);
    assertEquals(texts(`${short}${longest}\r\n`).slice(-2), ["b", longest]);
  });

  it("takes nothing in the quotes of a record that is too long for a record", () => {
    const comment = `${"x".repeat(RECORD_MAX_LENGTH)}\nb,c\n${"d\n".repeat(RECORD_MAX_LENGTH)}`;
    for (const pieceSize of [Infinity, 1_000]) {
      const [first, ...rest] = frame(`a,"${comment}"\n"e"\n`, { pieceSize });
      assertEquals(first, {
        line: 1,
        lastLine: 1,
        fault: "is longer than 65,536 characters; is a quote left open?",
        text: "",
      });
      assertEquals(rest.map(({ text }) => text), ['"e"']);
    }
  });

  it("refuses a record that is too long before its end has come, and then no more", () => {
    const splitter = createRecordSplitter({ quoting: true });
    const push = (text: string) => splitter.push(encoder.encode(text)).map(({ line }) => line);
    assertEquals(push(`"${"a\n".repeat(RECORD_MAX_LENGTH / 2)}`), [1]);
    assertEquals(push(`"b\n${"c".repeat(RECORD_MAX_LENGTH * 3)}`), [RECORD_MAX_LENGTH / 2 + 2]);
    assertEquals([push("c"), push("\nd\n")], [[], [RECORD_MAX_LENGTH / 2 + 3]]);
    assertEquals(splitter.end(), []);
  });

  it("refuses a line that is not UTF-8, and no other", () => {
    const bytes = Uint8Array.of(97, 10, 34, 0xff, 10, 34, 10, 0xef, 0xbf, 0xbd, 10, 0xc3);
    assertEquals(frame(bytes).map(({ text, fault }) => fault ?? text), [
      "a",
      "is not valid UTF-8",
      "\ufffd",
      "is not valid UTF-8",
    ]);
  });

  it("gives quotes no meaning where lines are read", () => {
    assertEquals(frame('"a\nb"', { quoting: false }).map(({ text }) => text), ['"a', 'b"']);
  });
});

describe("escapeFormula", () => {
  const unit = fc.constantFrom("'", '"', "=", "+", "-", "@", "\t", "\r", "＝", ";", "a");
  const text = fc.string({ unit });

  it("is undone by unescapeFormula, whatever the text", () => {
    fc.assert(fc.property(text, (text) => {
      assertEquals(unescapeFormula(escapeFormula(text)), text);
    }));
  });

  it("leaves no text that a spreadsheet runs", () => {
    fc.assert(fc.property(text, (text) => {
      // A spreadsheet that separates by semicolons takes the quotes of commas for its own.
      for (const line of [escapeFormula(text), formatCsvRecord([escapeFormula(text)])]) {
        for (const cell of line.split(";")) assert(!/^"*[=+\-@\t\r＝＋－＠]/.test(cell), line);
      }
    }));
  });

  it("leaves harmless text alone, with an apostrophe in front too", () => {
    const harmless = ["Ann", "'t Hooft", "", "a=b", "a; b", ";'t Hooft", ';"Ann"'];
    assertEquals(harmless.map(escapeFormula), harmless);
  });

  it("covers the full-width forms", () => {
    assertEquals(["＝1", "＋1", "－1", "＠a"].map(escapeFormula), ["'＝1", "'＋1", "'－1", "'＠a"]);
  });
});
