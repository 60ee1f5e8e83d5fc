import type { Storage } from "../../../adapters/storage.ts";
import { CHANGELOGS, DELIVERIES, POSTS, VOTES } from "../../../model/kinds.ts";
import { PEOPLE, type Person } from "../../../model/posts/records.ts";
import { votesPrefix } from "../../../model/posts/vote.ts";
import { all, change, type ChangeTools, type Reading } from "../../change.ts";
import { CHANGELOG_ID, getChangelog } from "../../changelog.ts";
import { readPages, replaceRecord } from "../../records.ts";
import type { WorkInParts } from "../../removals.ts";

const MAX_UNFINISHED = 100;

/**
 * Removes the record of a mailbox that has no vote and no idea any more. A mailbox that has opted
 * out keeps its record, because its opt-outs are counted from the first one on. So does each
 * mailbox while people are told of posts, because the record says whom a delivery has mailed:
 * {@linkcode removeIdlePeople} removes it later.
 */
export async function removeIdlePerson(storage: Storage, mailbox: string): Promise<void> {
  const seen = await storage.get(PEOPLE, mailbox);
  if (seen === undefined) return;
  const isIdle = seen.optOuts === 0 && await findTrace(storage, mailbox) === undefined;
  if (!isIdle) return await markLeaving(storage, seen, false);
  const telling = await findTelling(storage);
  if (telling.isOn) return await markLeaving(storage, seen, true);
  await change<void>(storage, function* (tools) {
    const { read, put, remove } = tools;
    const [person, isOff] = yield* all(read(PEOPLE, mailbox), isStillOff(tools, telling));
    // A vote or an idea that was added since then has changed `additions`.
    const isSame = person?.optOuts === 0 && person.additions === seen.additions;
    if (isSame && isOff) remove(PEOPLE, mailbox);
    else if (isSame) put(PEOPLE, { ...person, isLeaving: true });
  });
}

/** The state of a mailbox before some of its votes go. */
export interface Leaving {
  readonly person: Person | undefined;
  /** A vote or an idea that stays. */
  readonly trace: Trace | undefined;
  readonly telling: Telling;
}

/** Whether a delivery needs the records of people, at a version of the changelog. */
interface Telling {
  readonly isOn: boolean;
  readonly version: number;
}

interface Trace {
  readonly voteId: string | null;
  readonly postId: string | null;
}

/** Looks at a mailbox before some of its votes go, in a change that calls {@linkcode leave}. */
export async function prepareLeaving(
  storage: Storage,
  mailbox: string,
  voteIds: readonly string[],
): Promise<Leaving> {
  const [person, trace, telling] = await Promise.all([
    storage.get(PEOPLE, mailbox),
    findTrace(storage, mailbox, voteIds),
    findTelling(storage),
  ]);
  return { person, trace, telling };
}

/** Reads all that {@linkcode leave} will need, so that a change can read it with other records. */
export function* readLeaving(
  tools: ChangeTools,
  mailbox: string,
  { trace, telling }: Leaving,
): Reading<void> {
  const person = tools.read(PEOPLE, mailbox);
  if (trace === undefined) yield* all(person, isStillOff(tools, telling));
  else yield* all(person, tools.read(VOTES, trace.voteId), tools.read(POSTS, trace.postId));
}

/**
 * Removes the record of a mailbox whose votes go, if it has nothing left. Tells whether that is
 * uncertain, so that {@linkcode removeIdlePerson} has to look again after the change.
 */
export function* leave(
  tools: ChangeTools,
  mailbox: string,
  { person: seen, trace, telling }: Leaving,
): Reading<boolean> {
  const { read, put, remove } = tools;
  const vote = yield* read(VOTES, trace?.voteId ?? null);
  const idea = yield* read(POSTS, trace?.postId ?? null);
  if (vote !== undefined || idea?.authorMailbox === mailbox) return false;
  const person = yield* read(PEOPLE, mailbox);
  if (person === undefined || person.optOuts > 0) return false;
  // A vote or an idea that was added since then has changed `additions`.
  const isIdle = trace === undefined && person.additions === seen?.additions &&
    (yield* isStillOff(tools, telling));
  if (isIdle) remove(PEOPLE, mailbox);
  else put(PEOPLE, { ...person, isLeaving: true });
  return !isIdle;
}

/** Tells whether there are people to remove, and nothing needs their records any more. */
export async function hasIdlePeople(storage: Storage): Promise<boolean> {
  const [first] = await storage.list(PEOPLE, { index: "leaving", limit: 1 });
  return first !== undefined && !(await findTelling(storage)).isOn;
}

/** Removes the records that a delivery had needed, or that a crash left. */
export async function removeIdlePeople(
  storage: Storage,
  { isStopped = () => false, attempt = (part) => part() }: WorkInParts,
): Promise<void> {
  for await (const people of readPages(storage, PEOPLE, { index: "leaving" })) {
    for (const { mailbox } of people) {
      if (isStopped()) return;
      await attempt(() => removeIdlePerson(storage, mailbox));
    }
  }
}

/** Returns a vote, but for some, or an idea of a mailbox; `undefined` if it has none. */
async function findTrace(
  storage: Storage,
  mailbox: string,
  without: readonly string[] = [],
): Promise<Trace | undefined> {
  const query = { within: votesPrefix(mailbox), limit: without.length + 1 };
  const vote = (await storage.list(VOTES, query)).find(({ voteId }) => !without.includes(voteId));
  if (vote !== undefined) return { voteId: vote.voteId, postId: null };
  const after = { by: mailbox, key: "" };
  const [idea] = await storage.list(POSTS, { index: "byAuthor", after, limit: 1 });
  return idea?.authorMailbox === mailbox ? { voteId: null, postId: idea.postId } : undefined;
}

async function markLeaving(storage: Storage, seen: Person, isLeaving: boolean): Promise<void> {
  if (seen.isLeaving === isLeaving) return;
  await replaceRecord(
    storage,
    { kind: PEOPLE, key: seen.mailbox },
    (person) => person.additions === seen.additions ? { ...person, isLeaving } : undefined,
  );
}

/** Finds out whether a delivery that tells people of posts has not ended. */
async function findTelling(storage: Storage): Promise<Telling> {
  // Each delivery that begins raises the version, so the version is read first.
  const { version = 0 } = await getChangelog(storage) ?? {};
  const query = { index: "unfinished", limit: MAX_UNFINISHED };
  const found = await storage.list(DELIVERIES, query);
  return { isOn: found.some(({ posts }) => posts.length > 0), version };
}

/** Tells whether no delivery needs the records of people, and none has begun since. */
function* isStillOff({ read }: ChangeTools, { isOn, version }: Telling): Reading<boolean> {
  const changelog = yield* read(CHANGELOGS, isOn ? null : CHANGELOG_ID);
  return !isOn && (changelog?.version ?? 0) === version;
}
