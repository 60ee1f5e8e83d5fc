import type { Item } from "../kind.ts";
import type { AskRecord, Vote } from "./vote.ts";
import type { Post } from "./post.ts";
import type { FormerVote } from "./records.ts";

const END = "!";

/**
 * Returns the name by which votes at a merge's target know the merged post. Imported votes have its
 * `postId` alone.
 */
export function originOf({ postId, instanceId }: Pick<Post, "postId" | "instanceId">): string {
  return `${postId}${END}${instanceId}`;
}

/** Returns the `postId` of the post that a name means. */
export function postIdOfOrigin(origin: string): string {
  return origin.split(END)[0];
}

/** Tells whether a name means a post. */
export function isOrigin(
  origin: string | null,
  post: Pick<Post, "postId" | "instanceId">,
): boolean {
  return origin === originOf(post) || origin === post.postId;
}

/**
 * Returns a vote with other requests to be told. The one made after the most opt-outs is the
 * newest: its time and source become those of the vote.
 */
export function withAsks(vote: Vote, asks: readonly AskRecord[]): Vote {
  const [best] = [...asks].sort((one, other) =>
    other.optOuts - one.optOuts || Number(one.from !== null) - Number(other.from !== null) ||
    (one.at < other.at ? -1 : 1)
  );
  return {
    ...vote,
    requests: asks,
    notify: best !== undefined,
    notifyAt: best?.at ?? null,
    notifySource: best?.source ?? null,
    optOuts: best?.optOuts ?? vote.optOuts,
  };
}

/** Returns the vote at a target after one of a merged post has come to it. */
export function withOrigin(vote: Vote, from: Vote, post: Post): Vote {
  const origins = vote.origins.some((origin) => isOrigin(origin, post))
    ? vote.origins
    : [...vote.origins, originOf(post)];
  const others = vote.requests.filter((ask) => !isOrigin(ask.from, post));
  const { notifyAt, notifySource, optOuts } = from;
  const ask = from.notify
    ? [{ from: originOf(post), at: notifyAt ?? from.at, source: `${notifySource}`, optOuts }]
    : [];
  return withAsks({ ...vote, origins }, [...others, ...ask]);
}

/**
 * Returns the vote at a target without what came from a merged post; `undefined` if nothing is
 * left.
 */
export function withoutOrigin(
  vote: Vote,
  post: Pick<Post, "postId" | "instanceId">,
): Vote | undefined {
  const origins = vote.origins.filter((origin) => !isOrigin(origin, post));
  if (!vote.own && origins.length === 0) return undefined;
  return withAsks({ ...vote, origins }, vote.requests.filter((ask) => !isOrigin(ask.from, post)));
}

/** Like {@linkcode withoutOrigin}, for a vote whose address was removed. */
export function formerWithoutOrigin(
  former: FormerVote,
  post: Pick<Post, "postId" | "instanceId">,
): FormerVote | undefined {
  const origins = former.origins.filter((origin) => !isOrigin(origin, post));
  return former.own || origins.length > 0 ? { ...former, origins } : undefined;
}

/** Returns the vote of a merged post with the request that its target has from it, or with none. */
export function withReturnedAsk(own: Vote, target: Vote, post: Post): Vote {
  const ask = target.requests.find(({ from }) => isOrigin(from, post));
  if (ask === undefined) return own.notify ? withAsks(own, []) : own;
  if (own.notify && own.optOuts >= ask.optOuts) return own;
  const others = own.requests.filter(({ from }) => from !== null);
  return withAsks(own, [...others, { ...ask, from: null }]);
}

/**
 * Returns a vote of version 1 as version 2 has it: with the one merged post that it came from, and
 * the one request, in lists.
 */
export function voteOfVersion2(record: Item): Item {
  const { via = null, notifyVia = null, notify, notifyAt, notifySource, optOuts } = record;
  const from = notifyVia ?? via;
  const ask = { from, at: notifyAt ?? record.at, source: notifySource ?? record.source, optOuts };
  const origins = [...new Set([via, notifyVia])].filter((one) => one !== null);
  return { ...record, own: via === null, origins, requests: notify ? [ask] : [] };
}
