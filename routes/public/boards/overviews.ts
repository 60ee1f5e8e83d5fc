import type { Board } from "../../../model/board.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import type { PostStatus, ShownPost } from "../../../model/posts/post.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { renderPage } from "../_page/layout.ts";
import { describeList } from "../_page/meta.ts";
import { addressOf, type PublicSite } from "../_page/site.ts";
import {
  boardAddress,
  formatNumber,
  ideaAddress,
  renderEmpty,
  roadmapAddress,
  statusText,
  votesOf,
} from "./parts.ts";

/** A public board with the number of its open ideas. */
export interface ListedBoard {
  readonly board: Board;
  readonly open: number;
}

/** Renders the list of public boards. */
export function renderBoards(
  site: PublicSite,
  { boards, visitor }: {
    readonly boards: readonly ListedBoard[];
    readonly visitor?: string | undefined;
  },
): string {
  const texts = textsOf(site.language);
  const hint = site.hasForms ? texts.boardsHint : undefined;
  const cards = boards.map(({ board, open }) =>
    markup`
<li>
<h2 dir="auto"><a href="${boardAddress(site, board)}">${board.name}</a></h2>${
      board.description === null ? undefined : markup`\n<p dir="auto">${board.description}</p>`
    }
<div class="facts">${texts.openIdeas(formatNumber(site, open))}</div>
</li>`
  );
  const whatIsNew = markup`
<p><a href="${addressOf(site)}">${texts.whatIsNew}</a></p>`;
  const content = markup`
<div class="hero">
<div><h1>${texts.ideas}</h1>${hint && markup`\n<p>${hint}</p>`}</div>
</div>
${
    cards.length === 0
      ? renderEmpty(texts.noBoards, texts.noBoardsHint, whatIsNew)
      : markup`<ul class="cards">${cards}\n</ul>`
  }`;
  return renderPage(site, {
    title: texts.ideas,
    description: hint ?? texts.ideas,
    canonical: boardAddress(site),
    isList: true,
    who: visitor,
    more: describeList(site),
    boards: { current: "ideas" },
  }, content);
}

export interface RoadmapColumn {
  readonly status: PostStatus;
  readonly posts: readonly ShownPost[];
}

/** The cards of a column that are shown at first. */
const SHOWN_CARDS = 10;

/** Renders the roadmap, with a column for each status. */
export function renderRoadmap(
  site: PublicSite,
  { columns, visitor }: {
    readonly columns: readonly RoadmapColumn[];
    readonly visitor?: string | undefined;
  },
): string {
  const texts = textsOf(site.language);
  const content = markup`
<div class="hero">
<div><h1>${texts.roadmap}</h1>
<p>${texts.roadmapHint}</p></div>
</div>
<div class="columns">${columns.map((column) => renderColumn(site, column))}
</div>`;
  return renderPage(site, {
    title: texts.roadmap,
    description: texts.roadmapHint,
    canonical: roadmapAddress(site),
    isList: true,
    who: visitor,
    more: describeList(site),
    boards: { current: "roadmap" },
  }, content);
}

function renderColumn(site: PublicSite, { status, posts }: RoadmapColumn): Html {
  const texts = textsOf(site.language);
  const heading = status === "shipped" ? texts.shippedLately : statusText(site, status);
  const cards = posts.map((post) => {
    const count = formatNumber(site, votesOf(post));
    return markup`
<li class="listed"><h3 dir="auto"><a href="${ideaAddress(site, post)}">${post.title}</a></h3>
<span class="count" role="img" aria-label="${texts.votes(count)}">${count}</span></li>`;
  });
  const list = (some: readonly Html[]) => markup`\n<ol class="ideas">${some}\n</ol>`;
  const rest = cards.slice(SHOWN_CARDS);
  return markup`
<section><h2><span class="status ${status}">${heading}</span> <small>${
    formatNumber(site, posts.length)
  }</small></h2>${
    cards.length === 0
      ? markup`\n<p class="empty">${texts.nothingHere}</p>`
      : list(cards.slice(0, SHOWN_CARDS))
  }${
    rest.length === 0
      ? undefined
      : markup`\n<details><summary>${texts.showAll}</summary>${list(rest)}</details>`
  }</section>`;
}
