import { nearest } from "./nearest.ts";
import { Refusal } from "./refusal.ts";

// Control characters, lone surrogates, and the bidirectional controls of UAX #9.
const UNSUPPORTED = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const LINE_LAYOUT = /[\t\n\r]/g;
// Control characters but tabs and line breaks, and lone surrogates.
const UNSUPPORTED_IN_MARKDOWN = /[^\P{Cc}\t\n\r]|\p{Cs}/u;
// The blank Braille pattern U+2800 is a symbol, and shows nothing.
const VISIBLE = /(?![\p{DI}\u2800])[\p{L}\p{N}\p{S}\p{P}]/u;
const MAX_MARKS = 200;
const utf8 = new TextEncoder();

/** The maximum number of code points in the name of a user, a board or a key. */
export const NAME_MAX_CODE_POINTS = 200;

/** Limits of {@linkcode parseText}. */
export interface TextLimits {
  /** The maximum number of Unicode code points. */
  readonly maxCodePoints: number;
  /** Whether the text may contain tabs and line breaks. */
  readonly multiline?: boolean;
}

/**
 * Accepts text written by a person, normalises it to NFC (UAX #15) and trims outer white
 * space. The result may be empty.
 *
 * Refuses control characters, bidirectional controls, lone surrogates and more than 200 combining
 * marks in a row (`unsupported_characters`), and text over the limit (`too_long`).
 */
export function parseText(text: string, limits: TextLimits): string | Refusal {
  const trimmed = text.trim();
  // NFC combines at most 4 code points into one, and each has at most 2 UTF-16 units.
  if (trimmed.length > limits.maxCodePoints * 8) return tooLong(limits);
  // Normalizing marks takes time quadratic in the length of a run; no writing has more than 30 in a
  // row (UAX #15, Stream-Safe Text Format).
  if (
    trimmed.length > MAX_MARKS &&
    trimmed.split(/\P{M}+/u).some((run) => [...run].length > MAX_MARKS)
  ) {
    return new Refusal(
      "unsupported_characters",
      `has more than ${MAX_MARKS} combining marks in a row`,
    );
  }
  const cleaned = trimmed.normalize("NFC");
  const inspected = limits.multiline ? cleaned.replace(LINE_LAYOUT, "") : cleaned;
  if (UNSUPPORTED.test(inspected)) {
    return new Refusal(
      "unsupported_characters",
      "has control characters, bidirectional controls or lone surrogates",
    );
  }
  // A text never has more code points than UTF-16 units.
  const fits = cleaned.length <= limits.maxCodePoints ||
    [...cleaned].length <= limits.maxCodePoints;
  return fits ? cleaned : tooLong(limits);
}

/** Accepts the name of a board or key: NFC, trimmed, 1 to 200 code points, one of them visible. */
export function parseName(text: string): string | Refusal {
  const name = parseUserName(text);
  if (name instanceof Refusal) return name;
  return name === "" ? new Refusal("invalid_value", "is empty") : requireVisible(name);
}

/** Accepts a text with a letter, number, symbol or punctuation mark that readers see. */
export function requireVisible(text: string): string | Refusal {
  return VISIBLE.test(text) ? text : new Refusal("invalid_value", "has no visible character");
}

/** Accepts the name of a user: the same, but empty if no name was given. */
export function parseUserName(text: string): string | Refusal {
  return parseText(text, { maxCodePoints: NAME_MAX_CODE_POINTS });
}

/**
 * Accepts Markdown unchanged, up to a number of bytes of UTF-8; refuses with `too_long` or
 * `unsupported_characters`.
 */
export function parseMarkdownText(text: string, maxBytes: number): string | Refusal {
  if (text.length > maxBytes || utf8.encode(text).length > maxBytes) {
    return new Refusal("too_long", `is longer than ${maxBytes} bytes of UTF-8`);
  }
  if (UNSUPPORTED_IN_MARKDOWN.test(text)) {
    return new Refusal("unsupported_characters", "has control characters or lone surrogates");
  }
  return text;
}

/** Accepts the text `true` or `false`, in any case; refuses anything else with `invalid_value`. */
export function parseBoolean(text: string): boolean | Refusal {
  const lower = text.toLowerCase();
  if (lower === "true") return true;
  if (lower === "false") return false;
  return new Refusal("invalid_value", "must be true or false");
}

/** Accepts one of some known words; refuses others with `invalid_value`. */
export function parseChoice<W extends string>(text: string, known: readonly W[]): W | Refusal {
  return known.find((word) => word === text) ??
    new Refusal("invalid_value", `is none of ${known.join(", ")}${hintAt(text, known)}`);
}

/**
 * Accepts one or more known words separated by spaces, and returns them in the order of `known`;
 * else refuses with `invalid_value`. `noun` names a word in messages.
 */
export function parseWords<W extends string>(
  text: string,
  known: readonly W[],
  noun: string,
): readonly W[] | Refusal {
  const named = text.split(" ").filter((word) => word !== "");
  const unknown = named.find((word) => !known.some((other) => other === word));
  if (named.length > 0 && unknown === undefined) {
    return known.filter((word) => named.includes(word));
  }
  const fault = unknown === undefined
    ? `names no ${noun}`
    : `names the unknown ${noun} ${quote(unknown)}`;
  const hint = unknown === undefined ? "" : hintAt(unknown, known);
  return new Refusal("invalid_value", `${fault}; the ${noun}s are ${known.join(", ")}${hint}`);
}

function hintAt(text: string, known: readonly string[]): string {
  const meant = nearest(text, known);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

/**
 * Copies a text, or the texts of a record, that will be kept for long. Otherwise a substring keeps
 * the whole original text in memory in JavaScript engines.
 */
export function copyTexts<T extends string | object | null>(kept: T): T {
  return JSON.parse(JSON.stringify(kept));
}

/**
 * Quotes the first 40 characters of a text in a message. Shortens text that looks like the secret
 * of an API key or webhook further.
 */
export function quote(text: string): string {
  const masked = text.toWellFormed().replace(/((?:bc_|whsec_)[^ ]{0,4})[^ ]+/g, "$1…");
  const start = [...masked].slice(0, 40).join("");
  return `"${start}${start.length < masked.length ? "…" : ""}"`;
}

function tooLong({ maxCodePoints }: TextLimits): Refusal {
  return new Refusal("too_long", `is longer than ${maxCodePoints} characters`);
}

/** Formats values as NDJSON: one JSON text per line. */
export function formatNdjson(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}
