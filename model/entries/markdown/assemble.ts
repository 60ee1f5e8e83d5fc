import type { Run } from "./emphasis.ts";
import { inlinesToText } from "./text.ts";
import {
  MARKDOWN_MAX_NESTING,
  type MarkdownImage,
  type MarkdownInline,
  type MarkdownLink,
  type MarkdownSpan,
} from "./tree.ts";

/** A piece of a paragraph: a whole inline, or the start or end of one. */
export type Piece = MarkdownInline | Run | Bracket | BareUrl | { readonly type: "bracket_end" };

/** A URL that becomes a link, unless it is inside a link. */
export interface BareUrl {
  readonly type: "bare_url";
  readonly link: MarkdownLink;
}

/** A bracket that may start a link or an image. */
export interface Bracket {
  readonly type: "bracket";
  readonly text: "[" | "![";
  /** The number of runs before it. */
  readonly runCount: number;
  /** The target of the link or image, once its end is found. */
  link?: Pick<MarkdownImage, "title" | "size"> & { readonly url: string | undefined };
}

type Span = MarkdownSpan | Bracket;

/** Joins pieces to inlines, after the runs in them were paired. */
export function assemble(pieces: readonly Piece[]): readonly MarkdownInline[] {
  const parents: { readonly span: Span; readonly siblings: MarkdownInline[] }[] = [];
  let children: MarkdownInline[] = [];
  let skipped = 0;

  function push(node: MarkdownInline): void {
    const last = children.at(-1);
    if (node.type === "text" && last?.type === "text") {
      children[children.length - 1] = { type: "text", text: last.text + node.text };
    } else if (node.type !== "text" || node.text !== "") {
      children.push(node);
    }
  }

  function start(span: Span): void {
    if (parents.length === MARKDOWN_MAX_NESTING) {
      skipped++;
    } else {
      parents.push({ span, siblings: children });
      children = [];
    }
  }

  function end(): void {
    const parent = skipped > 0 ? undefined : parents.pop();
    if (parent === undefined) {
      skipped--;
    } else {
      const nodes = finish(parent.span, children);
      children = parent.siblings;
      nodes.forEach(push);
    }
  }

  for (const piece of pieces) {
    if (piece.type === "run") {
      for (let count = piece.closes; count > 0; count--) end();
      push({ type: "text", text: piece.marker.repeat(piece.left) });
      piece.opens.toReversed().forEach(start);
    } else if (piece.type === "bracket") {
      if (piece.link === undefined) push({ type: "text", text: piece.text });
      else start(piece);
    } else if (piece.type === "bracket_end") {
      end();
    } else if (piece.type === "bare_url") {
      if (parents.some(({ span }) => isLink(span))) piece.link.children.forEach(push);
      else push(piece.link);
    } else {
      push(piece);
    }
  }
  return children;
}

function isLink(span: Span): boolean {
  return typeof span !== "string" && span.text === "[" && span.link?.url !== undefined;
}

function finish(span: Span, children: readonly MarkdownInline[]): readonly MarkdownInline[] {
  if (typeof span === "string") return [{ type: span, children }];
  const { url, title = "", size } = span.link ?? {};
  if (span.text === "[") {
    return url === undefined ? children : [{ type: "link", url, title, children }];
  }
  const alt = inlinesToText(children, { linkUrls: false });
  if (url === undefined) return [{ type: "text", text: alt }];
  return [{ type: "image", url, title, alt, ...size && { size } }];
}
