import { readImageReference } from "../../images/image.ts";
import { changeOutsideCode, createFenceReader } from "./code_mask.ts";
import type { Conversion } from "../html/html_inlines.ts";

/** The target of each label, as a link writes it: an address and an optional title. */
export type References = Map<string, string>;

// The address may be on the line after the label.
const DEFINITION =
  /^ {0,3}\[((?:[^[\]\\\n]|\\.)+)\]:[ \t]*(\n[ \t]+)?<?([^\s<>]+)>?([ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*(?:\n|$)/;
// Matches a text, which may contain images, and the label after it.
const REFERENCE =
  /(?<!\\)(!?)\[((?:[^[\]\\\n]|\\.|\n(?!\n)|!\[[^[\]\n]*\]\([^()\s]*\))+)\](?:\[([^[\]\n]*)\])?(?![(:[])/g;
// Matches a link or an image. The text of a link may contain images; its target is in parentheses.
const LINK =
  /(?<!\\)(!?)\[((?:[^[\]\\\n]|\\.|!\[[^[\]\n]{0,300}\]\([^()\s]{0,2000}\)){0,2000})\]\((<?)([^()\s<>]+)/g;
const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;
const LINES_AT_ONCE = 1_000;

/**
 * Splits a text in Markdown into lines, with pauses, and replaces link definitions by empty lines.
 */
export function* takeReferences(
  markdown: string,
): Generator<void, { readonly lines: readonly string[]; readonly references: References }> {
  const lines: string[] = [];
  let start = 0;
  for (const { 0: end, index } of markdown.matchAll(/\r\n?|\n/g)) {
    lines.push(markdown.slice(start, index));
    start = index + end.length;
    if (lines.length % LINES_AT_ONCE === 0) yield;
  }
  lines.push(markdown.slice(start));
  const references: References = new Map();
  const isCode = createFenceReader();
  for (let at = 0; at < lines.length; at++) {
    if (at % LINES_AT_ONCE === LINES_AT_ONCE - 1) yield;
    if (isCode(lines[at]) || !/^ {0,3}\[/.test(lines[at])) continue;
    const match = DEFINITION.exec(`${lines[at]}\n${lines[at + 1] ?? ""}`);
    if (match === null) continue;
    const [, label, gap, url, title = ""] = match;
    const key = keyOf(label);
    if (!references.has(key)) references.set(key, url + title);
    lines[at] = "";
    if (gap !== undefined) lines[at + 1] = "";
  }
  return { lines, references };
}

/** Replaces links by label with links by address. A label without a definition stays unchanged. */
export function resolveReferences(markdown: string, references: References): string {
  if (references.size === 0) return markdown;
  const resolve = (
    written: string,
    mark: string,
    text: string,
    label: string | undefined,
  ): string => {
    const target = references.get(keyOf(label || text));
    return target === undefined ? written : `${mark}[${text}](${target})`;
  };
  return changeOutsideCode(markdown, (text) => {
    // Images come first, because they may be inside the text of a link.
    const images = text.replace(
      REFERENCE,
      (written, mark, ...rest: [string, string]) =>
        mark === "!" ? resolve(written, mark, ...rest) : written,
    );
    return images.replace(REFERENCE, resolve);
  });
}

function keyOf(label: string): string {
  return label.trim().toLowerCase().replace(/\s+/g, " ");
}

/**
 * Makes the relative addresses in a text in Markdown absolute, or counts them as lost without a
 * base.
 */
export function makeAbsolute(
  markdown: string,
  { base, lost }: Pick<Conversion, "base" | "lost">,
): string {
  function resolve(written: string, mark: string, text: string, bracket: string, address: string) {
    // Images come first, because they may be inside the text of a link.
    const inner = mark === "" && text.includes("![") ? text.replace(LINK, resolve) : text;
    const start = `${mark}[${inner}](${bracket}`;
    // The address of one of our own images stays valid in another changelog.
    if (ABSOLUTE.test(address) || mark !== "" && readImageReference(address) !== undefined) {
      return start + address;
    }
    if (base !== undefined && URL.canParse(address, base)) {
      return start + new URL(address, base).href.replace(/[()]/g, encodeURIComponent);
    }
    lost[mark === "" ? "links" : "images"]++;
    return inner === text ? written : start + address;
  }

  return changeOutsideCode(markdown, (text) => text.replace(LINK, resolve));
}
