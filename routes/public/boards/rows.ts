import type { Board } from "../../../model/board.ts";
import { datesOf } from "../../../model/locales/language.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { isolate } from "../../../model/locales/locale.ts";
import { isClosing, type ShownPost } from "../../../model/posts/post.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { type PublicSite, renderWay } from "../_page/site.ts";
import type { ShownVisitor } from "../_page/visitor.ts";
import {
  beginningOf,
  boardAddress,
  formatNumber,
  ideaAddress,
  renderStatus,
  votesOf,
} from "./parts.ts";

/** The state of a row for its reader. */
interface RowOptions {
  readonly visitor?: ShownVisitor | undefined;
  /** The path and query of the page, to which a vote leads back. */
  readonly back?: string | undefined;
  /**
   * Whether the idea and the vote open in a tab of their own, as a browser may empty a form that it
   * comes back to.
   */
  readonly opensTab?: boolean;
}

/** The board of an idea, as links to it need it. */
export type LinkedBoard = Pick<Board, "boardId" | "name">;

/** The URL fragment of the form to vote. */
export const VOTE_ID = "vote";

/** Returns the URL fragment of an idea in a list. */
export function rowId({ postId }: { readonly postId: string }): string {
  return `i-${postId}`;
}

/**
 * Renders the number of votes, large enough for a thumb: as a button for a known reader, as a link
 * to the form for others and for who has voted, and as text if nobody can vote.
 */
export function renderVotes(
  site: PublicSite,
  post: ShownPost,
  { visitor, back, opensTab = false, isOwnPage = false }: RowOptions & {
    readonly isOwnPage?: boolean;
  },
): Html {
  const texts = textsOf(site.language);
  const label = texts.votes(formatNumber(site, votesOf(post)));
  const shown = markup`<bdi aria-hidden="true">${formatNumber(site, votesOf(post), true)}</bdi>`;
  const hasVoted = visitor?.votedFor.has(post.postId) === true;
  if (!site.hasForms || (isClosing(post.status) && !hasVoted)) {
    return markup`<span class="tally" role="img" aria-label="${label}">${shown}</span>`;
  }
  const address = ideaAddress(site, post);
  const tab = opensTab ? markup` target="_blank"` : undefined;
  const act = hasVoted ? `${texts.voteCounts}: ${isolate(post.title)}` : texts.voteFor(post.title);
  const name = `${act}. ${label}`;
  if (visitor === undefined || hasVoted) {
    const given = hasVoted ? " given" : "";
    const target = `${isOwnPage ? "" : address}#${VOTE_ID}`;
    return markup`<a class="tally${given}" href="${target}" aria-label="${name}"${tab}>${shown}</a>`;
  }
  const field = back && markup`<input type="hidden" name="back" value="${back}">`;
  return markup`<form method="post" action="${address}"${tab}><button class="tally" aria-label="${name}">${shown}</button>${field}</form>`;
}

/** Renders an idea in a list: its votes, title, first words and status. */
export function renderIdea(site: PublicSite, post: ShownPost, options: RowOptions): Html {
  return markup`
<li class="listed">${renderRow(site, post, options)}
</li>`;
}

/** Renders the content of such a row. */
export function renderRow(site: PublicSite, post: ShownPost, options: RowOptions): Html {
  const excerpt = beginningOf(site, post);
  const tab = options.opensTab ? markup` target="_blank"` : undefined;
  const status = post.status === "open" ? undefined : renderStatus(site, post.status);
  const answered = renderAnswerDay(site, post);
  const facts = (status || answered) &&
    markup`\n<div class="facts">${status}${status && answered && " "}${answered}</div>`;
  return markup`
${renderVotes(site, post, options)}
<div id="${rowId(post)}"><h2 dir="auto"><a href="${
    ideaAddress(site, post)
  }"${tab}>${post.title}</a></h2>${
    excerpt === "" ? undefined : markup`\n<p dir="auto">${excerpt}</p>`
  }${facts}</div>`;
}

/** Renders the day of the team's answer; nothing for an idea that is shipped or declined. */
function renderAnswerDay(
  site: PublicSite,
  { answeredAt, answer, status }: ShownPost,
): Html | undefined {
  if (answer === null || answeredAt === null || isClosing(status)) return undefined;
  const { answeredOn } = textsOf(site.language);
  return markup`<time datetime="${answeredAt}">${
    answeredOn(datesOf(site).shortDay(answeredAt))
  }</time>`;
}

/** Renders ideas on a note page, and the way to their board. */
export function renderRows(
  site: PublicSite,
  posts: readonly ShownPost[],
  { board, visitor }: {
    readonly board?: LinkedBoard | undefined;
    readonly visitor?: ShownVisitor | undefined;
  },
): Html {
  const rows = posts.map((post) => renderIdea(site, post, { visitor }));
  const list = rows.length === 0 ? undefined : markup`\n<ol class="ideas">${rows}\n</ol>`;
  return markup`${list}${board && renderWayToBoard(site, board)}`;
}

/** Renders the way to all ideas of a board. */
export function renderWayToBoard(site: PublicSite, board: LinkedBoard): Html {
  const { allIdeasOf } = textsOf(site.language);
  return renderWay(boardAddress(site, board), allIdeasOf(board.name));
}
