import type { Storage } from "../../adapters/storage.ts";
import { POSTS, SUBSCRIPTIONS, VOTES } from "../../model/kinds.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import type { Post } from "../../model/posts/post.ts";
import { mailboxOf, voterPrefix, votesPrefix } from "../../model/posts/vote.ts";
import { castVote } from "../posts/votes/votes.ts";
import { deletePost } from "../posts/update.ts";
import { dropPending, hasPending } from "../proof/pending.ts";
import { change } from "../change.ts";
import { readPages, replaceRecord } from "../records.ts";
import { eraseMailTraces, eraseSubscription, removeMessages } from "./mail_traces.ts";

/**
 * Removes everything about a person except keyed hashes: the subscription of the address, and the
 * votes, ideas and requests of its mailbox (plus tags are ignored). Ideas with other voters lose
 * their author. Returns whether there was anything. After a crash, a repetition removes the rest.
 */
export async function erasePerson(
  storage: Storage,
  userEmail: string,
  at: string,
): Promise<boolean> {
  const mailbox = mailboxOf(userEmail);
  const wasKnown = await isKnown(storage, mailbox) || await hasPending(storage, userEmail);
  // The subscription goes first: afterwards, no open link, cookie or confirmation adds anything.
  const wasSubscribed = await eraseSubscription(storage, userEmail, { at, isKnown: wasKnown });
  for (;;) {
    const seen = await storage.get(PEOPLE, mailbox);
    await eraseVotes(storage, mailbox, at);
    await eraseIdeas(storage, { mailbox, userEmail }, at);
    const isDone = await change<boolean>(storage, function* ({ read, remove }) {
      const person = yield* read(PEOPLE, mailbox);
      // A vote or an idea that an app added meanwhile needs the record, or goes with it.
      if (person?.additions !== seen?.additions) return false;
      remove(PEOPLE, mailbox);
      return true;
    });
    if (isDone) break;
  }
  await removeMessages(storage, mailbox);
  return wasSubscribed || wasKnown;
}

/** Erases a person at their own request: even if nothing is stored, their cookies and links end. */
export async function forgetPerson(storage: Storage, userEmail: string, at: string): Promise<void> {
  const isNew = !await erasePerson(storage, userEmail, at);
  if (isNew) await eraseSubscription(storage, userEmail, { at, isKnown: true });
  await dropPending(storage, userEmail);
}

async function isKnown(storage: Storage, mailbox: string): Promise<boolean> {
  if (await storage.get(PEOPLE, mailbox) !== undefined) return true;
  const [[vote], [idea]] = await Promise.all([
    storage.list(VOTES, { within: votesPrefix(mailbox), limit: 1 }),
    storage.list(POSTS, { index: "byAuthor", after: { by: mailbox, key: "" }, limit: 1 }),
  ]);
  return vote !== undefined || idea?.authorMailbox === mailbox;
}

async function eraseVotes(storage: Storage, mailbox: string, at: string): Promise<void> {
  const query = { within: votesPrefix(mailbox), limit: 50 };
  for await (const votes of readPages(storage, VOTES, query)) {
    for (const { voteId, postId, userEmail, source } of votes) {
      const request = { postId, userEmail, vote: false, source, keyId: null, at };
      const isLost = await castVote(storage, request) === "post_not_found";
      await removeRest(storage, voteId, isLost);
      await forgetMails(storage, userEmail);
    }
  }
}

/** Removes a vote whose post is gone, was replaced, or can't be found any more. */
function removeRest(storage: Storage, voteId: string, isLost: boolean): Promise<void> {
  return change<void>(storage, function* ({ read, remove }) {
    const vote = yield* read(VOTES, voteId);
    const post = vote && (yield* read(POSTS, vote.postId));
    if (isLost || post?.instanceId !== vote?.postInstanceId) remove(VOTES, voteId);
  });
}

/** Removes the failures and deferrals of an address without a subscription. */
async function forgetMails(storage: Storage, userEmail: string): Promise<void> {
  if (await storage.get(SUBSCRIPTIONS, userEmail) !== undefined) return;
  await eraseMailTraces(storage, userEmail);
}

async function eraseIdeas(
  storage: Storage,
  author: { readonly mailbox: string; readonly userEmail: string },
  at: string,
): Promise<void> {
  const { mailbox } = author;
  const query = { index: "byAuthor", after: { by: mailbox, key: "" }, limit: 20 };
  const isOver = ({ authorMailbox }: Post) => authorMailbox !== mailbox;
  for await (const ideas of readPages(storage, POSTS, query, { isOver })) {
    for (const idea of ideas) {
      const isWanted = await hasVoter(storage, idea);
      const { boardId, postId } = idea;
      const isExpected = (shown: Pick<Post, "votes" | "importedVotes">) =>
        shown.votes === 0 && shown.importedVotes === 0;
      const fault = isWanted
        ? "precondition_failed"
        : await deletePost(storage, { boardId, postId, at, isExpected, erases: true });
      if (fault !== undefined) await removeAuthor(storage, idea, author);
    }
  }
}

/** Tells whether anybody votes for a post, even from a domain that is set aside. */
async function hasVoter(storage: Storage, { instanceId }: Post): Promise<boolean> {
  const query = { index: "byPost", within: voterPrefix(instanceId), limit: 1 };
  return (await storage.list(VOTES, query)).length > 0;
}

/** Removes the author from an idea, and marks the idea if its text contains their address. */
async function removeAuthor(
  storage: Storage,
  { postId }: Post,
  { mailbox, userEmail }: { readonly mailbox: string; readonly userEmail: string },
): Promise<void> {
  await replaceRecord(storage, { kind: POSTS, key: postId }, (post) => {
    if (post.authorMailbox !== mailbox) return post;
    const words = `${post.title}\n${post.body}\n${post.answer}`.toLowerCase();
    const addresses = [mailbox, userEmail, `${post.authorEmail}`];
    const namesErased = addresses.some((address) => words.includes(address));
    return { ...post, authorEmail: null, authorMailbox: null, namesErased };
  });
}
