import type { Entry } from "../../../model/entries/entry.ts";
import { markup } from "../../../model/values/html.ts";
import type { PublicDocument } from "./editions.ts";
import { createPace, inPieces } from "../../../model/turns.ts";
import { type Catalogue, itemsWith, latestChange, type ListPlace } from "./catalogue.ts";
import { type RenderedEntry, renderMarkdown } from "../_page/rendered.ts";
import type { SitemapPage } from "../../../services/posts/sitemap.ts";
import { type FeedContent, writeAtom, writeJsonFeed } from "./feeds.ts";
import { createPageHeaders } from "../_page/layout.ts";
import { renderList } from "./list_page.ts";
import { type LinkedPages, renderEntry } from "./entry_page.ts";
import { renderSearch, type SearchContent } from "./search_page.ts";
import {
  addressOf,
  FEED_TYPES,
  HTML_TYPE,
  type PublicSite,
  type Site,
  XML_TYPE,
} from "../_page/site.ts";

// The limit for a sitemap (sitemaps.org).
const MAX_URLS = 50_000;
const PIECE = 200;

export interface Documents {
  list(
    place: ListPlace,
    entries: readonly Entry[],
    labels: readonly string[],
  ): Promise<PublicDocument>;
  search(content: SearchContent): Promise<PublicDocument>;
  entry(entry: Entry, linked: LinkedPages): PublicDocument;
  atom(content: FeedContent<Entry>): Promise<PublicDocument>;
  json(content: FeedContent<Entry>): Promise<PublicDocument>;
  sitemap(
    catalogue: Catalogue,
    changedAt: string,
    boardPages: readonly SitemapPage[],
  ): Promise<PublicDocument>;
}

/** Creates the functions that make the pages and feeds of a site. */
export async function createDocuments(site: Site): Promise<Documents> {
  const html = { contentType: HTML_TYPE, headers: await createPageHeaders(site) };
  return {
    list: async (place, entries, labels) => ({
      ...html,
      body: renderList(site, { place, entries: await renderAll(site, entries), labels }),
    }),
    search: async (content) => ({ ...html, body: await renderSearch(site, content) }),
    entry: (entry, linked) => ({ ...html, body: renderEntry(site, entry, linked) }),
    atom: async ({ entries, ...content }) => ({
      contentType: FEED_TYPES.atom,
      body: await inPieces(
        writeAtom(site, { ...content, entries: await renderAll(site, entries) }),
      ),
    }),
    json: async ({ entries, ...content }) => ({
      contentType: FEED_TYPES.json,
      body: writeJsonFeed(site, { ...content, entries: await renderAll(site, entries) }),
      // Any site may show the feed: everything in it is public.
      headers: { "Access-Control-Allow-Origin": "*" },
    }),
    sitemap: async (catalogue, changedAt, boardPages) => ({
      contentType: XML_TYPE,
      body: await inPieces(writeSitemap(site, catalogue, { changedAt, boardPages })),
    }),
  };
}

/**
 * Renders the bodies of entries, and yields to other requests, since each may take some
 * milliseconds.
 */
async function renderAll(
  site: PublicSite,
  entries: readonly Entry[],
): Promise<readonly RenderedEntry[]> {
  const pace = createPace();
  const rendered: RenderedEntry[] = [];
  for (const entry of entries) {
    rendered.push({ entry, body: renderMarkdown(entry.body, addressOf(site, "/")) });
    await pace();
  }
  return rendered;
}

/**
 * Writes the sitemap: the addresses of all pages, except later pages of lists, each with its last
 * change. Entries come first, newest first; then labels, most frequent first; then boards and their
 * ideas.
 */
function* writeSitemap(
  site: PublicSite,
  catalogue: Catalogue,
  { changedAt, boardPages }: {
    readonly changedAt: string;
    readonly boardPages: readonly SitemapPage[];
  },
): Generator<void, string> {
  const { items, labels } = catalogue;
  const urls = [writeUrl(site, "", changedAt)];
  for (const { entryId, changedAt } of items.slice(0, MAX_URLS - urls.length)) {
    urls.push(writeUrl(site, `/${encodeURIComponent(entryId)}`, changedAt));
    if (urls.length % PIECE === 0) yield;
  }
  for (const label of labels.slice(0, MAX_URLS - urls.length)) {
    const latest = latestChange(itemsWith(catalogue, label)) ?? changedAt;
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
