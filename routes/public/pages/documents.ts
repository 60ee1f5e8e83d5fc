import type { Entry } from "../../../model/entries/entry.ts";
import { markup } from "../../../model/values/html.ts";
import type { PublicDocument } from "./cache.ts";
import { type Catalogue, itemsWith, type ListPlace, type Neighbours } from "./catalogue.ts";
import { type FeedContent, writeAtom, writeJsonFeed } from "./feeds.ts";
import { createPageHeaders } from "./layout.ts";
import { renderList } from "./list_page.ts";
import { renderEntry } from "./page.ts";
import { addressOf, FEED_TYPES, HTML_TYPE, type PublicSite, type Site, XML_TYPE } from "./site.ts";

// As many addresses as a sitemap may have (sitemaps.org).
const MAX_URLS = 50_000;

/** Makes the documents of the public changelog. */
export interface Documents {
  list(place: ListPlace, entries: readonly Entry[], labels: readonly string[]): PublicDocument;
  entry(entry: Entry, neighbours: Neighbours): PublicDocument;
  atom(content: FeedContent): PublicDocument;
  json(content: FeedContent): PublicDocument;
  sitemap(catalogue: Catalogue, changedAt: string): PublicDocument;
}

/** Creates what makes the pages and feeds of a site. */
export async function createDocuments(site: Site): Promise<Documents> {
  const html = { contentType: HTML_TYPE, headers: await createPageHeaders(site) };
  return {
    list: (place, entries, labels) => ({
      ...html,
      body: renderList(site, { place, entries, labels }),
    }),
    entry: (entry, neighbours) => ({ ...html, body: renderEntry(site, entry, neighbours) }),
    atom: (content) => ({ contentType: FEED_TYPES.atom, body: writeAtom(site, content) }),
    json: (content) => ({
      contentType: FEED_TYPES.json,
      body: writeJsonFeed(site, content),
      // Anybody's pages may show it, and there is nothing in it that a key would open.
      headers: { "Access-Control-Allow-Origin": "*" },
    }),
    sitemap: (catalogue, changedAt) => ({
      contentType: XML_TYPE,
      body: writeSitemap(site, catalogue, changedAt),
    }),
  };
}

/** Writes the addresses of all pages but the older ones of lists, each with when it last changed. */
function writeSitemap(site: PublicSite, catalogue: Catalogue, changedAt: string): string {
  const pages: readonly (readonly [path: string, changedAt: string])[] = [
    ["", changedAt],
    ...catalogue.labels.map((label) => {
      const times = itemsWith(catalogue, label).map((item) => item.changedAt);
      return [`?label=${label}`, times.reduce((latest, at) => at > latest ? at : latest)] as const;
    }),
    ...catalogue.items.map((item) =>
      [`/${encodeURIComponent(item.entryId)}`, item.changedAt] as const
    ),
  ];
  return markup`<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${
    pages.slice(0, MAX_URLS).map(([path, at]) =>
      markup`<url><loc>${addressOf(site, path)}</loc><lastmod>${at}</lastmod></url>\n`
    )
  }</urlset>
`.html;
}
