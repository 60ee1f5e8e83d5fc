import type { Storage } from "../../../adapters/storage.ts";
import { VOTES } from "../../../model/kinds.ts";
import { PEOPLE } from "../../../model/posts/records.ts";
import { mailboxOf, type Vote, votesPrefix } from "../../../model/posts/vote.ts";
import { withAsks } from "../../../model/posts/vote_origins.ts";
import { isTold } from "./vote_counts.ts";
import { readPages, replaceRecord } from "../../records.ts";

/** Ends all of a person's requests to be told about posts; the person may ask again. */
export async function endAsks(storage: Storage, userEmail: string): Promise<void> {
  const person = { kind: PEOPLE, key: mailboxOf(userEmail) };
  await replaceRecord(storage, person, (current) => ({
    ...current,
    optOuts: current.optOuts + 1,
  }));
}

/**
 * Ends the requests that a person had made by a time, which was reported late: later ones stay.
 * Returns whether there were any. As for subscriptions, a request from the future does not count as
 * a later one, because a wrong clock must have stored it.
 */
export async function endAsksBefore(
  storage: Storage,
  userEmail: string,
  { at, now }: { readonly at: string; readonly now: string },
): Promise<boolean> {
  const mailbox = mailboxOf(userEmail);
  const person = await storage.get(PEOPLE, mailbox);
  if (person === undefined) return false;
  const later: Vote[] = [];
  let ended = 0;
  for await (const votes of readPages(storage, VOTES, { within: votesPrefix(mailbox) })) {
    for (const vote of votes.filter((one) => isTold(one, person))) {
      const askedAt = askedAtOf(vote);
      if (at < askedAt && askedAt <= now) later.push(vote);
      else ended++;
    }
  }
  if (ended === 0) return false;
  const optOuts = person.optOuts + 1;
  for (const { voteId } of later) {
    await replaceRecord(storage, { kind: VOTES, key: voteId }, (current) => {
      if (!current.notify || current.optOuts >= optOuts) return undefined;
      return withAsks(current, current.requests.map((one) => ({ ...one, optOuts })));
    });
  }
  // Another opt-out meanwhile has ended them all.
  await replaceRecord(storage, { kind: PEOPLE, key: mailbox }, (current) => {
    return current.optOuts < optOuts ? { ...current, optOuts } : undefined;
  });
  return true;
}

/** Returns when a voter asked, in whole seconds because few reports are more precise. */
function askedAtOf({ notifyAt, at }: Vote): string {
  return `${(notifyAt ?? at).slice(0, -".000Z".length)}.000Z`;
}
