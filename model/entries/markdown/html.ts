import { inlineToText } from "./excerpt.ts";
import type {
  MarkdownBlock,
  MarkdownCell,
  MarkdownInline,
  MarkdownList,
  MarkdownTable,
  MarkdownTree,
} from "./tree.ts";

/** The options of the HTML renderer. */
export interface RenderHtmlOptions {
  /** The number to add to the level of each heading. Default: 0. */
  readonly headingOffset?: number;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
const SPANS = { emphasis: "em", strong: "strong", strikethrough: "del" } as const;
const MAX_LEVEL = 6;
// Matches the checkbox of a task; its label is the text of the task.
const BOX = /<input (checked="" )?disabled="" type="checkbox" aria-label="[^"]*" \/>/g;

/**
 * Writes a tree as HTML with these elements and attributes only: `p`, `h1` to `h6`, `ul`, `ol
 * start`, `li`, `blockquote`, `pre`, `code class`, `hr`, `br`, `em`, `strong`, `del`, `a href
 * title`, `img src alt title width height loading`, `table`, `thead`, `tbody`, `tr`, `th align`,
 * `td align`, and `input` for the checkbox of a task.
 */
export function renderHtml(tree: MarkdownTree, options: RenderHtmlOptions = {}): string {
  return tree.map((block) => blockToHtml(block, options)).join("");
}

/**
 * Replaces the checkboxes in HTML by characters, because mail programs and feed readers remove
 * controls.
 */
export function withoutControls(html: string): string {
  return html.replace(BOX, (_, checked) => checked ? "☑" : "☐");
}

/**
 * Sets the direction of each paragraph, heading, item and table in our own HTML from its text. The
 * first block of an item or a quote shares its direction with the item's marker or the quote's
 * line; code runs from left to right.
 */
export function withDirections(html: string): string {
  return html
    .replace(/<(li|h[1-6]|table|blockquote(?=>\n<p>))>/g, '<$1 dir="auto">')
    .replace(/(?<!<(?:li|blockquote) dir="auto">\n)<p>/g, '<p dir="auto">')
    .replaceAll("<pre ", '<pre dir="ltr" ');
}

function blockToHtml(block: MarkdownBlock, options: RenderHtmlOptions): string {
  switch (block.type) {
    case "paragraph":
      return `<p>${inlinesToHtml(block.children)}</p>\n`;
    case "heading": {
      const level = Math.min(MAX_LEVEL, block.level + (options.headingOffset ?? 0));
      return `<h${level}>${inlinesToHtml(block.children)}</h${level}>\n`;
    }
    case "list":
      return listToHtml(block, options);
    case "quote":
      return `<blockquote>\n${renderHtml(block.children, options)}</blockquote>\n`;
    case "code_block": {
      const { language, text } = block;
      const attribute = writeAttribute("class", language && `language-${language}`);
      return `<pre tabindex="0"><code${attribute}>${escapeHtml(text)}</code></pre>\n`;
    }
    case "table":
      return tableToHtml(block);
    case "thematic_break":
      return "<hr />\n";
  }
}

function tableToHtml({ alignments, header, rows }: MarkdownTable): string {
  function rowToHtml(name: "th" | "td", cells: readonly MarkdownCell[]): string {
    const content = cells.map((cell, index) => {
      const attribute = writeAttribute("align", alignments[index] ?? "");
      return `<${name}${attribute}>${inlinesToHtml(cell)}</${name}>\n`;
    });
    return `<tr>\n${content.join("")}</tr>\n`;
  }
  const head = `<thead>\n${rowToHtml("th", header)}</thead>\n`;
  const body = rows.map((row) => rowToHtml("td", row)).join("");
  return `<table>\n${head}${body && `<tbody>\n${body}</tbody>\n`}</table>\n`;
}

function listToHtml({ start, isTight, items }: MarkdownList, options: RenderHtmlOptions): string {
  const name = start === undefined ? "ul" : "ol";
  const attribute = start === undefined || start === 1 ? "" : ` start="${start}"`;
  const content = items.map((item) => {
    let html = "<li>";
    for (const block of item) {
      const isBare = isTight && block.type === "paragraph";
      if (!isBare && !html.endsWith("\n")) html += "\n";
      html += isBare ? inlinesToHtml(block.children) : blockToHtml(block, options);
    }
    return `${html}</li>\n`;
  });
  return `<${name}${attribute}>\n${content.join("")}</${name}>\n`;
}

function inlinesToHtml(inlines: readonly MarkdownInline[]): string {
  const html = inlines.map(inlineToHtml).join("");
  const [first, ...rest] = inlines;
  if (first?.type !== "checkbox") return html;
  // The label of a completed task includes text that is struck through.
  const words = rest.flatMap((inline) =>
    inline.type === "strikethrough" ? inline.children : [inline]
  );
  const name = escapeHtml(words.map(inlineToText).join("").trim());
  const checked = first.isChecked ? 'checked="" ' : "";
  return `<input ${checked}disabled="" type="checkbox" aria-label="${name}" />${html}`;
}

function inlineToHtml(inline: MarkdownInline): string {
  switch (inline.type) {
    case "text":
      return escapeHtml(inline.text);
    case "hard_break":
      return "<br />\n";
    case "code":
      return `<code>${escapeHtml(inline.text)}</code>`;
    case "checkbox":
      // The level above writes the checkbox, because only there the label is known.
      return "";
    case "link": {
      const { url, title, children } = inline;
      const attributes = writeAttribute("href", url) + writeAttribute("title", title);
      return `<a${attributes}>${inlinesToHtml(children)}</a>`;
    }
    case "image": {
      const { url, title, alt, size } = inline;
      const attributes = `${writeAttribute("src", url)} alt="${escapeHtml(alt)}"`;
      // A known size keeps the page from moving when the image arrives.
      const known = size && ` width="${size.width}" height="${size.height}" loading="lazy"`;
      return `<img${attributes}${writeAttribute("title", title)}${known ?? ""} />`;
    }
    default:
      return `<${SPANS[inline.type]}>${inlinesToHtml(inline.children)}</${SPANS[inline.type]}>`;
  }
}

/** Writes an attribute unless its value is empty. */
function writeAttribute(name: string, value: string): string {
  return value === "" ? "" : ` ${name}="${escapeHtml(value)}"`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character]);
}
