import { assertEquals } from "@std/assert";
import { createService, type TestService } from "./service.ts";

/** The members of a post that tests read. */
export interface TestPost {
  readonly postId: string;
  readonly boardId: string;
  readonly title: string;
  readonly status: string;
  readonly state: string;
  readonly votes: number;
  readonly answer: string | null;
  readonly answeredAt: string | null;
  readonly updatedAt: string;
  readonly history: readonly { readonly at: string; readonly status: string }[];
}

/** A service with a public board, and functions that change its posts. */
export interface BoardService extends TestService {
  /** Adds a post for the team or for a person; returns it. */
  add(postId: string, fields?: Readonly<Record<string, unknown>>): Promise<TestPost>;
  /** Casts a vote for a person; returns the response. */
  vote(
    postId: string,
    userEmail: string,
    fields?: Readonly<Record<string, unknown>>,
  ): Promise<Record<string, unknown>>;
  /** Changes a post; returns it. */
  change(postId: string, fields: Readonly<Record<string, unknown>>): Promise<TestPost>;
  /** Returns the ids of posts that a listing has, over all its pages. */
  idsOf(query?: string, limit?: number): Promise<readonly string[]>;
}

/** The path of the posts of the board. */
export const POSTS_PATH = "boards/ideas/posts";

/** Creates a service with the public board `ideas`. */
export async function createBoardService(
  options: Parameters<typeof createService>[0] = {},
): Promise<BoardService> {
  const service = createService(options);
  const { call } = service;
  await call("POST", "boards", { boardId: "ideas", name: "Ideas", visibility: "public" });
  return {
    ...service,
    add: (postId, fields) =>
      call("POST", POSTS_PATH, { postId, title: `Post ${postId}`, ...fields }),
    vote: (postId, userEmail, fields) =>
      call("PUT", `${POSTS_PATH}/${postId}/votes`, { userEmail, vote: true, ...fields }),
    change: (postId, fields) => call("PATCH", `${POSTS_PATH}/${postId}`, fields),
    async idsOf(query = "", limit = 2) {
      const ids: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const path: string = `${POSTS_PATH}?limit=${limit}${query}${cursor && `&cursor=${cursor}`}`;
        const page = await call<{ data: TestPost[]; nextCursor: string | null }>("GET", path);
        assertEquals(page.data.length <= limit, true);
        ids.push(...page.data.map(({ postId }) => postId));
        cursor = page.nextCursor;
      }
      return ids;
    },
  };
}
