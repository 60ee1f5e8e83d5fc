import type { Entry } from "../../model/entry.ts";
import type { PublicDocument } from "./cache.ts";
import type { Catalogue, ListPlace, Neighbours } from "./catalogue.ts";
import { type FeedContent, writeAtom, writeJsonFeed } from "./feeds.ts";
import { createPageHeaders } from "./layout.ts";
import { renderList } from "./list_page.ts";
import { renderEntry } from "./page.ts";
import { FEED_TYPES, HTML_TYPE, type Site, XML_TYPE } from "./site.ts";
import { writeSitemap } from "./sitemap.ts";

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
