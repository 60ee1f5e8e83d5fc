import { markup } from "../../model/html.ts";
import { type Catalogue, itemsWith } from "./catalogue.ts";
import { addressOf, type PublicSite } from "./site.ts";

// As many addresses as a sitemap may have (sitemaps.org).
const MAX_URLS = 50_000;

/** Writes the addresses of all pages but the older ones of lists, each with when it last changed. */
export function writeSitemap(site: PublicSite, catalogue: Catalogue, changedAt: string): string {
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
