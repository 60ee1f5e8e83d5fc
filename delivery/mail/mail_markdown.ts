import {
  type MarkdownTree,
  renderHtml,
  shortenMarkdown,
  withDirections,
  withoutControls,
} from "../../model/entries/markdown.ts";
import { markup } from "../../model/values/html.ts";
import { inlineStyles } from "./style.ts";
import type { MailSettings } from "./list_mail.ts";

const utf8 = new TextEncoder();

/** Renders Markdown for the body of a mail, below its title. */
export function renderMailMarkdown(tree: MarkdownTree): string {
  return withDirections(withoutControls(renderHtml(tree, { headingOffset: 1 })));
}

/** Shortens Markdown until its part of a mail's HTML fits into a number of bytes. */
export function shortenMailMarkdown(
  tree: MarkdownTree,
  maxBytes: number,
  { accent }: Pick<MailSettings, "accent">,
): MarkdownTree {
  const sizeOf = (shown: MarkdownTree) =>
    byteLength(inlineStyles(renderMailMarkdown(shown), accent.light));
  return shortenMarkdown(tree, maxBytes, sizeOf);
}

/** Renders the link that follows a shortened text. */
export function renderMore(
  { url, label }: { readonly url: string; readonly label: string },
): string {
  return markup`<p>… <a href="${url}">${label}</a></p>\n`.html;
}

/** Returns the number of bytes that a text takes as UTF-8. */
export function byteLength(text: string): number {
  return utf8.encode(text).length;
}
