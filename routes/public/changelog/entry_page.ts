import type { Entry } from "../../../model/entries/entry.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { entryAddress } from "../../../model/public_site.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { renderArticle } from "./article.ts";
import type { CatalogueItem } from "../../../services/entries/catalogue.ts";
import type { Neighbours } from "./catalogue.ts";
import type { ShippedIdea } from "../../../services/posts/shipped_ideas.ts";
import { ideaAddress } from "../boards/addresses.ts";
import { renderPage } from "../_page/layout.ts";
import { describeEntry } from "../_page/meta.ts";
import { renderMarkdown } from "../_page/rendered.ts";
import { renderSignUpForm } from "../people/subscribe_form.ts";
import { addressOf, type PublicSite } from "../_page/site.ts";

/** The pages that an entry's page links to. */
export interface LinkedPages extends Neighbours {
  /** The ideas on public boards that the entry ships. */
  readonly ideas: readonly ShippedIdea[];
}

export function renderEntry(
  site: PublicSite,
  entry: Entry,
  { ideas, ...neighbours }: LinkedPages,
): string {
  const body = renderMarkdown(entry.body, addressOf(site, "/"));
  const content = markup`${renderArticle(site, { entry, body, level: 1 })}${
    renderIdeas(site, ideas)
  }
${renderNeighbours(site, neighbours)}${renderSignUpForm(site)}`;
  return renderPage(site, {
    title: entry.title,
    description: body.excerpt || entry.title,
    canonical: entryAddress(site, entry),
    hasForm: true,
    more: describeEntry(site, entry, body),
  }, content);
}

function renderIdeas(site: PublicSite, ideas: readonly ShippedIdea[]): Html | undefined {
  if (ideas.length === 0) return undefined;
  const items = ideas.map((idea) =>
    markup`\n<li dir="auto"><a href="${ideaAddress(site, idea)}">${idea.title}</a></li>`
  );
  return markup`
<section class="ships body"><h2>${textsOf(site.language).youAskedForIt}</h2>
<ul>${items}
</ul></section>`;
}

/**
 * Renders the page of an entry that may not be public, and that search engines must not remember.
 */
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
