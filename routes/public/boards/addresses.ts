import type { Board } from "../../../model/board.ts";
import type { PostSort } from "../../../model/posts/place.ts";
import type { PostStatus } from "../../../model/posts/post.ts";
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
