import { MASK, maskCode } from "../files/code_mask.ts";
import { emojiOf, LOST_PARTS, type LostPart, MARKS } from "./html_inlines.ts";
import { type Converted, htmlToMarkdown, MAX_LENGTH } from "./html_to_markdown.ts";
import { makeAbsolute, type References, resolveReferences } from "../files/markdown_links.ts";
import { tokenizeMarkup } from "./markup.ts";

/** The Markdown that replaces the start and the end of an element. */
const WRITTEN = new Map<string, readonly [start: string, end: string]>([
  ["code", ["`", "`"]],
  ["kbd", ["`", "`"]],
  ["h1", ["\n\n# ", "\n\n"]],
  ["h2", ["\n\n## ", "\n\n"]],
  ["h3", ["\n\n### ", "\n\n"]],
  ["h4", ["\n\n#### ", "\n\n"]],
  ["h5", ["\n\n##### ", "\n\n"]],
  ["h6", ["\n\n###### ", "\n\n"]],
  ["p", ["\n\n", "\n\n"]],
  ["div", ["\n\n", "\n\n"]],
  ["details", ["\n\n", "\n\n"]],
  ["summary", ["\n\n**", "**\n\n"]],
  ["blockquote", ["\n\n> ", "\n\n"]],
  ["ul", ["\n", ""]],
  ["ol", ["\n", ""]],
  ["li", ["\n- ", ""]],
  ["hr", ["\n\n***\n\n", ""]],
]);
for (const [name, mark] of MARKS) WRITTEN.set(name, [mark, mark]);
/** Elements whose tags are removed; their content stays. */
const DROPPED =
  /^(?:a|abbr|center|dd|dl|dt|font|iframe|ins|mark|picture|small|source|span|sub|sup|table|tbody|td|th|thead|tr|u|video)$/;
const BLOCK = /^ {0,3}<(pre|table|dl|figure)(?=[\s>])/gim;
const PIECE_LENGTH = 8_192;
const MAX_ROW_LENGTH = 2_000;
const COMMENT = /<!--[^]*?(?:-->|$)/g;
const TAG = /<\/?[a-z][a-z0-9-]*(?:\s[^<>]{0,2000})?\/?>/gi;

/**
 * Converts a part of a Markdown text so that it stands alone, with pauses: resolves link
 * definitions, HTML and relative addresses.
 */
export function* readMarkdown(
  markdown: string,
  references: References,
  base: string | undefined,
): Generator<void, Converted> {
  if (markdown.length > MAX_LENGTH) return { ...yield* replaceHtml(""), isTooLong: true };
  const resolved = resolveReferences(markdown, references);
  yield;
  const replaced = yield* replaceHtml(resolved, base);
  yield;
  return { ...replaced, body: makeAbsolute(replaced.body, { base, lost: replaced.lost }) };
}

/**
 * Replaces the HTML in a Markdown text by Markdown, with pauses: comments, line breaks, links,
 * images and marks. Unknown elements stay unchanged.
 */
export function* replaceHtml(markdown: string, base?: string): Generator<void, Converted> {
  const leftOut = new Set<LostPart>();
  const lost = { links: 0, images: 0 };
  if (!markdown.includes("<")) return { body: markdown, leftOut, lost, isTooLong: false };
  const links: string[] = [];

  function replaceTag(written: string, at: number, text: string): string {
    const { value: token } = tokenizeMarkup(written).next();
    if (token === undefined || token.type === "text") return written;
    const name = token.name.toLowerCase();
    if (name === "br") return isInTable(text, at) ? " " : "\\\n";
    const [start, end] = WRITTEN.get(name) ?? (DROPPED.test(name) ? ["", ""] : [written, written]);
    if (token.type === "end") {
      return name === "a" ? links.pop() ?? "" : end;
    }
    if (name === "a") {
      const href = token.attributes.get("href");
      links.push(href === undefined ? "" : `](${href})`);
      return href === undefined ? "" : "[";
    }
    if (name === "img") {
      const source = token.attributes.get("src") ?? "";
      return emojiOf(token.attributes) ?? `![${token.attributes.get("alt") ?? ""}](${source})`;
    }
    const part = name === "table" ? name : LOST_PARTS.get(name);
    if (part !== undefined && DROPPED.test(name)) leftOut.add(part);
    return start;
  }

  const { text, restore } = maskCode(markdown);
  const parts: string[] = [];
  for (const part of splitBlocks(text)) {
    if (part.isBlock) {
      yield;
      const converted = yield* htmlToMarkdown(part.text, { base, leftOut, lost });
      if (converted.isTooLong) return converted;
      parts.push(converted.body);
      continue;
    }
    let replaced = "";
    for (const piece of splitText(part.text.replace(COMMENT, ""))) {
      yield;
      replaced += piece.replace(TAG, replaceTag);
    }
    parts.push(joinBlankLines(replaced));
  }
  return { body: restore(parts.join("\n\n")).trim(), leftOut, lost, isTooLong: false };
}

/** Splits a long text at line ends. */
function* splitText(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf("\n", from + PIECE_LENGTH) + 1;
    const to = end === 0 ? text.length : end;
    yield text.slice(from, to);
    from = to;
  }
}

interface TextPart {
  readonly text: string;
  /** Whether it must be converted as a whole, such as a table. */
  readonly isBlock: boolean;
}

function splitBlocks(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  const lower = text.toLowerCase();
  const closes = new Map<string, number>();
  // Keeps the next position of each text, so that each is searched only once and the time is
  // linear.
  const find = (what: string, from: number): number => {
    const known = closes.get(what) ?? -1;
    const at = known >= from ? known : lower.indexOf(what, from);
    closes.set(what, at < 0 ? Infinity : at);
    return closes.get(what)!;
  };
  let end = 0;
  for (const { 1: name, index } of text.matchAll(BLOCK)) {
    if (index < end) continue;
    const close = `</${name.toLowerCase()}>`;
    const at = find(close, index);
    // An element that contains masked code is Markdown, so it stays unchanged.
    if (at === Infinity || find(MASK, index) < at) continue;
    parts.push({ text: text.slice(end, index).trimEnd(), isBlock: false });
    end = at + close.length;
    parts.push({ text: text.slice(index, end), isBlock: true });
  }
  const rest = text.slice(end);
  return [...parts, { text: end === 0 ? rest : rest.trimStart(), isBlock: false }];
}

/** Merges consecutive blank lines, and removes a space before a line end. */
function joinBlankLines(text: string): string {
  const lines = text.split("\n").map((line) =>
    line.trim() === "" ? "" : line.replace(/(?<=\S) $/, "")
  );
  return lines.filter((line, index) => line !== "" || lines[index - 1] !== "").join("\n");
}

function isInTable(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - MAX_ROW_LENGTH), at);
  const start = before.lastIndexOf("\n") + 1;
  return (start > 0 || at <= MAX_ROW_LENGTH) && before.slice(start).trimStart().startsWith("|");
}
