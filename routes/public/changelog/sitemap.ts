import { markup } from "../../../model/values/html.ts";
import type { SitemapPage } from "../../../services/posts/sitemap.ts";
import { addressOf, type PublicSite } from "../_page/site.ts";
import { type EntryLists, itemsWith, latestChange } from "./entry_lists.ts";

// The limit for a sitemap (sitemaps.org).
const MAX_URLS = 50_000;
const PIECE = 200;

/**
 * Writes the sitemap: the addresses of all pages, except later pages of lists, each with its last
 * change. Entries come first, newest first; then labels, most frequent first; then boards and their
 * ideas.
 */
export function* writeSitemap(
  site: PublicSite,
  lists: EntryLists,
  { changedAt, boardPages }: {
    readonly changedAt: string;
    readonly boardPages: readonly SitemapPage[];
  },
): Generator<void, string> {
  const { items, labels } = lists;
  const urls = [writeUrl(site, "", changedAt)];
  for (const { entryId, changedAt } of items.slice(0, MAX_URLS - urls.length)) {
    urls.push(writeUrl(site, `/${encodeURIComponent(entryId)}`, changedAt));
    if (urls.length % PIECE === 0) yield;
  }
  for (const label of labels.slice(0, MAX_URLS - urls.length)) {
    const latest = latestChange(itemsWith(lists, label)) ?? changedAt;
    urls.push(writeUrl(site, `?label=${label}`, latest));
    if (urls.length % PIECE === 0) yield;
  }
  for (const { path, at = changedAt } of boardPages.slice(0, MAX_URLS - urls.length)) {
    urls.push(writeLocation(site.publicUrl + path, at));
    if (urls.length % PIECE === 0) yield;
  }
  return `<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join("")}</urlset>
`;
}

function writeUrl(site: PublicSite, path: string, at: string): string {
  return writeLocation(addressOf(site, path), at);
}

function writeLocation(address: string, at: string): string {
  return markup`<url><loc>${address}</loc><lastmod>${at}</lastmod></url>\n`.html;
}
