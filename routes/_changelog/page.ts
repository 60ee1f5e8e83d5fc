import type { Entry } from "../../model/entry.ts";
import { entryAddress } from "../../model/public_site.ts";
import { type Html, markup, separate } from "../_html.ts";
import { renderPage } from "./layout.ts";
import { renderBody } from "./rendered.ts";
import { addressOf, type PublicSite, type Site } from "./site.ts";

const PREVIEWED_TITLES = 5;
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** Where a page stands in the list: after `cursor`, and before the page of `nextCursor`. */
export interface PagePlace {
  readonly cursor?: string;
  readonly nextCursor: string | null;
}

export function renderList(site: Site, entries: readonly Entry[], place: PagePlace): string {
  const { cursor } = place;
  const titles = entries.slice(0, PREVIEWED_TITLES).map(({ title }) => title).join(" · ");
  const canonical = addressOf(site, cursor === undefined ? "" : `?cursor=${cursor}`);
  const empty = markup`<div class="note"><h2>Nothing has been published yet</h2>
<p>The <a href="${addressOf(site, ".atom")}">feed</a> will tell you when there is something new.</p>
</div>`;
  const content = markup`
${entries.length === 0 ? empty : entries.map((entry) => renderArticle(site, entry))}
${renderLinks(site, place)}`;
  const description = titles || "What is new";
  return renderPage(site, { title: site.title, description, canonical, type: "website" }, content);
}

export function renderEntry(site: Site, entry: Entry): string {
  const content = markup`
${renderArticle(site, entry)}
<nav class="pages"><a href="${addressOf(site)}">All entries</a></nav>`;
  return renderPage(site, {
    title: `${entry.title} · ${site.title}`,
    description: renderBody(entry).excerpt || entry.title,
    canonical: entryAddress(site, entry),
    type: "article",
  }, content);
}

/** Renders the page of an entry that may not be public, and that nobody is to remember. */
export function renderPreview(site: PublicSite, entry: Entry): string {
  const title = `${entry.title} · ${site.title}`;
  return renderPage(site, { title, type: "article" }, renderArticle(site, entry));
}

/** Renders the page that stands where there is no entry. */
export function renderMissing(site: PublicSite): string {
  const content = markup`
<div class="note"><h2>There is nothing here</h2>
<p>The entry may have been withdrawn. <a href="${addressOf(site)}">See what is new.</a></p></div>`;
  return renderPage(site, { title: `Not found · ${site.title}`, type: "website" }, content);
}

function renderArticle(site: PublicSite, entry: Entry): Html {
  const { labels, publishedAt, createdAt, title, url } = entry;
  const at = publishedAt ?? createdAt;
  const address = entryAddress(site, entry);
  const items = labels.map((label) => markup`<li dir="auto">${label}</li>`);
  const list = labels.length === 0 ? undefined : markup` <ul>${separate(" ", items)}</ul>`;
  const more = url === null
    ? undefined
    : markup`<p><a href="${url}">Read more at ${new URL(url).host}</a></p>`;
  const day = DAY.format(new Date(at));
  return markup`
<article>
<div class="meta"><a href="${address}"><time datetime="${at}">${day}</time></a>${list}</div>
<h2 class="title" dir="auto"><a href="${address}">${title}</a></h2>
<div class="body" dir="auto">
${{ html: renderBody(entry).html }}${more}
</div>
</article>`;
}

function renderLinks(site: Site, { cursor, nextCursor }: PagePlace): Html | undefined {
  if (cursor === undefined && nextCursor === null) return undefined;
  const newest = cursor === undefined
    ? markup`<span></span>`
    : markup`<a href="${addressOf(site)}">Newest entries</a>`;
  const older = nextCursor === null
    ? undefined
    : markup`<a href="${addressOf(site, `?cursor=${nextCursor}`)}" rel="next">Older entries</a>`;
  return markup`<nav class="pages">${newest}${older}</nav>`;
}
