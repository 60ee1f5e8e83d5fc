import type { Entry } from "../../model/entry.ts";
import type { Reply } from "../_reply.ts";
import type { PublicDocument } from "./cache.ts";
import { writeAtom, writeJsonFeed } from "./feeds.ts";
import { createPageHeaders } from "./layout.ts";
import { type PagePlace, renderEntry, renderList, renderMissing } from "./page.ts";
import { FEED_TYPES, HTML_TYPE, lastChange, latestChange, type Site } from "./site.ts";

/** Makes the documents of the public changelog; `updatedAt` is when a public entry last changed. */
export interface Documents {
  list(entries: readonly Entry[], place: PagePlace, updatedAt: string): PublicDocument;
  entry(entry: Entry): PublicDocument;
  atom(entries: readonly Entry[], updatedAt: string): PublicDocument;
  json(entries: readonly Entry[], updatedAt: string): PublicDocument;
  /** The reply where there is no entry. */
  readonly missing: Reply;
}

export async function createDocuments(site: Site): Promise<Documents> {
  const orSince = (at: string) => at > site.since ? at : site.since;
  const html = { contentType: HTML_TYPE, headers: await createPageHeaders(site) };
  return {
    list: (entries, place, updatedAt) => ({
      ...html,
      body: renderList(site, entries, place),
      lastModified: latestChange(entries, orSince(updatedAt)),
    }),
    entry: (entry) => ({
      ...html,
      body: renderEntry(site, entry),
      lastModified: lastChange(entry),
    }),
    atom: (entries, updatedAt) => ({
      contentType: FEED_TYPES.atom,
      body: writeAtom(site, entries, orSince(updatedAt)),
      lastModified: latestChange(entries, orSince(updatedAt)),
    }),
    json: (entries, updatedAt) => ({
      contentType: FEED_TYPES.json,
      body: writeJsonFeed(site, entries),
      lastModified: latestChange(entries, orSince(updatedAt)),
    }),
    missing: { ...html, status: 404, body: renderMissing(site) },
  };
}
