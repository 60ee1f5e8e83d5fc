import type { Entry } from "../../../model/entries/entry.ts";
import { datesOf } from "../../../model/locales/language.ts";
import { entryAddress } from "../../../model/public_site.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { forPage, type RenderedBody } from "../_page/rendered.ts";
import { toneOf } from "../../../model/entries/label_tone.ts";
import { addressOf, labelQuery, type PublicSite } from "../_page/site.ts";

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
