import { ENTRY } from "../entry.ts";
import { MASK, maskCode } from "./code_mask.ts";
import { type ConvertedHtml, htmlToMarkdown } from "./html_to_markdown.ts";
import { makeAbsolute, type References, resolveReferences } from "./markdown_links.ts";
import { tokenizeMarkup } from "./markup.ts";
import type { RawEntry } from "./file_entry.ts";

// What stands for an element's start and end; others that people use are dropped, their text stays.
const START: ReadonlyMap<string, string> = new Map(Object.entries({
  ...{ b: "**", strong: "**", i: "*", em: "*", del: "~~", s: "~~", strike: "~~" },
  ...{ code: "`", kbd: "`", summary: "\n\n**", details: "\n\n", p: "\n\n", div: "\n\n" },
  ...{ ul: "\n", ol: "\n", li: "\n- ", hr: "\n\n***\n\n", blockquote: "\n\n> " },
  ...{ h1: "\n\n# ", h2: "\n\n## ", h3: "\n\n### ", h4: "\n\n#### ", h5: "\n\n##### " },
}));
const END: ReadonlyMap<string, string> = new Map(Object.entries({
  ...{ b: "**", strong: "**", i: "*", em: "*", del: "~~", s: "~~", strike: "~~" },
  ...{ code: "`", kbd: "`", summary: "**\n\n", details: "\n\n", p: "\n\n", div: "\n\n", li: "" },
  ...{ h1: "\n\n", h2: "\n\n", h3: "\n\n", h4: "\n\n", h5: "\n\n", blockquote: "\n\n" },
}));
const DROPPED =
  /^(?:a|abbr|center|dd|dl|dt|font|h6|iframe|ins|mark|picture|small|source|span|sub|sup|table|tbody|td|th|thead|tr|u|video)$/;
const MEANT = /^(?:iframe|video|table|sub|sup)$/;
const BLOCK = /^ {0,3}<(pre|table|dl|figure)(?=[\s>])/gim;
const PIECE_LENGTH = 8_192;
const MAX_ROW_LENGTH = 2_000;
// More than this never becomes what an entry has room for.
const MAX_LENGTH = 2 * ENTRY.fields.body.maxBytes;
const COMMENT = /<!--[^]*?(?:-->|$)/g;
const TAG = /<\/?[a-z][a-z0-9-]*(?:\s[^<>]{0,2000})?\/?>/gi;

/** Makes a part of a text in Markdown one that stands alone, with pauses. */
export function* readMarkdown(
  markdown: string,
  references: References,
  base: string | undefined,
): Generator<void, Pick<RawEntry, "body" | "leftOut" | "lostLinks" | "lostImages" | "isTooLong">> {
  if (markdown.length > MAX_LENGTH) return { body: "", isTooLong: true };
  const resolved = resolveReferences(markdown, references);
  yield;
  const replaced = yield* replaceHtml(resolved, base);
  yield;
  const { body, lostLinks, lostImages } = makeAbsolute(replaced.markdown, base);
  return {
    body,
    leftOut: replaced.leftOut,
    lostLinks: replaced.lostLinks + lostLinks,
    lostImages: replaced.lostImages + lostImages,
    isTooLong: replaced.isTooLong,
  };
}

/**
 * Replaces the HTML in a text in Markdown by Markdown, with pauses: comments, line breaks, links, images,
 * and the marks that people write as HTML. What is no element of HTML stays as it is.
 */
export function* replaceHtml(markdown: string, base?: string): Generator<void, ConvertedHtml> {
  const leftOut = new Set<string>();
  const lost = { links: 0, images: 0 };
  const result = (text: string, isTooLong = false): ConvertedHtml => ({
    ...{ markdown: text, leftOut, lostLinks: lost.links, lostImages: lost.images, isTooLong },
  });
  if (!markdown.includes("<")) return result(markdown);
  const links: string[] = [];

  function replaceTag(written: string, at: number, text: string): string {
    const { value: token } = tokenizeMarkup(written).next();
    if (token === undefined || token.type === "text") return written;
    const name = token.name.toLowerCase();
    if (name === "br") return isInTable(text, at) ? " " : "\\\n";
    const isKnown = START.has(name) || DROPPED.test(name);
    if (token.type === "end") {
      if (name === "a") return links.pop() ?? "";
      return END.get(name) ?? (isKnown ? "" : written);
    }
    if (name === "a") {
      const href = token.attributes.get("href");
      links.push(href === undefined ? "" : `](${href})`);
      return href === undefined ? "" : "[";
    }
    if (name === "img") {
      const source = token.attributes.get("src") ?? "";
      return `![${token.attributes.get("alt") ?? ""}](${source})`;
    }
    if (MEANT.test(name)) leftOut.add(name);
    return START.get(name) ?? (isKnown ? "" : written);
  }

  const { text, restore } = maskCode(markdown);
  const parts: string[] = [];
  for (const part of splitBlocks(text)) {
    if (part.isBlock) {
      yield;
      const converted = yield* htmlToMarkdown(part.text, { base });
      if (converted.isTooLong) return result("", true);
      for (const name of converted.leftOut) leftOut.add(name);
      lost.links += converted.lostLinks;
      lost.images += converted.lostImages;
      parts.push(converted.markdown);
      continue;
    }
    let replaced = "";
    for (const piece of splitText(part.text.replace(COMMENT, ""))) {
      yield;
      replaced += piece.replace(TAG, replaceTag);
    }
    parts.push(joinBlankLines(replaced));
  }
  return result(restore(parts.join("\n\n")).trim());
}

/** Splits a text at ends of lines, if it is long. */
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
  /** Whether it can only be converted as a whole, such as a table. */
  readonly isBlock: boolean;
}

function splitBlocks(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  const lower = text.toLowerCase();
  const closes = new Map<string, number>();
  // What follows is not looked for again from each block.
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
    // Code that is masked is Markdown of its own.
    if (at === Infinity || find(MASK, index) < at) continue;
    parts.push({ text: text.slice(end, index).trimEnd(), isBlock: false });
    end = at + close.length;
    parts.push({ text: text.slice(index, end), isBlock: true });
  }
  const rest = text.slice(end);
  return [...parts, { text: end === 0 ? rest : rest.trimStart(), isBlock: false }];
}

/** Makes one blank line of several, and removes a space before a line end. */
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
