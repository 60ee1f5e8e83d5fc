import type { Board } from "../../../model/board.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { POST_SORTS, type PostSort } from "../../../model/posts/place.ts";
import { POST_STATUSES, type ShownPost } from "../../../model/posts/post.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { renderPage } from "../_page/layout.ts";
import { addressOf, type PublicSite, renderWay } from "../_page/site.ts";
import {
  boardAddress,
  boardFeedAddress,
  type BoardQuery,
  renderEmpty,
  SEARCH_MAX_LENGTH,
} from "./parts.ts";
import { describeIdeas } from "./meta.ts";
import { renderIdea } from "./rows.ts";
import type { ShownVisitor } from "../_page/visitor.ts";

/** The content of a board's page. */
export interface BoardContent {
  readonly visitor?: ShownVisitor | undefined;
  readonly board: Board;
  readonly query: BoardQuery;
  readonly posts: readonly ShownPost[];
  /** The cursor of the next page; `undefined` if there is none. */
  readonly next: string | undefined;
}

/** Renders a page of a board's ideas. */
export function renderBoard(site: PublicSite, content: BoardContent): string {
  const { board, query, posts, visitor } = content;
  const texts = textsOf(site.language);
  const { status, sort, q, cursor } = query;
  const isMain = sort === undefined && q === undefined && cursor === undefined;
  const add = site.hasForms
    ? markup`\n<a class="button" href="${boardAddress(site, board)}/new">${texts.addIdea}</a>`
    : undefined;
  const back = boardAddress({ publicUrl: "" }, board, query);
  const page = markup`
<div class="hero">
<div><h1 dir="auto">${board.name}</h1>${
    board.description === null
      ? undefined
      : markup`\n<p class="lead" dir="auto">${board.description}</p>`
  }</div>${add}
</div>
<div class="bar">${renderFilters(site, board, query)}${renderSearch(site, board, query)}
</div>
${
    posts.length === 0
      ? renderNothing(site, content)
      : markup`<ol class="ideas">${posts.map((post) => renderIdea(site, post, { visitor, back }))}
</ol>`
  }
${renderPages(site, content)}`;
  const titles = posts.slice(0, 5).map(({ title }) => title).join(" · ");
  const heading = status === undefined ? board.name : `${board.name}: ${texts[status]}`;
  return renderPage(site, {
    title: q === undefined ? heading : texts.found(q),
    description: board.description?.split("\n", 1)[0] || titles || board.name,
    canonical: isMain && (posts.length > 0 || status === undefined)
      ? boardAddress(site, board, { status })
      : undefined,
    isList: true,
    who: visitor?.name,
    more: describeIdeas(site, { board, posts }),
    boards: {
      feed: { title: board.name, address: boardFeedAddress(site, board) },
    },
  }, page);
}

function renderSearch(site: PublicSite, board: Board, { status, sort, q }: BoardQuery): Html {
  const { search, searchIdeas } = textsOf(site.language);
  const hidden = Object.entries({ status, sort }).map(([name, value]) =>
    value && markup`<input type="hidden" name="${name}" value="${value}">`
  );
  return markup`
<form class="search" role="search" action="${boardAddress(site, board)}">${hidden}
<input type="search" name="q" value="${q}" aria-label="${searchIdeas}" placeholder="${searchIdeas}" maxlength="${SEARCH_MAX_LENGTH}" dir="auto">
<button>${search}</button>
</form>`;
}

function renderFilters(site: PublicSite, board: Board, { status, sort, q }: BoardQuery): Html {
  const texts = textsOf(site.language);
  const link = (query: BoardQuery, text: string, isCurrent: boolean) => {
    const current = isCurrent ? markup` aria-current="page"` : undefined;
    return markup`\n<li><a href="${boardAddress(site, board, query)}"${current}>${text}</a></li>`;
  };
  const orders: Readonly<Record<PostSort, string>> = {
    votes: texts.sortVotes,
    hot: texts.sortHot,
    new: texts.sortNew,
  };
  // The address omits the default order, so that each page has one address.
  const named = (order: PostSort) => order === "votes" ? undefined : order;
  return markup`
<ul class="chips tabs">${
    [undefined, ...POST_STATUSES].map((one) =>
      link(
        { status: one, sort, q },
        one === undefined ? texts.allStatuses : texts[one],
        one === status,
      )
    )
  }
</ul>
<details class="menu"><summary aria-label="${texts.order}: ${orders[sort ?? "votes"]}">${
    orders[sort ?? "votes"]
  }</summary>
<ul>${
    POST_SORTS.map((one) => link({ status, sort: named(one), q }, orders[one], named(one) === sort))
  }
</ul></details>`;
}

function renderNothing(site: PublicSite, { board, query }: BoardContent): Html {
  const texts = textsOf(site.language);
  const add = site.hasForms
    ? markup`\n<p><a class="button" href="${
      boardAddress(site, board)
    }/new">${texts.addIdea}</a></p>`
    : undefined;
  const isFiltered = query.q !== undefined || query.status !== undefined;
  if (isFiltered) {
    const hint = site.hasForms ? texts.noMatchHint : texts.nothingFoundHint;
    return renderEmpty(texts.noMatch, hint, add);
  }
  return site.hasForms ? renderEmpty(texts.noIdeas, texts.noIdeasHint, add) : renderEmpty(
    texts.noIdeas,
    texts.noBoardsHint,
    renderWay(addressOf(site), texts.whatIsNew),
  );
}

function renderPages(site: PublicSite, { board, query, next }: BoardContent): Html | undefined {
  const { cursor, ...rest } = query;
  if (cursor === undefined && next === undefined) return undefined;
  const texts = textsOf(site.language);
  const first = cursor &&
    markup`\n<a href="${
      boardAddress(site, board, rest)
    }" rel="prev"><span>${texts.firstIdeas}</span></a>`;
  const more = next &&
    markup`\n<a href="${
      boardAddress(site, board, { ...rest, cursor: next })
    }" rel="next"><span>${texts.moreIdeas}</span></a>`;
  return markup`<nav class="pages" aria-label="${texts.pages}">${first}${more}
</nav>`;
}
