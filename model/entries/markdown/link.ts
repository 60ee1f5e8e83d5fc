import { readImageReference, sizeOfImage } from "../../images/image.ts";
import { matchFrom, unescapeText } from "./characters.ts";
import type { MarkdownImage } from "./tree.ts";

/** The part of a link or an image that follows its text. */
export interface InlineLink {
  /** The destination as written, with escapes and entities decoded. */
  readonly destination: string;
  readonly title: string;
  /** The offset after the closing parenthesis. */
  readonly end: number;
}

const GAP = /[ \t]*\n?[ \t]*/y;
const BRACKETED = /<((?:[^<>\n\\]|\\[^\n])*)>/y;
const PLAIN_PART = /(?:[^ \t\n()\\]|\\[!-/:-@[-`{-~]?)+|[()]/y;
const TITLE = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\((?:[^()\\]|\\[^])*\)/y;
const WEB_URL = /^https?:\/\/[^]/i;
const LINK_URL = /^(?:https?:\/\/|mailto:)[^]/i;
// The specification requires at least three levels. The time grows with this limit.
const MAX_PARENTHESES = 8;

/** Reads the parentheses with destination and title at `offset` (CommonMark 0.31, section 6.3). */
export function readInlineLink(text: string, offset: number): InlineLink | undefined {
  if (text[offset] !== "(") return undefined;
  const start = skipGap(text, offset + 1);
  const bracketed = matchFrom(BRACKETED, text, start);
  const destinationEnd = bracketed ? start + bracketed[0].length : findPlainEnd(text, start);
  if (destinationEnd === undefined) return undefined;
  const destination = bracketed?.[1] ?? text.slice(start, destinationEnd);

  const titleStart = skipGap(text, destinationEnd);
  const title = titleStart > destinationEnd ? matchFrom(TITLE, text, titleStart) : null;
  const end = title ? skipGap(text, titleStart + title[0].length) : titleStart;
  if (text[end] !== ")") return undefined;
  return {
    destination: unescapeText(destination),
    title: unescapeText(title?.[0].slice(1, -1) ?? ""),
    end: end + 1,
  };
}

/**
 * The URL of a link, percent-encoded; `undefined` unless it is absolute and http, https or mailto.
 */
export function encodeLinkUrl(destination: string): string | undefined {
  return LINK_URL.test(destination) ? encodeUrl(destination) : undefined;
}

/**
 * Finds an image: its percent-encoded URL, which is absolute and http or https, or that of one of
 * our own images with its size; `undefined` for any other destination.
 */
export function findImage(
  destination: string,
  imageBase: string | undefined,
): Pick<MarkdownImage, "size"> & { readonly url: string | undefined } {
  if (WEB_URL.test(destination)) return { url: encodeUrl(destination) };
  const imageId = imageBase === undefined ? undefined : readImageReference(destination);
  if (imageId === undefined) return { url: undefined };
  return { url: `${imageBase}images/${imageId}`, size: sizeOfImage(imageId) };
}

/** Percent-encodes the characters that a URL may not contain; existing escapes stay. */
export function encodeUrl(url: string): string {
  return encodeURI(url).replace(/%25([0-9a-f]{2})/gi, "%$1");
}

function skipGap(text: string, offset: number): number {
  return offset + (matchFrom(GAP, text, offset)?.[0].length ?? 0);
}

/** Finds the end of a destination without angle brackets; its parentheses must be balanced. */
function findPlainEnd(text: string, start: number): number | undefined {
  if (text[start] === "<") return undefined;
  let end = start;
  let depth = 0;
  for (;;) {
    const part = matchFrom(PLAIN_PART, text, end)?.[0];
    if (part === undefined || (part === ")" && depth === 0)) return depth === 0 ? end : undefined;
    if (part === "(" && ++depth > MAX_PARENTHESES) return undefined;
    if (part === ")") depth--;
    end += part.length;
  }
}
