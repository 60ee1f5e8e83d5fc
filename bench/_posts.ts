import { AUTHORIZATION } from "./_contenders.ts";
import type { ServerProcess } from "./_process.ts";
import type { Effort } from "./_subject.ts";
import { figure } from "./_table.ts";
import { type Load, measure, putVotes } from "./_wrk.ts";

const BOARD = "growth";
const POSTS_PATH = `/api/v1/boards/${BOARD}/posts`;
/** Below the limit of a board, so that votes can be cast for each post. */
const OPEN = 5_000;

/** The column headings for a board with many posts. */
export const POST_COLUMNS: readonly string[] = [
  "posts",
  "imported posts/s",
  "ms per page of 20",
  "ms per page by hot",
  "ms per search in vain",
  "votes/s on 5,000 posts",
  "votes/s on one post",
];

/** Fills a board with posts, and measures its lists and votes. */
export async function measurePosts(
  server: ServerProcess,
  { name, size, timeOf }: {
    readonly name: string;
    readonly size: number;
    readonly timeOf: (path: string) => Promise<number>;
  },
  { connections, seconds }: Pick<Effort, "connections" | "seconds">,
): Promise<readonly string[]> {
  const base = `http://127.0.0.1:${server.port}`;
  const headers = { ...AUTHORIZATION, "Content-Type": "application/x-ndjson" };
  const form = new URLSearchParams({ boardId: BOARD, name: "Growth", visibility: "public" });
  await answer(
    fetch(`${base}/api/v1/boards`, { method: "POST", headers: AUTHORIZATION, body: form }),
  );
  const lines = Array.from(
    { length: size },
    (_, i) =>
      `${JSON.stringify({ postId: `p${i}`, title: `Wish number ${i}`, status: statusOf(i) })}\n`,
  );
  const startedMs = performance.now();
  const sum = await answer(
    fetch(`${base}${POSTS_PATH}/import`, { method: "POST", headers, body: lines.join("") }),
  );
  if (!sum.includes(`"added":${size}`)) throw new Error(`Cannot import: ${sum.slice(-500)}`);
  const importedMs = performance.now() - startedMs;
  const vote = async (load: Load) =>
    figure((await measure(server, load, { connections, seconds })).perSecond);
  return [
    `${name}, ${figure(size)}`,
    figure(size / importedMs * 1_000),
    (await timeOf(`${POSTS_PATH}?limit=20`)).toFixed(1),
    (await timeOf(`${POSTS_PATH}?limit=20&sort=hot`)).toFixed(1),
    (await timeOf(`${POSTS_PATH}?limit=20&q=nothing`)).toFixed(1),
    await vote(putVotes(POSTS_PATH, Math.min(size, OPEN))),
    await vote(putVotes(POSTS_PATH, 1)),
  ];
}

function statusOf(i: number): string {
  return i < OPEN ? "open" : "shipped";
}

async function answer(sent: Promise<Response>): Promise<string> {
  const response = await sent;
  const text = await response.text();
  if (!response.ok && response.status !== 409) throw new Error(`${response.url}: ${text}`);
  return text;
}
