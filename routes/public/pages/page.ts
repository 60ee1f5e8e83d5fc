import type { Entry } from "../../../model/entries/entry.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { entryAddress } from "../../../model/public_site.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { renderArticle } from "./article.ts";
import type { CatalogueItem } from "../../../services/entries/catalogue.ts";
import type { Neighbours } from "./catalogue.ts";
import { renderPage } from "./layout.ts";
import { describeEntry } from "./meta.ts";
import { renderMarkdown } from "./rendered.ts";
import { renderSignUpForm } from "./sign_up_form.ts";
import { addressOf, type PublicSite } from "./site.ts";

/** Renders the page of a published entry. */
export function renderEntry(site: PublicSite, entry: Entry, neighbours: Neighbours): string {
  const body = renderMarkdown(entry.body, addressOf(site, "/"));
  const content = markup`${renderArticle(site, { entry, body, level: 1 })}
${renderNeighbours(site, neighbours)}${renderSignUpForm(site)}`;
  return renderPage(site, {
    title: entry.title,
    description: body.excerpt || entry.title,
    canonical: entryAddress(site, entry),
    hasForm: true,
    more: describeEntry(site, entry, body),
  }, content);
}

/** Renders the page of an entry that may not be public, and that nobody is to remember. */
export function renderPreview(site: PublicSite, entry: Entry): string {
  const article = renderArticle(site, {
    entry,
    body: renderMarkdown(entry.body, addressOf(site, "/")),
    level: 1,
  });
  const content = markup`
<p class="banner">${textsOf(site.language).preview}</p>${article}`;
  return renderPage(site, { title: entry.title }, content);
}

function renderNeighbours(site: PublicSite, { newer, older }: Neighbours): Html {
  const texts = textsOf(site.language);
  const link = (item: CatalogueItem | undefined, rel: "prev" | "next", text: string) =>
    item && markup`
<a href="${
      entryAddress(site, item)
    }" rel="${rel}"><span>${text}</span> <bdi>${item.title}</bdi></a>`;
  return markup`<nav class="pages" aria-label="${texts.pages}">${
    link(newer, "prev", texts.newerEntry)
  }${link(older, "next", texts.olderEntry)}
<a class="all" href="${addressOf(site)}">${texts.allEntries}</a>
</nav>`;
}
