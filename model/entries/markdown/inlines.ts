import { assemble, type Bracket, type Piece } from "./assemble.ts";
import { findBareUrl } from "./bare_url.ts";
import { ESCAPE_HERE, matchFrom, unescapeText } from "./characters.ts";
import { pairRuns, readRun, type Run } from "./emphasis.ts";
import { encodeLinkUrl, encodeUrl, findImage, readInlineLink } from "./link.ts";
import type { MarkdownInline } from "./tree.ts";

const PLAIN = /(?:[^\n\\`*_~[\]!<&hH]|[hH](?!ttps?:\/\/))+/iy;
// This fast test is enough for most table cells and items.
const MAY_HAVE_INLINES = /[\n\\`*_~[\]!<&]|https?:\/\//i;
const RUN = /\*+|_+|~+/y;
const MAX_TILDES = 2;
const URL_HERE = /^https?:\/\//i;
const TICKS = /`+/g;
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const AUTOLINK = new RegExp(
  "<(?:([a-z][a-z0-9+.-]{1,31}:[^<> \\t\\n]*)|" +
    `([a-z0-9.!#$%&'*+/=?^_\`{|}~-]+@${LABEL}(?:\\.${LABEL})*))>`,
  "iy",
);

/**
 * Parses the text of a paragraph or heading, whose lines start without white space (CommonMark
 * 0.31, section 6 and appendix, phase 2; GFM 0.29, sections 6.5 and 6.9).
 */
export function parseInlines(source: string, imageBase?: string): readonly MarkdownInline[] {
  if (!MAY_HAVE_INLINES.test(source)) return source === "" ? [] : [{ type: "text", text: source }];
  const pieces: Piece[] = [];
  const runs: Run[] = [];
  const brackets: Bracket[] = [];
  // This many of the open brackets, counted from the first, contain a link and so can't start one.
  let barred = 0;
  const lastTicks = new Map<number, number>();
  for (const { 0: ticks, index } of source.matchAll(/`+/g)) lastTicks.set(ticks.length, index);

  // Each of these functions reads an inline at `offset` and returns the offset of its end.

  function readText(offset: number): number {
    const text = matchFrom(PLAIN, source, offset)?.[0] ?? source[offset];
    pieces.push({ type: "text", text });
    return offset + text.length;
  }

  function readLineEnd(offset: number): number {
    let start = offset;
    while (source[start - 1] === " ") start--;
    const last = pieces.at(-1);
    if (start < offset && last?.type === "text") {
      pieces[pieces.length - 1] = { type: "text", text: last.text.slice(0, start - offset) };
    }
    pieces.push(offset - start >= 2 ? { type: "hard_break" } : { type: "text", text: "\n" });
    return offset + 1;
  }

  function readEscape(offset: number): number {
    if (source.startsWith("\\\n", offset)) {
      pieces.push({ type: "hard_break" });
      return offset + 2;
    }
    const written = matchFrom(ESCAPE_HERE, source, offset)?.[0];
    if (written === undefined) return readText(offset);
    pieces.push({ type: "text", text: unescapeText(written) });
    return offset + written.length;
  }

  function readCode(offset: number): number {
    const { length } = matchFrom(TICKS, source, offset)?.[0] ?? "`";
    const start = offset + length;
    if ((lastTicks.get(length) ?? -1) < start) {
      pieces.push({ type: "text", text: source.slice(offset, start) });
      return start;
    }
    let closing = matchFrom(TICKS, source, start);
    while (closing && closing[0].length !== length) closing = TICKS.exec(source);
    const end = closing?.index ?? source.length;
    const text = source.slice(start, end).replaceAll("\n", " ");
    const isPadded = text.startsWith(" ") && text.endsWith(" ") && /[^ ]/.test(text);
    pieces.push({ type: "code", text: isPadded ? text.slice(1, -1) : text });
    return end + length;
  }

  function readMarkers(offset: number): number {
    const end = offset + (matchFrom(RUN, source, offset)?.[0].length ?? 1);
    if (source[offset] === "~" && end - offset > MAX_TILDES) {
      pieces.push({ type: "text", text: source.slice(offset, end) });
      return end;
    }
    const run = readRun(source, offset, end);
    runs.push(run);
    pieces.push(run);
    return end;
  }

  function readBracket(text: "[" | "![", offset: number): number {
    const bracket: Bracket = { type: "bracket", text, runCount: runs.length };
    brackets.push(bracket);
    pieces.push(bracket);
    return offset + text.length;
  }

  function readBracketEnd(offset: number): number {
    const bracket = brackets.pop();
    const isLink = bracket?.text === "[";
    const isBarred = isLink && brackets.length < barred;
    barred = Math.min(barred, brackets.length);
    const found = bracket && !isBarred ? readInlineLink(source, offset + 1) : undefined;
    if (bracket === undefined || found === undefined) return readText(offset);
    const { destination, title, end } = found;
    const target = isLink ? { url: encodeLinkUrl(destination) } : findImage(destination, imageBase);
    bracket.link = { ...target, title };
    pairRuns(runs.splice(bracket.runCount));
    pieces.push({ type: "bracket_end" });
    if (isLink) barred = brackets.length;
    return end;
  }

  function readAutolink(offset: number): number {
    const match = matchFrom(AUTOLINK, source, offset);
    if (match === null) return readText(offset);
    const [written, url, address] = match;
    pushLink(encodeLinkUrl(url ?? `mailto:${address}`), url ?? address);
    return offset + written.length;
  }

  /** Adds a link, or only its text if the URL is refused. */
  function pushLink(url: string | undefined, text: string): void {
    const children = [{ type: "text", text }] as const;
    if (url === undefined) return void pieces.push(...children);
    pieces.push({ type: "link", url, title: "", children });
    barred = brackets.length;
  }

  function readUrl(offset: number): number {
    const url = findBareUrl(source, offset, { isInBrackets: brackets.length > 0 });
    if (url === undefined) {
      pieces.push({ type: "text", text: source[offset] });
      return offset + 1;
    }
    const children = [{ type: "text", text: url }] as const;
    pieces.push({
      type: "bare_url",
      link: { type: "link", url: encodeUrl(url), title: "", children },
    });
    return offset + url.length;
  }

  function read(offset: number): number {
    switch (source[offset]) {
      case "\n":
        return readLineEnd(offset);
      case "\\":
      case "&":
        return readEscape(offset);
      case "`":
        return readCode(offset);
      case "*":
      case "_":
      case "~":
        return readMarkers(offset);
      case "[":
        return readBracket("[", offset);
      case "!":
        return source[offset + 1] === "[" ? readBracket("![", offset) : readText(offset);
      case "]":
        return readBracketEnd(offset);
      case "<":
        return readAutolink(offset);
      default:
        return URL_HERE.test(source.slice(offset, offset + 8)) ? readUrl(offset) : readText(offset);
    }
  }

  for (let offset = 0; offset < source.length;) offset = read(offset);
  pairRuns(runs);
  return assemble(pieces);
}
