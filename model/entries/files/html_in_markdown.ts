import { changeOutsideCode } from "./code_mask.ts";
import { type ConvertedHtml, htmlToMarkdown } from "./html_to_markdown.ts";
import { tokenizeMarkup } from "./markup.ts";

// What stands for an element's start and end; others that people use are dropped, their text stays.
const START: Readonly<Record<string, string>> = {
  ...{ b: "**", strong: "**", i: "*", em: "*", del: "~~", s: "~~", strike: "~~" },
  ...{ code: "`", kbd: "`", summary: "\n\n**", details: "\n\n", p: "\n\n", div: "\n\n" },
  ...{ ul: "\n", ol: "\n", li: "\n- ", hr: "\n\n***\n\n", blockquote: "\n\n> " },
  ...{ h1: "\n\n# ", h2: "\n\n## ", h3: "\n\n### ", h4: "\n\n#### ", h5: "\n\n##### " },
};
const END: Readonly<Record<string, string>> = {
  ...{ b: "**", strong: "**", i: "*", em: "*", del: "~~", s: "~~", strike: "~~" },
  ...{ code: "`", kbd: "`", summary: "**\n\n", details: "\n\n", p: "\n\n", div: "\n\n", li: "" },
  ...{ h1: "\n\n", h2: "\n\n", h3: "\n\n", h4: "\n\n", h5: "\n\n", blockquote: "\n\n" },
};
const DROPPED =
  /^(?:a|abbr|center|dd|dl|dt|font|h6|iframe|ins|mark|picture|small|source|span|sub|sup|table|tbody|td|th|thead|tr|u|video)$/;
const MEANT = /^(?:iframe|video|table|sub|sup)$/;
const BLOCK = /^ {0,3}<(pre|table|dl|figure)(?=[\s>])/gim;
const MAX_ROW_LENGTH = 2_000;
const TAG = /<!--[^]*?(?:-->|$)|<\/?[a-z][a-z0-9-]*(?:\s[^<>]{0,2000})?\/?>/gi;

/**
 * Replaces the HTML in a text in Markdown by Markdown: comments, line breaks, links, images, and the
 * marks that people write as HTML. What is no element of HTML stays as it is.
 */
export function replaceHtml(
  markdown: string,
): { readonly markdown: string; readonly leftOut: readonly string[] } {
  if (!markdown.includes("<")) return { markdown, leftOut: [] };
  const leftOut = new Set<string>();
  const links: string[] = [];

  function replaceTag(written: string, at: number, text: string): string {
    if (written.startsWith("<!--")) return "";
    const [token] = tokenizeMarkup(written);
    if (token === undefined || token.type === "text") return written;
    const name = token.name.toLowerCase();
    if (name === "br") return isInTable(text, at) ? " " : "\\\n";
    if (token.type === "end") {
      if (name === "a") return links.pop() ?? "";
      return END[name] ?? (START[name] !== undefined || DROPPED.test(name) ? "" : written);
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
    return START[name] ?? (DROPPED.test(name) ? "" : written);
  }

  const replaced = changeOutsideCode(
    markdown,
    (text) =>
      convertBlocks(text, leftOut).map((part) =>
        typeof part === "string" ? joinBlankLines(part.replace(TAG, replaceTag)) : part.markdown
      ).join("\n\n"),
  );
  return { markdown: replaced.trim(), leftOut: [...leftOut] };
}

/** Converts what can only be read as a whole, such as tables; returns what is between, too. */
function convertBlocks(text: string, leftOut: Set<string>): readonly (string | ConvertedHtml)[] {
  const parts: (string | ConvertedHtml)[] = [];
  const lower = text.toLowerCase();
  const unclosed = new Set<string>();
  let end = 0;
  for (const { 1: written, index } of text.matchAll(BLOCK)) {
    const name = written.toLowerCase();
    const tag = `</${name}>`;
    if (index < end || unclosed.has(name)) continue;
    const close = lower.indexOf(tag, index);
    if (close < 0) unclosed.add(name);
    const html = close < 0 ? "" : text.slice(index, close + tag.length);
    // Code that is masked is Markdown of its own.
    if (html === "" || html.includes("\ue000")) continue;
    const converted = htmlToMarkdown(html);
    for (const lost of converted.leftOut) leftOut.add(lost);
    parts.push(text.slice(end, index).trimEnd(), converted);
    end = index + html.length;
  }
  return [...parts, parts.length === 0 ? text : text.slice(end).trimStart()];
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
