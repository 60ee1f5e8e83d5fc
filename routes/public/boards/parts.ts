import { boardTextsOf } from "../../../model/locales/board_texts.ts";
import { excerptOf, parseMarkdown } from "../../../model/entries/markdown.ts";
import { isolate } from "../../../model/locales/locale.ts";
import { proofTextsOf } from "../../../model/locales/proof_texts.ts";
import { directionOf } from "../../../model/locales/language.ts";
import { isClosing, type PostStatus, type ShownPost } from "../../../model/posts/post.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { createLruCache, type LruCache } from "../../../model/lru_cache.ts";
import type { PublicSite } from "../_page/site.ts";
import type { KnownViewer } from "../_page/viewer.ts";
import { ideaAddress } from "./addresses.ts";

/** The URL fragment of the form to vote. */
export const VOTE_ID = "vote";

const SHORT_FROM = 100_000;
// By site, because the posts of two handlers may have the same identifiers and times.
const excerptsOf = new WeakMap<PublicSite, LruCache<string>>();

/** Returns the URL fragment of an idea in a list. */
export function rowId({ postId }: { readonly postId: string }): string {
  return `i-${postId}`;
}

/** Returns the text for an idea's status. */
export function statusText({ language }: PublicSite, status: PostStatus): string {
  return boardTextsOf(language)[status];
}

/** Renders a status as a badge. */
export function renderStatus(site: PublicSite, status: PostStatus): Html {
  return markup`<span class="status ${status}">${statusText(site, status)}</span>`;
}

/** Returns the number of votes for an idea, including imported ones. */
export function votesOf({ votes, importedVotes }: ShownPost): number {
  return votes + importedVotes;
}

/** Formats a number for a language. `isShort` rounds a large one. */
export function formatNumber({ language }: PublicSite, value: number, isShort = false): string {
  const notation = isShort && value >= SHORT_FROM ? "compact" : "standard";
  const locale = directionOf(language) === "rtl" ? `${language}-u-nu-latn` : language;
  return new Intl.NumberFormat(locale, { notation }).format(value);
}

/**
 * Renders the number of votes, large enough for a thumb: as a button for a known reader, as a link
 * to the form for others, and as text if nobody can vote.
 */
export function renderVotes(
  site: PublicSite,
  post: ShownPost,
  { viewer, back, isOwnPage = false }: {
    readonly viewer?: KnownViewer | undefined;
    readonly back?: string | undefined;
    readonly isOwnPage?: boolean;
  },
): Html {
  const texts = boardTextsOf(site.language);
  const label = texts.votes(formatNumber(site, votesOf(post)));
  const shown = markup`<bdi aria-hidden="true">${formatNumber(site, votesOf(post), true)}</bdi>`;
  const hasVoted = viewer?.votedFor.has(post.postId) === true;
  const given = hasVoted ? " given" : "";
  if (!site.hasForms || (isClosing(post.status) && !hasVoted)) {
    return markup`<span class="tally" role="img" aria-label="${label}">${shown}</span>`;
  }
  const address = ideaAddress(site, post);
  if (viewer === undefined || hasVoted) {
    const name = hasVoted
      ? `${proofTextsOf(site.language).voteCounts}: ${isolate(post.title)}. ${label}`
      : `${texts.voteFor(post.title)}. ${label}`;
    const target = `${isOwnPage ? "" : address}#${VOTE_ID}`;
    return markup`<a class="tally${given}" href="${target}" aria-label="${name}">${shown}</a>`;
  }
  const name = `${texts.voteFor(post.title)}. ${label}`;
  const field = back && markup`<input type="hidden" name="back" value="${back}">`;
  return markup`<form method="post" action="${address}"><button class="tally" aria-label="${name}">${shown}</button>${field}</form>`;
}

/** Renders an idea in a list: its votes, title, first words and status. */
export function renderIdea(
  site: PublicSite,
  post: ShownPost,
  { level, facts, viewer, back }: {
    readonly viewer?: KnownViewer | undefined;
    /** The path and query of the page, to which a vote leads back. */
    readonly back?: string | undefined;
    readonly level: 2 | 3;
    /** Further facts after the status. */
    readonly facts?: Html | undefined;
  },
): Html {
  const heading = { html: `h${level}` };
  const excerpt = beginningOf(site, post);
  const status = post.status === "open" ? undefined : renderStatus(site, post.status);
  return markup`
<li class="listed">
${renderVotes(site, post, { viewer, back })}
<div id="${rowId(post)}"><${heading} dir="auto"><a href="${
    ideaAddress(site, post)
  }">${post.title}</a></${heading}>${
    excerpt === "" ? undefined : markup`\n<p dir="auto">${excerpt}</p>`
  }${
    status === undefined && facts === undefined
      ? undefined
      : markup`\n<div class="facts">${status}${facts}</div>`
  }</div>
</li>`;
}

/** Returns the start of an idea's body or answer, as one line of text. */
export function beginningOf(
  site: PublicSite,
  post: ShownPost,
  field: "body" | "answer" = "body",
): string {
  const text = post[field];
  if (text === null) return "";
  const excerpts = excerptsOf.get(site) ?? createLruCache<string>(5_000);
  excerptsOf.set(site, excerpts);
  const key = `${post.postId} ${post.updatedAt} ${field} ${text.length}`;
  let excerpt = excerpts.get(key);
  if (excerpt === undefined) excerpts.set(key, excerpt = excerptOf(parseMarkdown(text)));
  return excerpt;
}

/** Renders an empty list: a title, and a hint at the next step. */
export function renderEmpty(title: string, hint: string, more?: Html): Html {
  return markup`\n<div class="note"><h2>${title}</h2>\n<p>${hint}</p>${more}</div>`;
}
