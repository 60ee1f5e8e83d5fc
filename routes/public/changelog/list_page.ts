import { type Dates, datesOf } from "../../../model/locales/language.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { renderArticle, renderLabels } from "./entry_page.ts";
import type { ListPlace } from "./entry_lists.ts";
import { renderPage } from "../_page/layout.ts";
import { describeList } from "../_page/meta.ts";
import type { RenderedEntry } from "../_page/rendered.ts";
import { renderSearchForm } from "./search_page.ts";
import { renderSignUpForm } from "../people/mail_forms.ts";
import { addressOf, labelQuery, type PublicSite } from "../_page/site.ts";

/** The content of a list page. */
export interface ListContent {
  readonly place: ListPlace;
  readonly entries: readonly RenderedEntry[];
  /** All labels, the most frequent first. */
  readonly labels: readonly string[];
}

const PREVIEWED_TITLES = 5;
const SHOWN_LABELS = 12;

/** Renders a page of all entries, or of the entries with a label. */
export function renderList(site: PublicSite, { place, entries, labels }: ListContent): string {
  const { label, from, cursor } = place;
  const texts = textsOf(site.language);
  const heading = label === undefined ? undefined : texts.labelled(label);
  const titles = entries.slice(0, PREVIEWED_TITLES).map(({ entry }) => entry.title).join(" · ");
  const isKnown = entries.length > 0 || (label === undefined && from === 0);
  const shown = labels.slice(0, SHOWN_LABELS);
  const content = markup`
<div class="hero">
<h1 dir="auto">${heading ?? site.title}</h1>
</div>
<div class="bar">${renderLabels(site, shown, { current: label, hasAll: true })}${
    isKnown && entries.length > 0 ? renderSearchForm(site, { label }) : undefined
  }
</div>
${entries.length === 0 ? renderNothing(site, label) : renderMonths(site, entries)}
${renderLinks(site, place)}${renderSignUpForm(site)}`;
  return renderPage(site, {
    title: titleOf(site, { place, entries, heading }),
    description: titles || texts.about,
    canonical: isKnown ? addressOf(site, queryOf(label, cursor)) : undefined,
    isList: true,
    hasTitle: label === undefined,
    hasForm: true,
    more: describeList(site),
    label: isKnown ? label : undefined,
  }, content);
}

/** Returns the title of a page; `undefined` for the first page of all entries. */
function titleOf(
  site: PublicSite,
  { place, entries, heading }: {
    readonly place: ListPlace;
    readonly entries: readonly RenderedEntry[];
    readonly heading: string | undefined;
  },
): string | undefined {
  const [first, last] = [entries[0], entries.at(-1)].map((shown) => `${shown?.entry.publishedAt}`);
  const days = place.from === 0 || entries.length === 0 ? [] : [datesOf(site).range(last, first)];
  return [...heading === undefined ? [] : [heading], ...days].join(" · ") || undefined;
}

/** Renders entries under the months of their publication. */
function renderMonths(site: PublicSite, entries: readonly RenderedEntry[]): readonly Html[] {
  const dates: Dates = datesOf(site);
  let month: string | undefined;
  return entries.map(({ entry, body }) => {
    const before = month;
    month = dates.month(`${entry.publishedAt}`);
    const heading = month === before ? undefined : markup`\n<h2 class="month">${month}</h2>`;
    return markup`${heading}${renderArticle(site, { entry, body, level: 3 })}`;
  });
}

function renderNothing(site: PublicSite, label: string | undefined): Html {
  const { nothingYet, nothingYetHint, nothingLabelled } = textsOf(site.language);
  return label === undefined
    ? markup`<div class="note"><h2>${nothingYet}</h2>\n<p>${nothingYetHint}</p></div>`
    : markup`<div class="note"><h2>${nothingLabelled}</h2></div>`;
}

function renderLinks(site: PublicSite, { label, newer, older }: ListPlace): Html | undefined {
  if (newer === undefined && older === undefined) return undefined;
  const texts = textsOf(site.language);
  const link = (cursor: string | null | undefined, rel: "prev" | "next", text: string) =>
    cursor === undefined ? undefined : markup`
<a href="${addressOf(site, queryOf(label, cursor))}" rel="${rel}"><span>${text}</span></a>`;
  return markup`<nav class="pages" aria-label="${texts.pages}">${
    link(newer, "prev", texts.newerEntries)
  }${link(older, "next", texts.olderEntries)}
</nav>`;
}

function queryOf(label: string | undefined, cursor: string | null | undefined): string {
  const query = labelQuery(label);
  return cursor ? `${query}${query === "" ? "?" : "&"}cursor=${cursor}` : query;
}
