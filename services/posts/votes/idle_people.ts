import type { Storage } from "../../../adapters/storage.ts";
import { DELIVERIES, POSTS, VOTES } from "../../../model/kinds.ts";
import { PEOPLE } from "../../../model/posts/records.ts";
import { votesPrefix } from "../../../model/posts/vote.ts";

const MAX_UNFINISHED = 100;

/**
 * Removes the record of a mailbox that has no vote and no idea any more. A mailbox that has opted
 * out keeps its record, because its opt-outs are counted from the first one on. So does each
 * mailbox while people are told of posts, because the record says whom a delivery has mailed.
 */
export async function removeIdlePerson(storage: Storage, mailbox: string): Promise<void> {
  const seen = await storage.get(PEOPLE, mailbox);
  if (seen === undefined || seen.optOuts > 0) return;
  const prefix = votesPrefix(mailbox);
  const [vote] = await storage.list(VOTES, { after: { key: prefix }, limit: 1 });
  if (vote?.voteId.startsWith(prefix)) return;
  const after = { by: mailbox, key: "" };
  const [idea] = await storage.list(POSTS, { index: "byAuthor", after, limit: 1 });
  if (idea?.authorMailbox === mailbox) return;
  if (await isTelling(storage)) return;
  const refs = { person: { kind: PEOPLE, key: mailbox } };
  await storage.transact(refs, ({ person }) => {
    // A vote or an idea that was added since has changed the number.
    const isIdle = person?.optOuts === 0 && person.additions === seen.additions;
    return { answer: undefined, remove: isIdle ? ["person"] : [] };
  });
}

/** Tells whether a delivery that tells people of posts has not ended. */
async function isTelling(storage: Storage): Promise<boolean> {
  const indexes = ["byNext", "held", "paused"];
  const lists = indexes.map((index) => storage.list(DELIVERIES, { index, limit: MAX_UNFINISHED }));
  return (await Promise.all(lists)).flat().some(({ posts }) => posts.length > 0);
}
