import type { Entry } from "../../model/entry.ts";
import { type Html, markup, separate } from "../_html.ts";
import { renderBody } from "./rendered.ts";
import { type Head, renderPage } from "./layout.ts";
import { entryAddress } from "../../model/public_site.ts";
import { addressOf, type Site } from "./site.ts";

const PREVIEWED_TITLES = 5;
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Renders a page of entries; `nextCursor` leads to older ones. */
export function renderList(
  site: Site,
  entries: readonly Entry[],
  { cursor, nextCursor }: { readonly cursor?: string; readonly nextCursor: string | null },
): string {
  const head: Head = {
    title: site.title,
    description: entries.length === 0
      ? "What is new"
      : entries.slice(0, PREVIEWED_TITLES).map(({ title }) => title).join(" · "),
    canonical: cursor === undefined ? addressOf(site) : addressOf(site, `?cursor=${cursor}`),
    type: "website",
  };
  const articles = entries.map((entry) => renderArticle(site, entry));
  const empty = markup`<div class="note"><h2>Nothing has been published yet</h2>
<p>The <a href="${addressOf(site, ".atom")}">feed</a> will tell you when there is something new.</p>
</div>`;
  return renderPage(
    site,
    head,
    markup`
${entries.length === 0 ? empty : articles}
${renderPages(site, cursor, nextCursor)}`,
  );
}

/** Renders the page of one entry. */
export function renderEntry(site: Site, entry: Entry): string {
  const { excerpt } = renderBody(entry);
  const canonical = entryAddress(site, entry);
  const title = `${entry.title} · ${site.title}`;
  const head: Head = { title, description: excerpt || entry.title, canonical, type: "article" };
  return renderPage(
    site,
    head,
    markup`
${renderArticle(site, entry)}
<nav class="pages"><a href="${addressOf(site)}">All entries</a></nav>`,
  );
}

/** Renders the page that stands where there is no entry. */
export function renderMissing(site: Site): string {
  const head: Head = { title: `Not found · ${site.title}`, type: "website" };
  return renderPage(
    site,
    head,
    markup`
<div class="note"><h2>There is nothing here</h2>
<p>The entry may have been withdrawn. <a href="${addressOf(site)}">See what is new.</a></p></div>`,
  );
}

function renderArticle(site: Site, entry: Entry): Html {
  const { labels, publishedAt, title, url } = entry;
  const address = entryAddress(site, entry);
  const items = labels.map((label) => markup`<li>${label}</li>`);
  return markup`
<article>
<div class="meta"><a href="${address}"><time datetime="${publishedAt ?? ""}">${
    formatDay(publishedAt ?? "")
  }</time></a>${labels.length === 0 ? undefined : markup` <ul>${separate(" ", items)}</ul>`}</div>
<h2 class="title"><a href="${address}">${title}</a></h2>
<div class="body">
${{ html: renderBody(entry).html }}${
    url === null ? undefined : markup`<p><a href="${url}">Read more at ${new URL(url).host}</a></p>`
  }
</div>
</article>`;
}

function renderPages(site: Site, cursor: string | undefined, nextCursor: string | null): Html {
  const newest = cursor === undefined
    ? undefined
    : markup`<a href="${addressOf(site)}">Newest entries</a>`;
  const older = nextCursor === null
    ? undefined
    : markup`<a href="${addressOf(site, `?cursor=${nextCursor}`)}" rel="next">Older entries</a>`;
  return newest === undefined && older === undefined
    ? markup``
    : markup`<nav class="pages">${newest ?? markup`<span></span>`}${older}</nav>`;
}

/** Returns the day of a time (RFC 3339, UTC), as people write it. */
function formatDay(at: string): string {
  const [year, month, day] = at.slice(0, 10).split("-").map(Number);
  return `${day} ${MONTHS[month - 1]} ${year}`;
}
