import type { Entry } from "../../../model/entries/entry.ts";
import { shownText } from "../../../model/entries/shown_text.ts";
import { datesOf } from "../../../model/locales/language.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { entryAddress } from "../../../model/public_site.ts";
import { createYielder } from "../../../model/turns.ts";
import { findAround } from "../../../model/values/found_words.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { renderLabels } from "./entry_page.ts";
import { renderPage } from "../_page/layout.ts";
import { addressOf, type PublicSite } from "../_page/site.ts";

/** The most characters in a search of the changelog. */
export const MAX_QUERY_LENGTH = 100;

/** A search with a page of its results. */
export interface SearchContent {
  readonly q: string;
  readonly words: readonly string[];
  readonly label: string | undefined;
  readonly entries: readonly Entry[];
  /** The cursor of the next page; `undefined` if there is none. */
  readonly older: string | undefined;
}

/** Renders the form that searches the changelog, or the entries with a label. */
export function renderSearchForm(
  site: PublicSite,
  { q, label }: { readonly q?: string; readonly label: string | undefined },
): Html {
  const texts = textsOf(site.language);
  const hidden = label && markup`<input type="hidden" name="label" value="${label}">`;
  return markup`
<form class="search" role="search" action="${addressOf(site)}">${hidden}
<input type="search" name="q" value="${q}" aria-label="${texts.search}" placeholder="${texts.search}" maxlength="${`${MAX_QUERY_LENGTH}`}" required dir="auto">
<button>${texts.search}</button>
</form>`;
}

/** Renders search results: titles with excerpts, in which the found words are marked. */
export async function renderSearch(site: PublicSite, content: SearchContent): Promise<string> {
  const { q, words, label, entries, older } = content;
  const texts = textsOf(site.language);
  const yieldIfBusy = createYielder();
  const found: Html[] = [];
  for (const entry of entries) {
    await yieldIfBusy();
    found.push(renderFound(site, entry, words));
  }
  const query = new URLSearchParams({ q, ...label && { label }, ...older && { cursor: older } });
  const next = older && markup`
<nav class="pages" aria-label="${texts.pages}">
<a href="${addressOf(site, `?${query}`)}" rel="next"><span>${texts.olderEntries}</span></a>
</nav>`;
  const nothing = markup`
<div class="note"><h2>${texts.nothingFound}</h2>\n<p>${texts.nothingFoundHint}</p></div>`;
  return renderPage(
    site,
    { title: texts.found(q), isList: true },
    markup`
<div class="hero">
<h1 dir="auto">${texts.found(q)}</h1>
</div>
<div class="bar">${renderLabels(site, label === undefined ? [] : [label])}${
      renderSearchForm(site, { q, label })
    }
</div>
${found.length === 0 ? nothing : found}${next}`,
  );
}

function renderFound(site: PublicSite, entry: Entry, words: readonly string[]): Html {
  const at = `${entry.publishedAt}`;
  const address = entryAddress(site, entry);
  const text = shownText(entry.body).replace(/\s+/g, " ");
  const mark = (source: string) =>
    findAround(source, words).map(({ text, isFound }) =>
      isFound ? markup`<mark>${text}</mark>` : markup`${text}`
    );
  return markup`
<article>
<div class="meta"><time datetime="${at}">${datesOf(site).day(at)}</time>${
    renderLabels(site, entry.labels)
  }</div>
<h2 class="title" dir="auto"><a href="${address}">${mark(entry.title)}</a></h2>
<p class="content" dir="auto">${mark(text.trim())}</p>
</article>`;
}
