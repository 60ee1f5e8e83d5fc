import { withDirections, withoutControls } from "../../../model/entries/markdown.ts";
import type { Entry } from "../../../model/entries/entry.ts";
import { entryAddress } from "../../../model/public_site.ts";
import { directionOf, localeOf } from "../../../model/locales/language.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { lastChange } from "../../../services/entries/catalogue.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import type { RenderedBody, RenderedEntry } from "../_page/rendered.ts";
import { feedTitleOf } from "../_page/layout.ts";
import { addressOf, FEED_TYPES, labelQuery, logoOf, type Site } from "../_page/site.ts";

export interface FeedContent<E = RenderedEntry> {
  /** The entries, newest first. */
  readonly entries: readonly E[];
  /** The label of all entries; `undefined` for the feed of all. */
  readonly label: string | undefined;
  /** The date of a feed without entries (RFC 3339, UTC, milliseconds). */
  readonly changedAt: string;
}

/** Characters that XML 1.0 excludes (section 2.2). */
export const NOT_XML: RegExp = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/**
 * Writes entries as an Atom feed (RFC 4287), and pauses after each, because they may have 5 MB
 * together.
 */
export function* writeAtom(
  site: Site,
  { entries, label, changedAt }: FeedContent,
): Generator<void, string> {
  const query = labelQuery(label);
  const times = entries.map(({ entry }) => lastChange(entry));
  const updated = times.reduce((latest, at) => at > latest ? at : latest, times[0] ?? changedAt);
  const write = ({ html }: Html) => html.replace(NOT_XML, "\ufffd");
  const parts = [write(markup`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${site.language}">
<id>${site.tag}${label === undefined ? "changelog" : `labels/${label}`}</id>
<title>${feedTitleOf(site, label)}</title>
<updated>${updated}</updated>
<author><name>${site.title}</name></author>
<icon>${logoOf(site).url}</icon>
<link rel="self" type="${FEED_TYPES.atom}" href="${addressOf(site, `.atom${query}`)}"/>
<link rel="alternate" type="text/html" href="${addressOf(site, query)}"/>
`)];
  for (const { entry, body } of entries) {
    yield;
    parts.push(write(markup`<entry>
<id>${idOf(site, entry)}</id>
<title>${entry.title}</title>
<published>${entry.publishedAt ?? ""}</published>
<updated>${lastChange(entry)}</updated>
<link rel="alternate" type="text/html" href="${entryAddress(site, entry)}"/>
${entry.url === null ? undefined : markup`<link rel="related" href="${entry.url}"/>\n`}${
      entry.labels.map((name) => markup`<category term="${name}"/>\n`)
    }<content type="html">${contentOf(body)}</content>
</entry>
`));
  }
  return `${parts.join("")}</feed>\n`;
}

export function writeJsonFeed(site: Site, { entries, label }: FeedContent): string {
  const query = labelQuery(label);
  return `${
    JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: feedTitleOf(site, label),
      home_page_url: addressOf(site, query),
      feed_url: addressOf(site, `.json${query}`),
      icon: logoOf(site).url,
      language: site.language,
      authors: [{ name: site.title, url: site.home }],
      _boardcast: widgetOf(site),
      items: entries.map(({ entry, body }) => ({
        id: idOf(site, entry),
        url: entryAddress(site, entry),
        external_url: entry.url ?? undefined,
        title: entry.title,
        content_html: contentOf(body),
        image: body.image?.url,
        summary: body.excerpt || undefined,
        date_published: entry.publishedAt,
        date_modified: lastChange(entry),
        tags: entry.labels,
      })),
    })
  }\n`;
}

/** Feed readers have neither the page's style nor its controls. */
function contentOf({ html }: RenderedBody): string {
  return withDirections(withoutControls(html));
}

/**
 * Returns members for the widget. JSON Feed reserves names that start with a low line for
 * extensions.
 */
function widgetOf(
  { language, timeZone, accent }: Site,
): Readonly<Record<string, string | readonly string[]>> {
  const { unread, close, allEntries, nothingYet } = textsOf(language);
  return {
    accent: [accent.light.color, accent.dark.color],
    dir: directionOf(language),
    locale: localeOf(language),
    timeZone,
    unread: unread("0"),
    close,
    all: allEntries,
    none: nothingYet,
  };
}

/**
 * Returns the identifier of an entry in feeds. It includes the time of creation, so that an entry
 * that reuses a deleted one's name counts as new.
 */
function idOf({ tag }: Site, { entryId, createdAt }: Entry): string {
  return `${tag}entries/${entryId}/${Date.parse(createdAt).toString(36)}`;
}
