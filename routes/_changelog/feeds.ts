import type { Entry } from "../../model/entry.ts";
import { entryAddress } from "../../model/public_site.ts";
import { markup } from "../_html.ts";
import { renderBody } from "./rendered.ts";
import { addressOf, FEED_TYPES, lastChange, latestChange, logoOf, type Site } from "./site.ts";

// Characters that XML 1.0 does not have, section 2.2.
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Writes entries as an Atom feed (RFC 4287). `updatedAt` stands where there are none. */
export function writeAtom(site: Site, entries: readonly Entry[], updatedAt: string): string {
  const text = markup`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${site.language}">
<id>${site.tag}changelog</id>
<title>${site.title}</title>
<updated>${entries.length === 0 ? updatedAt : latestChange(entries)}</updated>
<author><name>${site.title}</name></author>
<icon>${logoOf(site).url}</icon>
<link rel="self" type="${FEED_TYPES.atom}" href="${addressOf(site, ".atom")}"/>
<link rel="alternate" type="text/html" href="${addressOf(site)}"/>
${
    entries.map((entry) =>
      markup`<entry>
<id>${idOf(site, entry)}</id>
<title>${entry.title}</title>
<published>${entry.publishedAt ?? ""}</published>
<updated>${lastChange(entry)}</updated>
<link rel="alternate" type="text/html" href="${entryAddress(site, entry)}"/>
${entry.url === null ? undefined : markup`<link rel="related" href="${entry.url}"/>\n`}${
        entry.labels.map((label) => markup`<category term="${label}"/>\n`)
      }<content type="html">${renderBody(entry).html}</content>
</entry>
`
    )
  }</feed>
`.html;
  return text.replace(NOT_XML, "\ufffd");
}

/** Writes entries as a JSON Feed 1.1 (jsonfeed.org). */
export function writeJsonFeed(site: Site, entries: readonly Entry[]): string {
  return `${
    JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: site.title,
      home_page_url: addressOf(site),
      feed_url: addressOf(site, ".json"),
      icon: logoOf(site).url,
      language: site.language,
      authors: [{ name: site.title }],
      items: entries.map((entry) => ({
        id: idOf(site, entry),
        url: entryAddress(site, entry),
        external_url: entry.url ?? undefined,
        title: entry.title,
        content_html: renderBody(entry).html,
        summary: renderBody(entry).excerpt || undefined,
        date_published: entry.publishedAt,
        date_modified: lastChange(entry),
        tags: entry.labels,
      })),
    })
  }\n`;
}

/** An entry that takes the place of one that was deleted is another one. */
function idOf({ tag }: Site, { entryId, createdAt }: Entry): string {
  return `${tag}entries/${entryId}/${Date.parse(createdAt).toString(36)}`;
}
