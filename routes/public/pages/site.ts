import { SVG_TYPE } from "../../../model/brand.ts";
import type { PublicSite } from "../../../model/public_site.ts";

export type { PublicSite } from "../../../model/public_site.ts";

/** The public changelog as a whole. */
export interface Site extends PublicSite {
  /** The prefix of the identifiers of entries in feeds: a `tag:` URI (RFC 4151) without its end. */
  readonly tag: string;
}

/** The media type of pages. */
export const HTML_TYPE = "text/html; charset=utf-8";
/** The media types of feeds. */
export const FEED_TYPES = { atom: "application/atom+xml", json: "application/feed+json" } as const;
/** The media type of the sitemap. */
export const XML_TYPE = "application/xml";
/** The name of the field of the form of sign-ups that only machines fill in. */
export const TRAP_FIELD = "subject";
/** The path of the logo, which no entry has: none begins with a low line. */
export const LOGO_PATH = "/changelog/_logo";
/** The path of the logo for the dark scheme. */
export const DARK_LOGO_PATH = "/changelog/_logo-dark";

/** Returns the address of the changelog, of an entry or of a feed. */
export function addressOf({ publicUrl }: PublicSite, path = ""): string {
  return `${publicUrl}/changelog${path}`;
}

/** Returns the query of the pages and feeds of a label, or none. */
export function labelQuery(label: string | undefined): string {
  return label === undefined ? "" : `?label=${label}`;
}

/** Returns the address of the logo, or of the icon that stands for it, and what it is. */
export function logoOf({ publicUrl, logo }: PublicSite): { url: string; contentType: string } {
  return { url: `${publicUrl}${LOGO_PATH}`, contentType: logo?.contentType ?? SVG_TYPE };
}

/** Returns the letter that stands for a changelog without a logo. */
export function initialOf(title: string): string {
  return /[\p{L}\p{N}]/u.exec(title)?.[0].toUpperCase() ?? "C";
}
