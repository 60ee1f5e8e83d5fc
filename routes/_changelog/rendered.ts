import type { Entry } from "../../model/entry.ts";
import { parseMarkdown, renderHtml, renderText } from "../../model/markdown.ts";

/** The body of an entry as HTML and as one line of text. */
export interface RenderedBody {
  /** The HTML, whose headings start below `h2`, the title of the entry. */
  readonly html: string;
  /** How it begins, for previews. */
  readonly excerpt: string;
}

const EXCERPT_LENGTH = 200;
const rendered = new WeakMap<Entry, RenderedBody>();

/** Renders the body of an entry, once for each version of it. */
export function renderBody(entry: Entry): RenderedBody {
  const known = rendered.get(entry);
  if (known !== undefined) return known;
  const tree = parseMarkdown(entry.body);
  const text = renderText(tree, { linkUrls: false }).replace(/\s+/g, " ").trim();
  const start = [...text.slice(0, 2 * EXCERPT_LENGTH)].slice(0, EXCERPT_LENGTH).join("");
  const excerpt = start.length < text.length ? `${start.trimEnd()}…` : text;
  const body = { html: renderHtml(tree, { headingOffset: 2 }), excerpt };
  rendered.set(entry, body);
  return body;
}
