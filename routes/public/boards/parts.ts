import type { Board } from "../../../model/board.ts";
import { excerptOf, parseMarkdown } from "../../../model/entries/markdown.ts";
import { directionOf } from "../../../model/locales/language.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { createLruCache, type LruCache } from "../../../model/lru_cache.ts";
import type { PostSort } from "../../../model/posts/place.ts";
import type { PostStatus, ShownPost } from "../../../model/posts/post.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import type { PublicSite } from "../_page/site.ts";

export { ideaAddress } from "../../../model/public_site.ts";

/** The most characters in a search for ideas. */
export const SEARCH_MAX_LENGTH = 100;

/** Selects the ideas on a page of a board. */
export interface BoardQuery {
  readonly status?: PostStatus | undefined;
  readonly sort?: PostSort | undefined;
  readonly q?: string | undefined;
  readonly cursor?: string | undefined;
}

/** Returns the address of a board's page, or of the list of boards. */
export function boardAddress(
  { publicUrl }: Pick<PublicSite, "publicUrl">,
  board?: Pick<Board, "boardId">,
  query: BoardQuery = {},
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = given.length === 0 ? "" : `?${new URLSearchParams(given as [string, string][])}`;
  const path = board === undefined ? "" : `/${encodeURIComponent(board.boardId)}`;
  return `${publicUrl}/boards${path}${search}`;
}

export function roadmapAddress({ publicUrl }: Pick<PublicSite, "publicUrl">): string {
  return `${publicUrl}/roadmap`;
}

export function boardFeedAddress(site: Pick<PublicSite, "publicUrl">, board: Board): string {
  return `${boardAddress(site, board)}.atom`;
}

const SHORT_FROM = 100_000;
// By site, because the posts of two handlers may have the same identifiers and times.
const excerptsOf = new WeakMap<PublicSite, LruCache<string>>();

/** Returns the text for an idea's status. */
export function statusText({ language }: PublicSite, status: PostStatus): string {
  return textsOf(language)[status];
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
