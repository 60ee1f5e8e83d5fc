import type { Board } from "../../../model/board.ts";
import type { Entry } from "../../../model/entries/entry.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { datesOf } from "../../../model/locales/language.ts";
import { isClosing, type ShownPost } from "../../../model/posts/post.ts";
import { entryAddress } from "../../../model/public_site.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { renderPage } from "../_page/layout.ts";
import { forPage, renderMarkdown } from "../_page/rendered.ts";
import { addressOf, type PublicSite } from "../_page/site.ts";
import {
  beginningOf,
  boardAddress,
  boardFeedAddress,
  formatNumber,
  ideaAddress,
  statusText,
  votesOf,
} from "./parts.ts";
import { describeIdea } from "./meta.ts";
import { renderVotes, VOTE_ID } from "./rows.ts";
import type { ShownVisitor } from "../_page/visitor.ts";

/** The content of an idea's page. */
export interface IdeaContent {
  readonly board: Board;
  readonly post: ShownPost;
  /** Whether the team added the idea, for nobody else. */
  readonly isByTeam: boolean;
  /** The public entry that ships the idea. */
  readonly entry: Entry | undefined;
  /** The number of votes of the last four weeks, if it is known. */
  readonly recent: number | undefined;
  readonly visitor?: ShownVisitor | undefined;
  /** The form to vote, if the reader may. */
  readonly form?: Html | undefined;
}

export function renderIdeaPage(site: PublicSite, content: IdeaContent): string {
  const { board, post, isByTeam, entry, visitor, form } = content;
  const texts = textsOf(site.language);
  const address = ideaAddress(site, post);
  const vote = form && markup`
<section class="${
    visitor ? "panel known" : "panel"
  }" id="${VOTE_ID}"><h2>${texts.vote}</h2>${form}</section>`;
  const isEnded = site.hasForms && isClosing(post.status);
  const report = site.hasForms
    ? markup`\n<p class="report"><a href="${address}/report">${texts.report}</a></p>`
    : undefined;
  const page = markup`
<article class="post">
${renderVotes(site, post, { visitor, isOwnPage: true })}
<div>
<h1 class="title" dir="auto">${post.title}</h1>
${renderFacts(site, content)}${vote}${
    isEnded ? markup`\n<p class="empty">${texts.votingEnded}</p>` : undefined
  }${post.body === null ? undefined : renderWords(site, post.body, { isByVisitor: true })}${
    entry &&
    markup`\n<p class="more"><a href="${entryAddress(site, entry)}">${
      texts.shippedWith(entry.title)
    }</a></p>`
  }
${renderAnswer(site, post)}${renderHistory(site, post)}${report}
</div>
</article>
<nav class="pages" aria-label="${board.name}">
<a class="all" href="${boardAddress(site, board)}">${texts.allIdeasOf(board.name)}</a>
</nav>`;
  return renderPage(site, {
    title: post.title,
    description: beginningOf(site, post) || post.title,
    canonical: address,
    who: visitor?.name,
    more: describeIdea(site, post, { board, isByTeam }),
    boards: {
      feed: { title: board.name, address: boardFeedAddress(site, board) },
    },
  }, page);
}

function renderFacts(site: PublicSite, { board, post, recent = 0 }: IdeaContent): Html {
  const { createdAt, importedVotes } = post;
  const texts = textsOf(site.language);
  const day = datesOf(site).day(createdAt);
  const imported = importedVotes === 0
    ? undefined
    : markup`<span>${texts.imported(formatNumber(site, importedVotes))}</span>`;
  const isLively = recent > 0 && recent < votesOf(post);
  const [votes, lately] = [votesOf(post), recent].map((count) => formatNumber(site, count));
  const changed = post.history.length > 1 ? post.history.at(-1) : undefined;
  const status = statusText(site, post.status);
  const since = changed?.status === post.status
    ? texts.since(status, datesOf(site).day(changed.at))
    : status;
  return markup`<div class="facts"><span class="status ${post.status}">${since}</span>
<a href="${boardAddress(site, board)}" dir="auto">${board.name}</a>
<time datetime="${createdAt}">${day}</time>${
    isLively ? markup`<span>${texts.recentVotes(votes, lately)}</span>` : undefined
  }${imported}</div>`;
}

/**
 * Renders Markdown. Marks visitors' links as user-generated, so that posting them earns no rank in
 * search engines.
 */
function renderWords(
  site: PublicSite,
  text: string,
  { isByVisitor }: { readonly isByVisitor: boolean },
): Html {
  const { html } = forPage(renderMarkdown(text, addressOf(site, "/")), 2);
  // Text and attributes are escaped, so this is a real tag.
  const marked = isByVisitor
    ? html.replaceAll("<a href=", '<a rel="nofollow ugc noopener" href=')
    : html;
  return markup`\n<div class="body">\n${{ html: marked }}</div>`;
}

function renderAnswer(site: PublicSite, { answer, answeredAt, createdAt }: ShownPost) {
  if (answer === null) return undefined;
  const at = answeredAt ?? createdAt;
  return markup`
<section class="team"><h2>${textsOf(site.language).answer}</h2>
<div class="facts"><time datetime="${at}">${datesOf(site).day(at)}</time></div>${
    renderWords(site, answer, { isByVisitor: false })
  }</section>`;
}

/** Renders the past statuses of an idea; nothing for a new idea. */
function renderHistory(site: PublicSite, { history }: ShownPost): Html | undefined {
  if (history.length < 2) return undefined;
  const texts = textsOf(site.language);
  const rows = history.toReversed().map(({ at, status }) =>
    markup`\n<li>${texts.since(statusText(site, status), datesOf(site).day(at))}</li>`
  );
  return markup`
<details class="history"><summary>${texts.history}</summary>
<ul>${rows}
</ul></details>`;
}
