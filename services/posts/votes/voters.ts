import type { ListQuery, Position, Storage } from "../../../adapters/storage.ts";
import { VOTES } from "../../../model/kinds.ts";
import { FORMER_VOTES, PEOPLE } from "../../../model/posts/records.ts";
import { type Post, POST_SOURCES, type PostSource } from "../../../model/posts/post.ts";
import {
  type AskRecord,
  domainOf,
  mailboxOf,
  type ShownVote,
  VOTE,
  type Vote,
  voteIdOf,
  voterPrefix,
} from "../../../model/posts/vote.ts";
import { postIdOfOrigin } from "../../../model/posts/vote_origins.ts";
import type { DomainVotes, VotesSummary } from "../../../model/posts/votes_summary.ts";
import { showRecord } from "../../../model/resource.ts";
import { createDayCounts } from "../../../model/posts/day_counts.ts";
import { type Listed, listMatching, readPages } from "../../records.ts";
import { openAddressHash } from "../../privacy/erased.ts";
import { keyAfter } from "../telling.ts";
import { findFormer, formerIdsOf, givenIdsOf, withLender } from "./lent_votes.ts";
import { isTold } from "./vote_counts.ts";

const PAGE_SIZE = 500;

/** Lists the votes for a post, in an order that reveals nobody's identity. */
export function listVotes(
  storage: Storage,
  { instanceId }: Post,
  { after, limit }: { readonly after?: Position | undefined; readonly limit: number },
): Promise<Listed<Vote>> {
  return listMatching(storage, VOTES, { ...rangeOf(instanceId), after, limit });
}

/** Reads all votes for a post page by page, as the API shows them. */
export async function* readVotes(
  storage: Storage,
  post: Post,
): AsyncGenerator<readonly ShownVote[]> {
  const query = { ...rangeOf(post.instanceId), limit: PAGE_SIZE };
  for await (const page of readPages(storage, VOTES, query)) {
    yield await showVotes(storage, post, page);
  }
}

/** Returns the position of a vote in its post's list. */
export function votePosition({ voteId, place }: Vote): Position {
  return { key: voteId, by: place };
}

/** Returns votes for a post as the API shows them. */
export async function showVotes(
  storage: Storage,
  { authorMailbox }: Post,
  votes: readonly Vote[],
): Promise<readonly ShownVote[]> {
  return await Promise.all(votes.map(async (vote) => {
    const mailbox = mailboxOf(vote.userEmail);
    const notify = vote.notify && isTold(vote, await storage.get(PEOPLE, mailbox));
    const isAuthor = mailbox === authorMailbox;
    const via = vote.origins.map(postIdOfOrigin);
    const asks = notify ? vote.requests.map(showAsk) : [];
    return showRecord<Vote, ShownVote>(VOTE, { ...vote, notify }, { isAuthor, via, asks });
  }));
}

function showAsk({ from, at, source }: AskRecord): ShownVote["asks"][number] {
  return { via: from && postIdOfOrigin(from), at, source: source as PostSource };
}

/** Counts the votes that another post would get from a post of voters who have none there. */
export async function countNewVoters(
  storage: Storage,
  post: Post,
  target: Post,
): Promise<number> {
  const hash = await openAddressHash(storage);
  let found = 0;
  for await (const page of readPages(storage, VOTES, rangeOf(post.instanceId))) {
    const counting = page.filter(({ userEmail }) =>
      !target.asideDomains.includes(domainOf(userEmail))
    );
    const others = await Promise.all(counting.map(async ({ userEmail }) => {
      const mailbox = mailboxOf(userEmail);
      return await storage.get(VOTES, voteIdOf(mailbox, target)) ??
        (target.formerVotes > 0 && await findFormer(storage, formerIdsOf(hash, mailbox, target)));
    }));
    found += others.filter((other) => !other).length;
  }
  const merged = withLender(target, post);
  if (merged === target) return found;
  const query = { index: "byPost", within: post.instanceId };
  for await (const page of readPages(storage, FORMER_VOTES, query)) {
    found += page.filter(({ stands }) => stands).length;
  }
  for await (const page of readPages(storage, VOTES, rangeOf(target.instanceId))) {
    const ids = page.map(({ userEmail }) => givenIdsOf(hash, mailboxOf(userEmail), merged));
    const others = await Promise.all(ids.map((ids) => findFormer(storage, ids)));
    found -= others.filter((other) => other).length;
  }
  return found;
}

/** Counts the votes for a post by source, by address domain, and by the days of the last weeks. */
export async function summarizeVotes(
  storage: Storage,
  post: Post,
  { countsAsked, now, timeZone, isGone }: {
    /** Whether those who asked to be told are counted, too. */
    readonly countsAsked: boolean;
    /** The present time (RFC 3339, UTC, milliseconds). */
    readonly now: string;
    /** The time zone of days. */
    readonly timeZone: string;
    readonly isGone: () => boolean;
  },
): Promise<VotesSummary> {
  const { instanceId, asideDomains, formerVotes } = post;
  const bySource = { api: 0, form: 0, import: 0 };
  const key = await keyAfter(storage, post, {}, now);
  const domains = new Map<string, DomainVotes>();
  const days = createDayCounts({ now, timeZone });
  let asked = 0;
  let untold = 0;
  for await (const page of readPages(storage, VOTES, rangeOf(instanceId))) {
    const asking = countsAsked ? page.filter(({ notify }) => notify) : [];
    const people = await Promise.all(
      asking.map(({ userEmail }) => storage.get(PEOPLE, mailboxOf(userEmail))),
    );
    for (const [index, vote] of asking.entries()) {
      if (!isTold(vote, people[index])) continue;
      asked++;
      const { told = [] } = people[index] ?? {};
      if (!told.includes(key) && !told.includes(`${post.entryId}`)) untold++;
    }
    for (const { source, userEmail, at } of page) {
      bySource[source]++;
      days.add(at);
      const domain = domainOf(userEmail);
      const { votes, firstAt, lastAt } = domains.get(domain) ??
        { votes: 0, firstAt: at, lastAt: at };
      domains.set(domain, {
        domain,
        votes: votes + 1,
        firstAt: at < firstAt ? at : firstAt,
        lastAt: at > lastAt ? at : lastAt,
        aside: asideDomains.includes(domain),
      });
    }
    if (isGone()) break;
  }
  if (formerVotes > 0) {
    const query = { index: "byPost", within: instanceId };
    for await (const page of readPages(storage, FORMER_VOTES, query)) {
      for (const { stands, source, at } of page) {
        const known = POST_SOURCES.find((one) => one === source);
        if (!stands || known === undefined) continue;
        bySource[known]++;
        days.add(at);
      }
      if (isGone()) break;
    }
  }
  const byDomain = [...domains.values()].sort((a, b) =>
    b.votes - a.votes || (a.domain < b.domain ? -1 : 1)
  );
  const summary = { bySource, byDomain, byDay: days.list() };
  return countsAsked ? { ...summary, asked, untold } : summary;
}

/** Returns the range of the votes for a post. */

/** Returns a query for all votes for a post. */
function rangeOf(instanceId: string): Omit<ListQuery, "limit"> {
  return { index: "byPost", within: voterPrefix(instanceId) };
}
