import type { Entry } from "../../model/entry.ts";
import type { PublicSite } from "../../model/public_site.ts";
import { EPOCH } from "../../model/time.ts";

export type { PublicSite } from "../../model/public_site.ts";

/** The public changelog as a whole. */
export interface Site extends PublicSite {
  /** What the identifiers of entries in feeds begin with: a `tag:` URI (RFC 4151) without its end. */
  readonly tag: string;
  /** When that was made, as there was nothing before (RFC 3339, UTC, milliseconds). */
  readonly since: string;
}

export const HTML_TYPE = "text/html; charset=utf-8";
export const FEED_TYPES = { atom: "application/atom+xml", json: "application/feed+json" } as const;
export const SVG_TYPE = "image/svg+xml";
/** The path of the logo, which no entry has: none begins with a low line. */
export const LOGO_PATH = "/changelog/_logo";

/** Returns the address of the changelog, of an entry or of a feed. */
export function addressOf({ publicUrl }: PublicSite, path = ""): string {
  return `${publicUrl}/changelog${path}`;
}

/** Returns the address of the logo, or of the icon that stands for it, and what it is. */
export function logoOf({ publicUrl, logo }: PublicSite): { url: string; contentType: string } {
  return { url: `${publicUrl}${LOGO_PATH}`, contentType: logo?.contentType ?? SVG_TYPE };
}

/** Returns the letter that stands for a changelog without a logo. */
export function initialOf(title: string): string {
  return /[\p{L}\p{N}]/u.exec(title)?.[0].toUpperCase() ?? "C";
}

/** Returns when what readers see of an entry last changed (RFC 3339, UTC, milliseconds). */
export function lastChange({ publishedAt, updatedAt }: Entry): string {
  return publishedAt !== null && publishedAt > updatedAt ? publishedAt : updatedAt;
}

/** Returns the latest change of some entries, if it came after another. */
export function latestChange(entries: readonly Entry[], fallback = EPOCH): string {
  return entries.map(lastChange).reduce((latest, at) => at > latest ? at : latest, fallback);
}
