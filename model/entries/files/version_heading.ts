import { findDate } from "./entry_date.ts";

/** The meaning of a heading in a changelog. */
export interface HeadingText {
  /**
   * `unreleased` is a version that is not out yet; `unknown` is a text that only resembles a
   * version.
   */
  readonly kind: "version" | "unreleased" | "unknown";
  /** The version as written, without `v`; the date if a date replaces the version; else empty. */
  readonly version: string;
  /** The package name before the version, such as `@acme/ui`; empty if there is none. */
  readonly package: string;
  /** The rest of the title, such as the name of a release. */
  readonly name: string;
  /** Whether the heading counts as a version only with a date, because other words precede it. */
  readonly needsDate: boolean;
  /** Whether it is probably a version even without a date. */
  readonly isLikely: boolean;
  /** Whether a date replaces the version. */
  readonly isDate: boolean;
  readonly at: string | undefined;
  /** Whether its date is a day without a time. */
  readonly isDay: boolean;
  /** The address that its link leads to. */
  readonly url: string | undefined;
}

const MAX_LENGTH = 300;
const NUMBER = "\\d+(?:\\.\\d+){1,3}(?:[-+._]?(?:[A-Za-z]|(?<=[-+])\\d)[0-9A-Za-z.+-]*)?";
const VERSION = new RegExp(
  `(?<![\\w.]|\\d[-+])(?:(@?[\\w.-]+(?:/[\\w.-]+)?)(?:@|[ -](?=v)|-(?=\\d)))?v?(${NUMBER})(?![\\w.]\\w|\\w)`,
  "i",
);
// A single number; some browser extensions use it as a version.
const WHOLE = /^[^\p{L}\p{N}]*(?:v|version|release|build|r)?[ .]?(\d{1,5})(?![\w.]\w|\w)/iu;
// Such a number after a word that calls it a version.
const NAMED_WHOLE = /^[^\p{L}\p{N}]*(?:v|version[ .]|release[ .])(\d{1,5})(?![\w.]\w|\w)/iu;
const RANGE = new RegExp(
  `^[^\\p{L}\\p{N}]*v?\\d+(?:\\.[\\dx*]+)* *(?:-|–|—|\\.{2,3}|…|\\bto\\b|\\bthrough\\b|\\buntil\\b) *v?\\d+(?:\\.[\\dx*]+)+`,
  "iu",
);
const PLACEHOLDER = /^[^\p{L}\p{N}]*v?\d+(?:\.(?:\d+|[x*]))*\.[x*](?!\w)/iu;
const UNRELEASED =
  /^\W*(?:unreleased|upcoming|next|head|main|master|trunk|tbd|tba|in development)\b/i;
const UNRELEASED_ALONE = /^\W*unreleased\W*$/i;
const NOT_OUT =
  /\b(?:unreleased|not (?:yet )?released|to be (?:released|announced|determined)|tbd|tba|upcoming|coming soon|in (?:development|progress)|work in progress|wip)\b|\b(?:yyyy|xxxx|\?{4}|20\?\?|20xx)[-./]?/i;
