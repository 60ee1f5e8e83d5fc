import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { BOARD } from "../../model/board.ts";
import { parseHttpUrl } from "../../model/values/http_url.ts";
import { parseOverlap } from "../../model/keys/issue_key.ts";
import { parseName, parseUserName } from "../../model/values/text.ts";
import { parseId } from "../../model/values/record_id.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { parseDuration, parseInstant } from "../../model/values/time.ts";
import { forEachRow } from "../_support/rows.ts";

type Parse = (text: string) => unknown;
type Row = readonly [text: string, value: unknown];

/** Checks the result of a parser for texts: a value, or a refusal with a code. */
async function assertParses(parse: Parse, rows: readonly Row[]): Promise<void> {
  await forEachRow(rows, ([text, expected]) => {
    const outcome = parse(text);
    assertEquals(outcome instanceof Refusal ? outcome.code : outcome, expected);
  });
}

/** Returns rows for texts that are kept unchanged. */
function kept(...texts: readonly string[]): readonly Row[] {
  return texts.map((text) => [text, text]);
}

/** Returns rows for texts that are refused with a code. */
function refused(code: string, texts: readonly string[]): readonly Row[] {
  return texts.map((text) => [text, code]);
}

const words = (text: string) => text.trim().split(/\s+/);
const CONTROLS = [..."\u0000\u001b\u007f\u0085\u009f\u061c\u200e\u202a\u202e\u2066\u2069"]
  .concat("\ud800", "\udfff").map((character) => `a${character}b`);

describe("text", () => {
  it("is normalised and trimmed, and has so many code points", async () => {
    await assertParses(parseUserName, [
      ...kept("Ann", "", 'O\'Neil "x" <b> \\ %00', "👩‍👩‍👧 字 شكرا", "𝒳".repeat(200)),
      [" \t\r\n\u00a0\u2003\ufeff", ""],
      ["  Ann  Lee\n", "Ann  Lee"],
      ["e\u0301".repeat(200), "é".repeat(200)],
      [`Ann${" ".repeat(9_000)}`, "Ann"],
      ...refused("too_long", ["𝒳".repeat(201), "e\u0301".repeat(201), "x".repeat(100_000)]),
      ...refused("unsupported_characters", [...CONTROLS, "a\nb", "a\tb"]),
    ]);
    await assertParses(parseName, [[" x ", "x"], ...refused("invalid_value", ["", " \n "])]);
    const invisible = ["\u200b\u200d", "\u3164\u3164\u3164", "\u2800", "\u0301\u0301", "\ufe0f"];
    await assertParses(parseName, [
      ...refused("invalid_value", invisible),
      ...kept("中", "7", "?", "€", "👍🏽", "\u200bé"),
    ]);
    await assertParses(BOARD.fields.description.parse, [
      [" a\r\n\tb\n", "a\r\n\tb"],
      ...kept("𝒳".repeat(4_000)),
      ...refused("unsupported_characters", CONTROLS),
      ...refused("too_long", ["𝒳".repeat(4_001)]),
    ]);
  });

  it("has at most 200 combining marks in a row, which take quadratic time to normalise", async () => {
    const most = `x${"\u0345".repeat(200)}`;
    const over = [`${most}\u0345`, `${most}${most}\u0334x`];
    const rows = [...kept(most + most), ...refused("unsupported_characters", over)];
    await assertParses(BOARD.fields.description.parse, rows);
  });
});

describe("an identifier", () => {
  it("has up to 128 unreserved characters, of which the first is a letter or a digit", () =>
    assertParses(parseId, [
      ...kept("a", "A.b_c~d-e", "9", "x".repeat(128)),
      ...refused("too_long", ["x".repeat(129)]),
      ...refused("invalid_value", ["", "-a", ".", "a b", "a/b", "é", "a\n"]),
    ]));
});

describe("a URL", () => {
  it("is absolute, http or https, of RFC 3986, and kept as it was written", async () => {
    const taken = words(`https://example.com http://example.com:8080/a/b?c=d&e#f http://127.0.0.1/
      HTTPS://user@example.com/%C3%A9 http://ann:b%5B@[::ffff:1.2.3.4]:80?c/d?e#/f?g
      https://a.example/${"x".repeat(1_982)}`);
    const others = words(`example.com //example.com ftp://example.com mailto:ann@example.com
      javascript:alert(1) https:example.com https:///example.com https:// https://exämple.com
      https://a/%zz https://a/\\ https://a/" https://a/<x> https://[::1 https://[::1]b/
      https://a[b]/ https://a/?b[c]=d https://a/#b#c https://a@b@c/ https://a:99999/`);
    const spaced = ["", "https://a b", "https://a/\n", " https://a"];
    await assertParses(parseHttpUrl, [
      ...kept(...taken),
      ...refused("too_long", [`https://a.example/${"x".repeat(1_983)}`]),
      ...refused("invalid_value", [...others, ...spaced]),
    ]);
  });
});

describe("a duration", () => {
  it("is a whole number and a unit, up to 100 years", async () => {
    const others = words("5 d 1.5h -1h +1h 1H 1w 1h30m ١h 36501d 9999999999s");
    await assertParses(parseDuration, [
      ...[["0s", 0], ["30s", 30_000], ["15m", 900_000], ["24h", 86_400_000]] as const,
      ...[["007d", 604_800_000], ["36500d", 3_153_600_000_000]] as const,
      ...refused("invalid_value", [...others, "", "1 h", "1h\n"]),
    ]);
    await assertParses(parseOverlap, [
      ...[["0", 0], ["2m", 120_000]] as const,
      ...refused("invalid_value", ["1", "00", ""]),
    ]);
  });
});

describe("an instant", () => {
  it("is one of RFC 3339, at any offset, and given back in UTC with milliseconds", async () => {
    const others = words(`now 2030-01-31 1893456000 +02030-01-31T12:00:00Z 2030-01-31T12:00Z
      2030-01-31T12:00:00 2030-01-31T12:00:00.Z 2030-01-31T12:00:00+0200 2030-1-31T12:00:00Z
      2030-01-31T12:00:00+24:00 2030-13-10T12:00:00Z 2030-01-00T12:00:00Z 2030-02-29T00:00:00Z
      2100-02-29T00:00:00Z 2030-01-31T24:00:00Z 2030-01-31T12:60:00Z 2030-01-31T12:00:60Z
      9999-12-31T23:59:59-01:00 0000-12-31T23:59:59Z 0001-01-01T00:00:00+01:00`);
    await assertParses(parseInstant, [
      ["2030-01-31t12:00:00z", "2030-01-31T12:00:00.000Z"],
      ["2030-01-31T12:00:00.123456789Z", "2030-01-31T12:00:00.123Z"],
      ["2030-01-01T00:30:00+01:00", "2029-12-31T23:30:00.000Z"],
      ["2030-01-31T12:00:00-05:30", "2030-01-31T17:30:00.000Z"],
      ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"],
      ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
      ["2016-12-31T15:59:60.5-08:00", "2017-01-01T00:00:00.500Z"],
      ...kept("0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"),
      ...refused("invalid_value", [...others, "", "2030-01-31 12:00:00Z"]),
      ...refused("invalid_value", [" 2030-01-31T12:00:00Z", "2030-01-31T12:00:00Z\n"]),
    ]);
  });
});
