import type { Board } from "../../../model/board.ts";
import type { FilePost, FileVote } from "../../../model/posts/files/file_row.ts";
import { NO_VOTES_SCORE } from "../../../model/posts/hot_score.ts";
import { placed } from "../../../model/posts/place.ts";
import { POST, type Post } from "../../../model/posts/post.ts";
import { domainOf, mailboxOf, VOTE, type Vote, voterPrefix } from "../../../model/posts/vote.ts";
import { withAsks } from "../../../model/posts/vote_origins.ts";
import { fillRecord } from "../../../model/resource.ts";
import { generateId } from "../../../model/values/record_id.ts";

const LINE_DIGITS = 10;

/** Sets the domain of an imported vote aside for its post, if the vote does not count. */
export function withAside(
  { asideDomains }: Post,
  { counts, userEmail }: FileVote,
): Pick<Post, "asideDomains"> {
  const domain = domainOf(userEmail);
  return {
    asideDomains: counts || asideDomains.includes(domain)
      ? asideDomains
      : [...asideDomains, domain],
  };
}

/** Creates the record of a post in a file. */
export function newPost(
  file: FilePost,
  { board, instanceId, at }: {
    readonly board: Board;
    readonly instanceId: string;
    readonly at: string;
  },
): Post {
  const { hasOthers: _, unmergedVotes: __, votes, authorEmail, ...fields } = file;
  const createdAt = earliest(file.createdAt ?? at, at);
  const history = file.history.length > 0 ? file.history : [{ at: createdAt, status: file.status }];
  return placed(fillRecord<Post>(POST, {
    ...fields,
    boardId: board.boardId,
    boardInstanceId: board.instanceId,
    instanceId,
    // The entry exists only on the server that wrote the file.
    entryId: null,
    history,
    createdAt,
    updatedAt: earliest(file.updatedAt ?? createdAt, at),
    answeredAt: file.answer === null ? null : file.answeredAt ?? createdAt,
    authorEmail,
    authorMailbox: authorEmail === null ? null : mailboxOf(authorEmail),
    hotScore: NO_VOTES_SCORE,
    lacksFormerVotes: votes > 0,
  }));
}

/** Creates the record of a vote in a file. */
export function newVote(
  file: FileVote,
  { post, voteId, line, at, optOuts, isSilent, asideDomains }: {
    readonly post: Post;
    readonly voteId: string;
    readonly line: number;
    readonly at: string;
    readonly optOuts: number;
    /** Whether the person has opted out on this server, which outweighs the request in a file. */
    readonly isSilent: boolean;
    readonly asideDomains: readonly string[];
  },
): Vote {
  const { counts: _, isInNumber: __, mergedInto: ___, via, asks, ...fields } = file;
  const votedAt = earliest(file.at ?? post.createdAt, at);
  const requests = isSilent ? [] : asks.map(({ at: askedAt, source, via: from }) => {
    return { from, at: earliest(askedAt ?? votedAt, at), source, optOuts };
  });
  const order = `${line}`.padStart(LINE_DIGITS, "0");
  const vote = fillRecord<Vote>(VOTE, {
    ...fields,
    origins: via,
    postId: post.postId,
    postInstanceId: post.instanceId,
    voteId,
    at: votedAt,
    counts: !asideDomains.includes(domainOf(file.userEmail)),
    optOuts,
    // The votes of a post keep the order of the file.
    place: `${voterPrefix(post.instanceId)}${order}-${generateId(8)}`,
  });
  return withAsks(vote, requests);
}

function earliest(time: string, at: string): string {
  return time < at ? time : at;
}
