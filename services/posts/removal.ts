import type { Ref, Storage } from "../../adapters/storage.ts";
import {
  BOARD_TALLIES,
  FORMER_VOTES,
  PEOPLE,
  POST_REMOVALS,
  POSTS,
  REPORTS,
  VOTES,
} from "../../model/kinds.ts";
import type { Post } from "../../model/posts/post.ts";
import type { PostRemoval } from "../../model/posts/records.ts";
import { voterPrefix } from "../../model/posts/vote.ts";
import { readPages, removeRecord, removeWhere } from "../records.ts";

/** Removes what is left of a deleted post: first the record, then its votes and reports, in pieces. */
export async function finishRemoval(
  storage: Storage,
  removal: PostRemoval | undefined,
): Promise<void> {
  if (removal === undefined) return;
  const { instanceId, what } = removal;
  if (what === "board") {
    await removePostsOf(storage, instanceId);
    await removeRecord(storage, BOARD_TALLIES, instanceId);
  } else {
    const prefix = voterPrefix(instanceId);
    const selection = {
      index: "byPost",
      after: { by: prefix, key: "" },
      isOver: ({ place }: { readonly place: string }) => !place.startsWith(prefix),
    };
    await removeWhere(storage, VOTES, selection);
    await removeWhere(storage, REPORTS, selection);
    await removeWhere(storage, FORMER_VOTES, {
      index: "byPost",
      after: { by: instanceId, key: "" },
      isOver: ({ postInstanceId }) => postInstanceId !== instanceId,
    });
  }
  await removeRecord(storage, POST_REMOVALS, instanceId);
}

/** Removes what deleted boards and posts have left, after a crash too. */
export async function finishRemovals(storage: Storage): Promise<void> {
  for await (const removals of readPages(storage, POST_REMOVALS)) {
    for (const removal of removals) await finishRemoval(storage, removal);
  }
}

async function removePostsOf(storage: Storage, boardInstanceId: string): Promise<void> {
  const isOver = (post: Post) => post.boardInstanceId !== boardInstanceId;
  const query = { index: "byBoard", after: { by: boardInstanceId, key: "" } };
  for await (const posts of readPages(storage, POSTS, query, { isOver })) {
    for (const post of posts) await finishRemoval(storage, await removePost(storage, post));
  }
}

/** Removes the record of a post, if it is the same still, and notes that its votes are to be removed. */
export function removePost(storage: Storage, seen: Post): Promise<PostRemoval | undefined> {
  const refs: RemovalRefs = {
    post: { kind: POSTS, key: seen.postId },
    removal: { kind: POST_REMOVALS, key: seen.instanceId },
    ...seen.authorMailbox !== null && {
      "person of": { kind: PEOPLE, key: seen.authorMailbox },
    },
  };
  return storage.transact<RemovalRefs, PostRemoval | undefined>(refs, (found) => {
    const { post } = found;
    if (post?.instanceId !== seen.instanceId) return { answer: undefined };
    const removal = { instanceId: post.instanceId, what: "post" } as const;
    const person = found["person of"];
    return {
      answer: removal,
      put: {
        removal,
        ...person !== undefined && post.state === "held" && {
          "person of": { ...person, heldIdeas: Math.max(0, person.heldIdeas - 1) },
        },
      },
      remove: ["post"],
    };
  });
}

type RemovalRefs = {
  readonly post: Ref<typeof POSTS>;
  readonly removal: Ref<typeof POST_REMOVALS>;
  readonly [person: `person ${string}`]: Ref<typeof PEOPLE>;
};
