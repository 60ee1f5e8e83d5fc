import type { Entry } from "../../../model/entries/entry.ts";
import { toneOf } from "../../../model/entries/label_tone.ts";
import { datesOf } from "../../../model/locales/language.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { entryAddress } from "../../../model/public_site.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { renderPage } from "../_page/layout.ts";
import { describeEntry } from "../_page/meta.ts";
import { forPage, type RenderedBody, renderMarkdown } from "../_page/rendered.ts";
import { addressOf, labelQuery, type PublicSite } from "../_page/site.ts";
import { ideaAddress } from "../boards/parts.ts";
import type { Neighbours } from "./entry_lists.ts";
import { renderSignUpForm } from "../people/mail_forms.ts";
import type { CatalogueItem } from "../../../services/entries/catalogue.ts";
import type { ShippedIdea } from "../../../services/posts/shipped_ideas.ts";

export interface ArticleContent {
  readonly entry: Entry;
  readonly body: RenderedBody;
  /** The level of its heading: 1 on a page of its own. */
  readonly level: 1 | 3;
}

export function renderArticle(site: PublicSite, { entry, body, level }: ArticleContent): Html {
  const { labels, publishedAt, createdAt, title, url } = entry;
  const at = publishedAt ?? createdAt;
  const address = entryAddress(site, entry);
  const texts = textsOf(site.language);
  const time = markup`<time datetime="${at}">${datesOf(site).day(at)}</time>`;
  const isAlone = level === 1;
  const more = url === null ? undefined : markup`
<p class="more"><a href="${url}">${texts.readMoreAt(new URL(url).host)}</a></p>`;
  return markup`
<article>
<div class="meta">${isAlone ? time : markup`<a href="${address}">${time}</a>`}${
    renderLabels(site, labels)
  }</div>
${
    isAlone
      ? markup`<h1 class="title" dir="auto">${title}</h1>`
      : markup`<h3 class="title" dir="auto"><a href="${address}">${title}</a></h3>`
  }
<div class="content">
<div class="body">
${forPage(body, level + 1)}</div>${more}
</div>
</article>`;
}

/** Renders links to the pages of labels; the link to the current page is marked. */
export function renderLabels(
  site: PublicSite,
  labels: readonly string[],
  { current, hasAll = false }: {
    readonly current?: string | undefined;
    /** Whether the list begins with a link to all entries. */
    readonly hasAll?: boolean;
  } = {},
): Html | undefined {
  if (labels.length === 0) return undefined;
  const texts = textsOf(site.language);
  const item = (label: string | undefined) => {
    const tone = label === undefined ? undefined : markup` class="tone-${toneOf(label)}"`;
    const isCurrent = hasAll && label === current;
    return markup`\n<li${tone}><a href="${addressOf(site, labelQuery(label))}"${
      isCurrent ? markup` aria-current="page"` : undefined
    }>${label ?? texts.allEntries}</a></li>`;
  };
  return markup`
<ul class="chips" aria-label="${texts.labels}">${hasAll ? item(undefined) : undefined}${
    labels.map(item)
  }
</ul>`;
}

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
