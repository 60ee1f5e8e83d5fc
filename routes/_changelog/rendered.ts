import type { Entry } from "../../model/entry.ts";
import type { Html } from "../_html.ts";
import { type MarkdownTree, parseMarkdown, renderHtml, renderText } from "../../model/markdown.ts";

/** The body of an entry as HTML and as one line of text. */
export interface RenderedBody {
  /** The HTML, whose greatest headings are `h3`, below the title of the entry. */
  readonly html: string;
  /** How it begins, for previews. */
  readonly excerpt: string;
}

const EXCERPT_LENGTH = 200;
const TOP_LEVEL = 3;
const rendered = new WeakMap<Entry, RenderedBody>();

/** Renders the body of an entry, once for each version of it. */
export function renderBody(entry: Entry): RenderedBody {
  const known = rendered.get(entry);
  if (known !== undefined) return known;
  const body = renderMarkdown(entry.body);
  rendered.set(entry, body);
  return body;
}

/** Returns HTML of {@linkcode renderBody} with greatest headings of another level. */
export function withHeadings({ html }: RenderedBody, level: number): Html {
  const shift = level - TOP_LEVEL;
  if (shift === 0) return { html };
  // What stands in texts and attributes is escaped, so these are the tags themselves.
  return {
    html: html.replace(/<(\/?)h([1-6])>/g, (_, slash, found) => {
      return `<${slash}h${Math.min(6, Number(found) + shift)}>`;
    }),
  };
}

/** Renders Markdown as the body of an entry. */
export function renderMarkdown(markdown: string): RenderedBody {
  const tree = parseMarkdown(markdown);
  const text = renderText(tree, { linkUrls: false }).replace(/\s+/g, " ").trim();
  const start = [...text.slice(0, 2 * EXCERPT_LENGTH)].slice(0, EXCERPT_LENGTH).join("");
  const excerpt = start.length < text.length ? `${start.trimEnd()}…` : text;
  const levels = headingLevels(tree);
  const headingOffset = levels.length === 0 ? 0 : TOP_LEVEL - Math.min(...levels);
  return { html: renderHtml(tree, { headingOffset }), excerpt };
}

function headingLevels(tree: MarkdownTree): readonly number[] {
  return tree.flatMap((block) => {
    if (block.type === "heading") return block.level;
    if (block.type === "quote") return headingLevels(block.children);
    return block.type === "list" ? block.items.flatMap(headingLevels) : [];
  });
}
