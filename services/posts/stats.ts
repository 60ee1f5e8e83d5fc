import type { Storage } from "../../adapters/storage.ts";
import { BOARDS, POSTS } from "../../model/kinds.ts";
import { BOARD_TALLIES } from "../../model/posts/records.ts";
import { placePrefix, PLACES, rankOf } from "../../model/posts/place.ts";
import type { Post } from "../../model/posts/post.ts";
import { type Stats, UNANSWERED_DAYS, UNANSWERED_VOTES } from "../../model/stats.ts";
import { addMs } from "../../model/values/time.ts";
import { readPages } from "../records.ts";
import { readReported } from "./reports.ts";

const DAY_MS = 24 * 3_600_000;

/** Counts the posts on all boards that need the team's attention. */
export async function countPosts(
  storage: Storage,
  { now, isGone }: { readonly now: string; readonly isGone: () => boolean },
): Promise<Stats["posts"]> {
  const before = addMs(now, -UNANSWERED_DAYS * DAY_MS);
  const reported = await readReported(storage, now);
  const counts = {
    open: 0,
    held: 0,
    reported: reported.filter(({ state }) => state === "public").length,
    unanswered: 0,
  };
  for await (const boards of readPages(storage, BOARDS)) {
    for (const { instanceId } of boards) {
      const tally = await storage.get(BOARD_TALLIES, instanceId);
      counts.open += tally?.open ?? 0;
      counts.held += tally?.held ?? 0;
      counts.unanswered += await countUnanswered(storage, instanceId, before);
      if (isGone()) return counts;
    }
  }
  return counts;
}

/**
 * Counts the open posts of a board with many votes and no answer that were created before a time.
 */
async function countUnanswered(
  storage: Storage,
  boardInstanceId: string,
  before: string,
): Promise<number> {
  const within = placePrefix(boardInstanceId, "open");
  const query = { index: PLACES.votes.index, within, reverse: true };
  const matches = ({ answer, createdAt }: Post) => answer === null && createdAt < before;
  const isOver = (post: Post) => Number(rankOf(post, "votes")) <= UNANSWERED_VOTES;
  let count = 0;
  for await (const page of readPages(storage, POSTS, query, { matches, isOver })) {
    count += page.length;
  }
  return count;
}
