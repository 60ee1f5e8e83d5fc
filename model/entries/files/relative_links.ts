import { readImageReference } from "../../images/image.ts";
import { changeOutsideCode } from "./code_mask.ts";

/** What is known of a file beside what stands in it. */
export interface FileOptions {
  /** What its relative addresses start from. */
  readonly baseUrl?: string | undefined;
  /** What the identifiers of its entries start with, such as `ui-`. */
  readonly prefix?: string | undefined;
}

/** A text whose relative addresses are absolute, or are told. */
export interface AbsoluteText {
  readonly body: string;
  /** How many links and images lead nowhere, as their addresses are relative. */
  readonly lostLinks: number;
  readonly lostImages: number;
}

// The text of a link may have images in it. What it leads to stands in brackets.
const LINK =
  /(!?)\[((?:[^[\]\\\n]|\\.|!\[[^[\]\n]{0,300}\]\([^()\s]{0,2000}\)){0,2000})\]\((<?)([^()\s<>]+)/g;
const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

/** Makes the relative addresses in a text in Markdown absolute, or counts them. */
export function makeAbsolute(markdown: string, baseUrl: string | undefined): AbsoluteText {
  const lost = { links: 0, images: 0 };

  function resolve(written: string, mark: string, text: string, bracket: string, address: string) {
    // Images come first, as they may be the text of links.
    const inner = mark === "" && text.includes("![") ? text.replace(LINK, resolve) : text;
    const start = `${mark}[${inner}](${bracket}`;
    // Our own images move with entries.
    if (ABSOLUTE.test(address) || mark !== "" && readImageReference(address) !== undefined) {
      return start + address;
    }
    const url = absolute(address, baseUrl);
    if (url !== undefined) return start + url;
    lost[mark === "" ? "links" : "images"]++;
    return inner === text ? written : start + address;
  }

  const body = changeOutsideCode(markdown, (text) => text.replace(LINK, resolve));
  return { body, lostLinks: lost.links, lostImages: lost.images };
}

function absolute(address: string, base: string | undefined): string | undefined {
  if (base === undefined) return undefined;
  try {
    return new URL(address, base).href.replace(/[()]/g, encodeURIComponent);
  } catch {
    return undefined;
  }
}
