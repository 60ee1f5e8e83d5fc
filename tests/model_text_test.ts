import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { isBoardId, parseBoardId, parseBoardUrl, parseDescription } from "../model/board.ts";
import { parseName, parseUserName } from "../model/name.ts";
import { Refusal } from "../model/refusal.ts";

function codeOf(value: unknown): string | undefined {
  return value instanceof Refusal ? value.code : undefined;
}

const NAMES: readonly [given: string, normal: string][] = [
  ["Ann", "Ann"],
  ["", ""],
  [" \t\r\n\u00a0\u2003\ufeff", ""],
  ["  Ann  Lee\n", "Ann  Lee"],
  ["e\u0301", "é"],
  ["\u212b", "Å"],
  ['O\'Neil "x" <b> \\ %00', 'O\'Neil "x" <b> \\ %00'],
  ["👩‍👩‍👧 字 شكرا", "👩‍👩‍👧 字 شكرا"],
  ["𝒳".repeat(200), "𝒳".repeat(200)],
  ["e\u0301".repeat(200), "é".repeat(200)],
  [`Ann${" ".repeat(9_000)}`, "Ann"],
];
const UNSUPPORTED = [
  "\u0000",
  "\u0007",
  "\u001b",
  "\u007f",
  "\u0085",
  "\u009f",
  "\n",
  "\t",
  "\u061c",
  "\u200e",
  "\u200f",
  "\u202a",
  "\u202e",
  "\u2066",
  "\u2069",
  "\ud800",
  "\udfff",
];

describe("user name", () => {
  for (const [given, normal] of NAMES) {
    it(`a name is taken as "${normal.slice(0, 20)}" when it is ${JSON.stringify(given).slice(0, 30)}`, () => {
      assertEquals(parseUserName(given), normal);
    });
  }

  for (const character of UNSUPPORTED) {
    it(`a name is unsupported_characters when ${JSON.stringify(character)} is in it`, () => {
      assertEquals(codeOf(parseUserName(`a${character}b`)), "unsupported_characters");
    });
  }

  for (
    const text of ["x".repeat(201), "𝒳".repeat(201), "e\u0301".repeat(201), "x".repeat(100_000)]
  ) {
    it(`a name is too_long when it is ${text.slice(0, 2)} and ${text.length} units long`, () => {
      assertEquals(codeOf(parseUserName(text)), "too_long");
    });
  }

  it("an accepted name is its own normal form, within the limit", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      const name = parseUserName(text);
      if (name instanceof Refusal) return;
      assertEquals([parseUserName(name), name.normalize("NFC"), name.trim()], [name, name, name]);
      assert([...name].length <= 200);
    }));
  });
});

describe("board fields", () => {
  it("a board's name is invalid_value when nothing is left of it", () => {
    assertEquals(codeOf(parseName(" \n ")), "invalid_value");
    assertEquals(parseName(" x "), "x");
  });

  it("a description may have lines and tabs, but no other control characters", () => {
    assertEquals(parseDescription(" a\r\n\tb\n"), "a\r\n\tb");
    for (const character of UNSUPPORTED.filter((other) => !"\n\t".includes(other))) {
      assertEquals(codeOf(parseDescription(`a${character}b`)), "unsupported_characters");
    }
  });

  it("a description has up to 4,000 code points", () => {
    assertEquals(parseDescription("𝒳".repeat(4_000)), "𝒳".repeat(4_000));
    assertEquals(codeOf(parseDescription("𝒳".repeat(4_001))), "too_long");
    assertEquals(codeOf(parseDescription("x".repeat(100_000))), "too_long");
  });

  it("a description is unsupported_characters when over 200 marks stand in a row", () => {
    const most = `x${"\u0345".repeat(200)}`;
    for (const taken of [most + most, `x${"\u{1e944}".repeat(200)}`]) {
      assertEquals(parseDescription(taken), taken);
    }
    assertEquals(codeOf(parseDescription(`${most}\u0345`)), "unsupported_characters");
    assertEquals(codeOf(parseDescription(`${most}${most}\u0334x`)), "unsupported_characters");
  });

  it("a boardId is taken exactly when it matches the pattern", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 140 }), (text) => {
        const matches = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/.test(text) && !text.endsWith("\n");
        assertEquals([isBoardId(text), parseBoardId(text) === text], [matches, matches]);
      }),
      { examples: [["a"], ["A.b_c~d-e"], ["-a"], ["a\n"], [""], ["x".repeat(128)], ["é"]] },
    );
    assertEquals(codeOf(parseBoardId("x".repeat(129))), "too_long");
    assertEquals(codeOf(parseBoardId("a b")), "invalid_value");
  });

  for (
    const url of [
      "https://example.com",
      "http://example.com:8080/a/b?c=d&e#f",
      "HTTPS://user@example.com/%C3%A9",
      "http://[::1]/",
      "http://ann:b%5B@[::ffff:1.2.3.4]:80?c/d?e#/f?g",
      "http://127.0.0.1/",
    ]
  ) {
    it(`a URL is kept as it was written when it is ${url}`, () => {
      assertEquals(parseBoardUrl(url), url);
    });
  }

  for (
    const url of [
      "example.com",
      "//example.com",
      "ftp://example.com",
      "mailto:ann@example.com",
      "data:text/html,x",
      "https:example.com",
      "https:///example.com:x",
      "https://",
      "https://a b",
      "https://a/\n",
      "https://exämple.com",
      "https://a/%zz",
      "https://a/\\",
      'https://a/"',
      "https://[::1",
      "https://a[b]/",
      "https://a/[b]",
      "https://a/?b[c]=d",
      "https://a/#b#c",
      "https://a@b@c/",
      "https://[::1]b/",
      "https://a:99999/",
    ]
  ) {
    it(`a URL is invalid_value when it is ${JSON.stringify(url)}`, () => {
      assertEquals(codeOf(parseBoardUrl(url)), "invalid_value");
    });
  }
});
