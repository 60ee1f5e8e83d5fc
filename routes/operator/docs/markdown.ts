import { type Html, markup } from "../../../model/values/html.ts";

/** A section of the guide. */
export interface MarkdownSection {
  /** The text of the heading; empty before the first one. */
  readonly title: string;
  readonly content: Html;
}

/**
 * Renders what descriptions use of CommonMark: headings of the second level, paragraphs, lists
 * with hyphens, and code between backticks.
 */
export function renderGuide(text: string): readonly MarkdownSection[] {
  return text.split(/^## /m).map((part, index) => {
    const [first, ...rest] = part.split("\n");
    const [title, body] = index === 0 ? ["", part] : [first, rest.join("\n")];
    return { title, content: renderBlocks(body) };
  });
}

/** Renders paragraphs and code blocks. */
export function renderBlocks(text: string): Html {
  return markup`${
    text.split(/\n{2,}/).map((block) => block.trim()).filter((block) => block !== "").map(
      (block) =>
        block.startsWith("- ")
          ? markup`<ul>${
            block.slice(2).split("\n- ").map((item) => markup`<li>${renderInline(item)}</li>`)
          }</ul>`
          : markup`<p>${renderInline(block)}</p>`,
    )
  }`;
}

/** Renders a text with code in backticks; that for which `isAnchor` holds is a link to it. */
export function renderInline(
  text: string,
  isAnchor: (code: string) => boolean = () => false,
): Html {
  return markup`${
    text.split("`").map((part, index) => {
      if (index % 2 === 0) return part;
      const code = markup`<code>${part}</code>`;
      return isAnchor(part) ? markup`<a href="#${part}">${code}</a>` : code;
    })
  }`;
}
