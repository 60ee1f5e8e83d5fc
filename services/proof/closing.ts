import type { Storage } from "../../adapters/storage.ts";
import { SUBSCRIPTIONS, VOTES } from "../../model/kinds.ts";
import { CLOSED_MAILBOXES } from "../../model/proof/pending.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import { mailboxOf, votesPrefix } from "../../model/posts/vote.ts";
import { readHistory } from "../../model/subscriptions/history.ts";
import { readPages } from "../records.ts";
import { isTold } from "../posts/votes/vote_counts.ts";
import { unsubscribe } from "../subscriptions/subscriptions.ts";
import { mailboxIdOf } from "./mailboxes.ts";
import { dropPending } from "./pending.ts";

/**
 * Ends all mail that forms cause to a mailbox, for good: removes waiting items and requests, and
 * unsubscribes the address.
 */
export async function closeMailbox(
  storage: Storage,
  userEmail: string,
  at: string,
): Promise<void> {
  const mailboxId = await mailboxIdOf(storage, userEmail);
  const refs = { closed: { kind: CLOSED_MAILBOXES, key: mailboxId } };
  await storage.transact(refs, () => ({ answer: undefined, put: { closed: { mailboxId, at } } }));
  await dropPending(storage, userEmail);
  await unsubscribe(storage, userEmail, { source: "link", at });
}

/**
 * Tells whether forms no longer cause mail to a mailbox. The person's own app can lift that later
 * by subscribing them or asking in their name.
 */
export async function isClosed(storage: Storage, userEmail: string): Promise<boolean> {
  const closed = await storage.get(CLOSED_MAILBOXES, await mailboxIdOf(storage, userEmail));
  if (closed === undefined) return false;
  const subscription = await storage.get(SUBSCRIPTIONS, userEmail);
  const events = subscription === undefined ? [] : readHistory(subscription.history) ?? [];
  if (events.some(({ subscribed, at }) => subscribed && at > closed.at)) return false;
  return !await hasAskedByApp(storage, mailboxOf(userEmail));
}

/**
 * Tells whether an app has an active request for a mailbox. Closing the mailbox ended all earlier
 * ones.
 */
async function hasAskedByApp(storage: Storage, mailbox: string): Promise<boolean> {
  const prefix = votesPrefix(mailbox);
  const isOver = ({ voteId }: { readonly voteId: string }) => !voteId.startsWith(prefix);
  const person = await storage.get(PEOPLE, mailbox);
  for await (const votes of readPages(storage, VOTES, { after: { key: prefix } }, { isOver })) {
    if (votes.some((vote) => vote.notifySource === "api" && isTold(vote, person))) return true;
  }
  return false;
}
