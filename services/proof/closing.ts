import type { Storage } from "../../adapters/storage.ts";
import { SETTINGS, SUBSCRIPTIONS, VOTES } from "../../model/kinds.ts";
import { CLOSED_MAILBOXES, PROOF_MAILS } from "../../model/proof/pending.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import { mailboxOf, votesPrefix } from "../../model/posts/vote.ts";
import { readHistory } from "../../model/subscriptions/history.ts";
import { all, change } from "../change.ts";
import { readPages } from "../records.ts";
import { isTold } from "../posts/votes/vote_counts.ts";
import { stopMail } from "../people/mine.ts";
import { countErasure, ERASURE_COUNT, mailboxIdOf } from "../privacy/erased.ts";
import { endProof } from "./outbox.ts";
import { dropPending } from "./pending.ts";

/**
 * Ends all mail that forms cause to a mailbox, for good: removes waiting items, mails and requests,
 * and unsubscribes its addresses.
 */
export async function closeMailbox(
  storage: Storage,
  userEmail: string,
  at: string,
): Promise<void> {
  const mailboxId = await mailboxIdOf(storage, userEmail);
  await change<void>(storage, function* ({ read, put }) {
    const [mail, count] = yield* all(
      read(PROOF_MAILS, mailboxId),
      read(SETTINGS, ERASURE_COUNT.key),
      read(CLOSED_MAILBOXES, mailboxId),
    );
    put(CLOSED_MAILBOXES, { mailboxId, at });
    if (mail !== undefined) put(PROOF_MAILS, endProof(mail));
    // An import that has begun asks again who wants no mail.
    put(SETTINGS, countErasure(count));
  });
  await dropPending(storage, userEmail);
  await stopMail(storage, userEmail, at);
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
  const person = await storage.get(PEOPLE, mailbox);
  for await (const votes of readPages(storage, VOTES, { within: votesPrefix(mailbox) })) {
    if (votes.some((vote) => vote.notifySource === "api" && isTold(vote, person))) return true;
  }
  return false;
}
