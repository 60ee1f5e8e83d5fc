import { SVG_TYPE } from "../../../model/brand.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import type { PublicSite } from "../../../model/public_site.ts";
import { logoPath } from "../../../model/settings/settings.ts";

export type { PublicSite } from "../../../model/public_site.ts";

/** The public changelog as a whole. */
export interface Site extends PublicSite {
  /** The start of the identifiers of entries in feeds: a `tag:` URI (RFC 4151). */
  readonly tag: string;
}

export const HTML_TYPE = "text/html; charset=utf-8";
export const FEED_TYPES = { atom: "application/atom+xml", json: "application/feed+json" } as const;
export const XML_TYPE = "application/xml";
/** The sign-up form's hidden field, which only scripts fill in. */
export const TRAP_FIELD = "subject";
/**
 * The path of the icon with the first letter of the title, or of the logo. No entry can have it,
 * because entry names never begin with a low line.
 */
export const LOGO_PATH = "/changelog/_logo";
/** The path of the same for the dark scheme. */
export const DARK_LOGO_PATH = "/changelog/_logo-dark";
/** The paths of logos, which change with their bytes. */
export const SHOWN_LOGO_PATH: string = logoPath({ name: ":file" });

export function addressOf({ publicUrl }: PublicSite, path = ""): string {
  return `${publicUrl}/changelog${path}`;
}

/** Returns the query string for the pages and feeds of a label; empty for all entries. */
export function labelQuery(label: string | undefined): string {
  return label === undefined ? "" : `?label=${label}`;
}

/** Returns the address and media type of the logo, or of the icon that replaces it. */
export function logoOf({ publicUrl, logo }: PublicSite): { url: string; contentType: string } {
  const path = logo === undefined ? LOGO_PATH : logoPath(logo);
  return { url: `${publicUrl}${path}`, contentType: logo?.contentType ?? SVG_TYPE };
}

/** Returns the letter that represents a changelog without a logo. */
export function initialOf(title: string): string {
  return /[\p{L}\p{N}]/u.exec(title)?.[0].toUpperCase() ?? "C";
}

/** Renders the way on from a note page. */
export function renderWay(address: string, text: string): Html {
  return markup`\n<p><a class="button quiet" href="${address}" dir="auto">${text}</a></p>`;
}
