import {
  excerptOf,
  firstImage,
  type MarkdownTree,
  parseMarkdown,
  renderHtml,
  withDirections,
} from "../../../model/entries/markdown.ts";
import type { Entry } from "../../../model/entries/entry.ts";
import { createYielder } from "../../../model/turns.ts";
import type { Html } from "../../../model/values/html.ts";
import { addressOf, type PublicSite } from "./site.ts";

/** The body of an entry as HTML, with a summary for previews. */
export interface RenderedBody {
  /** The HTML. Its largest headings are `h3`, below the entry's title. */
  readonly html: string;
  /** The first words, as one line of text. */
  readonly excerpt: string;
  readonly image: { readonly url: string; readonly alt: string } | undefined;
}

/** An entry with its rendered body. */
export interface RenderedEntry {
  readonly entry: Entry;
  readonly body: RenderedBody;
}

const TOP_LEVEL = 3;
const LOWEST_LEVEL = 6;

/**
 * Returns the HTML for a page. Its largest headings have the given level, wide tables are in
 * elements that can be scrolled by keyboard, and each paragraph has the direction of its own text.
 */
export function forPage({ html }: RenderedBody, level: number): Html {
  const shift = level - TOP_LEVEL;
  // Text and attributes are escaped, so these are real tags.
  return {
    html: withDirections(html)
      .replace(
        /<(\/?)h([1-6])\b/g,
        (_, slash, found) => `<${slash}h${Math.min(LOWEST_LEVEL, Number(found) + shift)}`,
      )
      .replaceAll("<table ", '<div class="table" tabindex="0">\n<table ')
      .replaceAll("</table>", "</table>\n</div>"),
  };
}

/** Renders Markdown as the body of an entry. `imageBase` precedes `images/ID` in addresses. */
export function renderMarkdown(markdown: string, imageBase: string): RenderedBody {
  const tree = parseMarkdown(markdown, { imageBase });
  const levels = headingLevels(tree);
  const headingOffset = levels.length === 0 ? 0 : TOP_LEVEL - Math.min(...levels);
  return {
    html: renderHtml(tree, { headingOffset }),
    excerpt: excerptOf(tree),
    image: firstImage(tree),
  };
}

/**
 * Renders the bodies of entries, and yields to other requests, since each may take some
 * milliseconds.
 */
export async function renderAll(
  site: PublicSite,
  entries: readonly Entry[],
): Promise<readonly RenderedEntry[]> {
  const yieldIfBusy = createYielder();
  const rendered: RenderedEntry[] = [];
  for (const entry of entries) {
    rendered.push({ entry, body: renderMarkdown(entry.body, addressOf(site, "/")) });
    await yieldIfBusy();
  }
  return rendered;
}

function headingLevels(tree: MarkdownTree): readonly number[] {
  return tree.flatMap((block) => {
    if (block.type === "heading") return block.level;
    if (block.type === "quote") return headingLevels(block.children);
    return block.type === "list" ? block.items.flatMap(headingLevels) : [];
  });
}