// A version that is a date, followed by its number on that day.
const CALENDAR = /^(\d{4}\.\d{1,2}\.\d{1,2})(?:[-.]|$)/;
const VERSION_WORDS = /^(?:version|release|released|ver|rel|v)$/i;
const YANKED = /\[?\byanked\b\]?/i;
// Matches the text that may follow a version without a date.
const SEPARATED = /^[\])]*\s*(?:$|[-–—:/,(["'|·•]|\p{Extended_Pictographic}|\d{4}\b)/u;
// Matches a link text that only describes the target, and is not the name of a release.
const LINK_TEXT =
  /^[\s\W]*(?:(?:see|view|full|the|all)\s+)*(?:changelog|changes|diff|compare|release notes|commits?|notes|github)\b/i;
const LEFT_OVER =
  /^(?:released?(?: on| at| in)?|release date|date|dated|published|on|of|from|as of|the|v)$/i;
const LEFT_OVER_AT_END = /(?:\s|^)(?:released?|dated|published)?(?:\s(?:on|at|in))?$/i;
const MAX_NAME_WORDS = 6;

/** Reads the text of a heading; `undefined` if it contains no version. */
export function readHeadingText(heading: string): HeadingText | undefined {
  if (heading.length > MAX_LENGTH) return undefined;
  let url: string | undefined;
  const text = heading.replace(/<[^<>]*>/g, "")
    .replace(/!\[[^[\]]*\]\([^()\s]*\)/g, "")
    .replace(
      /\[([^[\]]*)\]\(((?:[^\s()[\]]|\([^\s()[\]]*\))+)\)/g,
      (_, inner: string, href: string) => {
        url ??= href;
        return LINK_TEXT.test(inner) ? "" : inner;
      },
    )
    .replace(/[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}/g, "").trim();
  const base = {
    version: "",
    package: "",
    name: "",
    needsDate: false,
    isLikely: true,
    isDate: false,
    at: undefined,
    isDay: false,
    url,
  };
  if (UNRELEASED.test(text)) {
    return { ...base, kind: "unreleased", isLikely: UNRELEASED_ALONE.test(text) };
  }
  const date = findDate(text);
  const undated = date === undefined
    ? text
    : `${text.slice(0, date.index)}${" ".repeat(date.written.length)}${
      text.slice(date.index + date.written.length)
    }`;
  if (RANGE.test(undated) || PLACEHOLDER.test(undated)) return { ...base, kind: "unknown" };
  const isAlone = date !== undefined &&
    !/^[-.]\w/.test(text.slice(date.index + date.written.length));
  const match = VERSION.exec(undated) ?? (isAlone ? WHOLE : NAMED_WHOLE).exec(undated);
  if (match === null) {
    return date && readDated(text, { ...base, at: date.at, isDay: date.isDay }, date);
  }
  const version = match[2] ?? match[1];
  const time = date ?? findDate(CALENDAR.exec(version)?.[1] ?? "");
  const before = undated.slice(0, match.index);
  const after = undated.slice(match.index + match[0].length);
  const words = wordsOf(before).filter((word) => !VERSION_WORDS.test(word));
  const isWhole = match[2] === undefined;
  const found = {
    ...base,
    version,
    package: isWhole ? "" : packageOf(match[1] ?? ""),
    needsDate: words.length > 0 || date === undefined && (isWhole || !SEPARATED.test(after)),
    isLikely: words.length <= 1 && (!isWhole || SEPARATED.test(after)),
    at: time?.at,
    isDay: time?.isDay ?? false,
  };
  if (NOT_OUT.test(after) || NOT_OUT.test(before)) return { ...found, kind: "unreleased" };
  if (words.length > MAX_NAME_WORDS) return undefined;
  return {
    ...found,
    kind: "version",
    name: nameOf(after) + (YANKED.test(text) ? " [YANKED]" : ""),
  };
}

/** Reads a heading with a date but no version: the date becomes the version. */
function readDated(
  text: string,
  base: Omit<HeadingText, "kind">,
  { index, written, at }: { readonly index: number; readonly written: string; readonly at: string },
): HeadingText | undefined {
  if (wordsOf(text.slice(0, index)).some((word) => !VERSION_WORDS.test(word))) return undefined;
  const after = text.slice(index + written.length);
  const [suffix] = /^(?:[-.]\w+)?/.exec(after)!;
  const version = (CALENDAR.test(written) ? written : at.slice(0, 10)) + suffix;
  const name = nameOf(after.slice(suffix.length));
  return { ...base, kind: "version", version, isDate: true, name };
}

/** Removes leftover punctuation and words about the date from the name of a release. */
function nameOf(after: string): string {
  let name = after.replace(YANKED, "").replace(/\(\s*\)|\[\s*\]|"\s*"/g, " ").replace(/\s+/g, " ");
  for (const [open, close] of ["()", "[]", '""']) {
    const [opened, closed] = [open, close].map((bracket) => name.split(bracket).length);
    const isEven = open === close ? opened % 2 === 1 : opened === closed;
    if (!isEven) name = name.replaceAll(open, "").replaceAll(close, "");
  }
  const trim = (text: string) =>
    text.replace(/^[\s\-–—:/,|·•]+|(?<![\s\-–—:/,|·•])[\s\-–—:/,|·•]+$/g, "");
  name = trim(trim(name).replace(LEFT_OVER_AT_END, ""))
    .replace(/^\(([^()]*)\)$|^\[([^[\]]*)\]$|^"([^"]*)"$/, "$1$2$3").trim();
  const isName = !LEFT_OVER.test(name) && /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(name);
  return isName ? ` – ${name}` : "";
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

function packageOf(name: string): string {
  return /[@/-]/.test(name) || /[a-z]/i.test(name) && !VERSION_WORDS.test(name) ? name : "";
}
