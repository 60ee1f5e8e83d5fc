import type { Entry } from "../../model/entry.ts";
import { datesOf } from "../../model/language.ts";
import { entryAddress } from "../../model/public_site.ts";
import { textsOf } from "../../model/texts.ts";
import { type Html, markup, separate } from "../_html.ts";
import { linkToChangelog, renderNote, renderPage } from "./layout.ts";
import { renderBody, withHeadings } from "./rendered.ts";
import { addressOf, type PublicSite, type Site } from "./site.ts";

const PREVIEWED_TITLES = 5;

/** Where a page stands in the list: after `cursor`, and before the page of `nextCursor`. */
export interface PagePlace {
  readonly cursor?: string;
  readonly nextCursor: string | null;
}

export function renderList(site: Site, entries: readonly Entry[], place: PagePlace): string {
  const { cursor } = place;
  const texts = textsOf(site.language);
  const titles = entries.slice(0, PREVIEWED_TITLES).map(({ title }) => title).join(" · ");
  const canonical = addressOf(site, cursor === undefined ? "" : `?cursor=${cursor}`);
  const empty = markup`<div class="note"><h2>${texts.nothingYet}</h2>
<p>${texts.nothingYetHint}</p></div>`;
  const content = markup`
<div class="hero"><h1 dir="auto">${site.title}</h1></div>
${entries.length === 0 ? empty : entries.map((entry) => renderArticle(site, entry, 2))}
${renderLinks(site, place)}`;
  const description = titles || texts.about;
  return renderPage(site, { description, canonical, isList: true }, content);
}

export function renderEntry(site: Site, entry: Entry): string {
  const content = markup`
${renderArticle(site, entry, 1)}
<nav class="pages"><a href="${addressOf(site)}">${textsOf(site.language).allEntries}</a></nav>`;
  return renderPage(site, {
    title: entry.title,
    description: renderBody(entry).excerpt || entry.title,
    canonical: entryAddress(site, entry),
  }, content);
}

/** Renders the page of an entry that may not be public, and that nobody is to remember. */
export function renderPreview(site: PublicSite, entry: Entry): string {
  const content = markup`
<p class="banner">${textsOf(site.language).preview}</p>${renderArticle(site, entry, 1)}`;
  return renderPage(site, { title: entry.title }, content);
}

/** Renders the page that stands where there is no entry. */
export function renderMissing(site: PublicSite): string {
  const { notFound, notFoundHint } = textsOf(site.language);
  return renderNote(site, { title: notFound, hint: notFoundHint, rest: linkToChangelog(site) });
}

/** Renders an entry, its title a heading of some level. */
function renderArticle(site: PublicSite, entry: Entry, level: 1 | 2): Html {
  const { labels, publishedAt, createdAt, title, url } = entry;
  const at = publishedAt ?? createdAt;
  const address = entryAddress(site, entry);
  const items = labels.map((label) => markup`<li>${label}</li>`);
  const list = labels.length === 0
    ? undefined
    : markup` <ul class="chips">${separate(" ", items)}</ul>`;
  const more = url === null
    ? undefined
    : markup`<p class="more"><a href="${url}">${
      textsOf(site.language).readMoreAt(new URL(url).host)
    }</a></p>`;
  const day = datesOf(site.language).day(at);
  const heading = level === 1
    ? markup`<h1 class="title" dir="auto">${title}</h1>`
    : markup`<h2 class="title" dir="auto"><a href="${address}">${title}</a></h2>`;
  return markup`
<article>
<div class="meta"><a href="${address}"><time datetime="${at}">${day}</time></a>${list}</div>
${heading}
<div class="body" dir="auto">
${withHeadings(renderBody(entry), level + 1)}</div>${more}
</article>`;
}

function renderLinks(site: Site, { cursor, nextCursor }: PagePlace): Html | undefined {
  if (cursor === undefined && nextCursor === null) return undefined;
  const { allEntries, olderEntries } = textsOf(site.language);
  const newest = cursor === undefined
    ? undefined
    : markup`<a href="${addressOf(site)}">${allEntries}</a>`;
  const older = nextCursor === null
    ? undefined
    : markup`<a href="${addressOf(site, `?cursor=${nextCursor}`)}" rel="next">${olderEntries}</a>`;
  return markup`<nav class="pages">${newest}${older}</nav>`;
}
