import { EPOCH } from "../../model/time.ts";
import type { Entry } from "../../model/entry.ts";

/** What all public pages have in common. */
export interface PublicSite {
  readonly title: string;
  /** The address of the service as the world sees it, without a slash at the end. */
  readonly publicUrl: string;
}

/** The public changelog as a whole. */
export interface Site extends PublicSite {
  /** What the identifiers of entries in feeds begin with: a `tag:` URI (RFC 4151) without its end. */
  readonly tag: string;
  /** When that was made, as there was nothing before (RFC 3339, UTC, milliseconds). */
  readonly since: string;
}

export const HTML_TYPE = "text/html; charset=utf-8";
export const FEED_TYPES = { atom: "application/atom+xml", json: "application/feed+json" } as const;

/** Returns the address of the changelog, of an entry or of a feed. */
export function addressOf({ publicUrl }: PublicSite, path = ""): string {
  return `${publicUrl}/changelog${path}`;
}

/** Returns when what readers see of an entry last changed (RFC 3339, UTC, milliseconds). */
export function lastChange({ publishedAt, updatedAt }: Entry): string {
  return publishedAt !== null && publishedAt > updatedAt ? publishedAt : updatedAt;
}

/** Returns the latest change of some entries, if it came after another. */
export function latestChange(entries: readonly Entry[], fallback = EPOCH): string {
  return entries.map(lastChange).reduce((latest, at) => at > latest ? at : latest, fallback);
}
