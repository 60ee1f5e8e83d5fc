// Merges and unmerges two posts while people vote, withdraw and are erased, and while the server is
// killed. In the end, both posts have their former voters without those who left.

import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createBoard } from "../../../model/board.ts";
import { BOARDS, POSTS, VOTES } from "../../../model/kinds.ts";
import { createPost } from "../../../services/posts/create.ts";
import { hasVoteWork } from "../../../services/posts/votes/vote_work.ts";
import { castVote } from "../../../services/posts/votes/votes.ts";
import { insertRecord, readPages } from "../../../services/records.ts";
import { minute } from "../../_support/samples.ts";
import {
  type DeliveryProcess,
  type Place,
  type PlaceKind,
  startProcess,
  withPlace,
} from "../delivery/_scene.ts";

const KILLS = 20;
const CHANGES_AT_ONCE = 15;
const KINDS: readonly PlaceKind[] = ["file", "kv", "postgres"];
const AT = minute(0);
const POSTS_PATH = "boards/ideas/posts";

const PEOPLE: readonly string[] = Array.from({ length: 8_800 }, (_, at) => `p${at}@example.com`);
/** The initial voters; 1,200 of them vote for both posts. */
const VOTERS = { dark: PEOPLE.slice(0, 5_000), night: PEOPLE.slice(3_800) } as const;

/** A request that is sent meanwhile, and repeated until it is answered. */
interface Change {
  readonly userEmail: string;
  /** The post for which they vote or withdraw; absent for an erasure. */
  readonly postId?: "dark" | "night";
  readonly vote?: boolean;
}

/** Returns the changes during the merge or the unmerge, each by a different person. */
function makeChanges(phase: number): readonly Change[] {
  const changes: Change[] = [];
  for (let at = 0; at < 40; at++) {
    const fresh = (name: string) => `${name}${phase}-${at}@example.com`;
    const person = (from: number) => PEOPLE[from + phase * 500 + at * 7];
    changes.push(
      { userEmail: fresh("n"), postId: "night", vote: true },
      { userEmail: person(100), postId: "dark", vote: false },
      { userEmail: person(3_900), postId: "night", vote: false },
      { userEmail: person(6_000), postId: "night", vote: false },
      { userEmail: person(1_500) },
      { userEmail: person(3_901) },
      { userEmail: person(7_500) },
    );
    // After the merge, a vote for the merged post counts for the other one.
    if (phase === 0) changes.push({ userEmail: fresh("d"), postId: "dark", vote: true });
  }
  return changes;
}

function send(process: DeliveryProcess, change: Change): Promise<unknown> {
  const { userEmail, postId, vote } = change;
  return postId === undefined
    ? process.send("DELETE", `changelogs/subscribers/${userEmail}`)
    : process.send("PUT", `${POSTS_PATH}/${postId}/votes`, { userEmail, vote: `${vote}` });
}

/** Stores a board, two posts and their voters. */
async function fill(place: Place): Promise<void> {
  const storage = await place.open();
  const board = { boardId: "ideas", name: "Ideas", visibility: "public", moderation: "first" };
  await insertRecord(storage, BOARDS, createBoard(board as Parameters<typeof createBoard>[0], AT));
  for (const [postId, voters] of Object.entries(VOTERS)) {
    await createPost(storage, {
      ...{ boardId: "ideas", postId, title: `About ${postId}`, body: null },
      ...{ source: "api", keyId: null, at: AT },
    });
    for (let at = 0; at < voters.length; at += 100) {
      await Promise.all(
        voters.slice(at, at + 100).map((userEmail) =>
          castVote(storage, { postId, userEmail, vote: true, source: "api", keyId: null, at: AT })
        ),
      );
    }
  }
  await storage.close();
}

/** Tells whether votes are still to be moved. */
async function isUnfinished(place: Place): Promise<boolean> {
  const storage = await place.open();
  const isUnfinished = await hasVoteWork(storage);
  await storage.close();
  return isUnfinished;
}

/** Returns the sorted voters of both posts, and their numbers of votes. */
async function read(place: Place) {
  const storage = await place.open();
  const voters: Record<string, string[]> = { dark: [], night: [] };
  for await (const votes of readPages(storage, VOTES)) {
    for (const { postId, userEmail } of votes) voters[postId].push(userEmail);
  }
  const posts = await Promise.all(["dark", "night"].map((postId) => storage.get(POSTS, postId)));
  await storage.close();
  return {
    dark: voters.dark.sort(),
    night: voters.night.sort(),
    numbers: posts.map((post) => post?.votes),
  };
}

/**
 * Merges or unmerges to the end under changes and kills; returns the number of kills that
 * interrupted it.
 */
async function move(place: Place, phase: number): Promise<number> {
  const start = (process: DeliveryProcess) =>
    phase === 0
      ? process.send("POST", `${POSTS_PATH}/dark/merge`, { into: "night" })
      : process.send("POST", `${POSTS_PATH}/dark/unmerge`);
  let left = makeChanges(phase);
  let met = 0;
  for (let kill = 0; kill < KILLS / 2; kill++) {
    const process = startProcess(place, {});
    const moving = start(process);
    // A change before the first step would reach a post that is not merged yet.
    const isUnderWay = async () => {
      const post = await process.send("GET", `${POSTS_PATH}/dark`) as { mergedInto: string | null };
      return (post.mergedInto === null) === (phase === 1);
    };
    while (!await isUnderWay());
    const batch = left.slice(0, CHANGES_AT_ONCE);
    const sending = batch.map((change) => send(process, change));
    await Promise.race(sending);
    await process.kill();
    await moving;
    const answers = await Promise.all(sending);
    left = [...batch.filter((_, at) => answers[at] === undefined), ...left.slice(batch.length)];
    met += Number(await isUnfinished(place));
  }
  const process = startProcess(place, {});
  const moving = start(process);
  for (let at = 0; at < left.length; at += CHANGES_AT_ONCE) {
    const batch = left.slice(at, at + CHANGES_AT_ONCE).map((change) => send(process, change));
    assertEquals((await Promise.all(batch)).includes(undefined), false);
  }
  assert(await moving !== undefined);
  assertEquals(await process.kill("SIGTERM"), 0);
  return met;
}

function without(people: readonly string[], left: ReadonlySet<string>): readonly string[] {
  return [...new Set(people)].filter((userEmail) => !left.has(userEmail)).sort();
}

async function play(place: Place): Promise<void> {
  await fill(place);
  const [during, undoing] = [makeChanges(0), makeChanges(1)];
  const leaving = (changes: readonly Change[]) =>
    changes.filter(({ vote }) => !vote).map(({ userEmail }) => userEmail);
  const joining = (changes: readonly Change[]) =>
    changes.filter(({ vote }) => vote).map(({ userEmail }) => userEmail);

  const metMerging = await move(place, 0);
  const gone = new Set(leaving(during));
  const merged = await read(place);
  const all = without([...VOTERS.dark, ...VOTERS.night, ...joining(during)], gone);
  assertEquals(merged.night, all);
  // The merged post keeps its votes, which no page and no answer counts.
  assertEquals(merged.dark, without(VOTERS.dark, gone));
  assertEquals(merged.numbers, [merged.dark.length, all.length]);

  const metUndoing = await move(place, 1);
  for (const userEmail of leaving(undoing)) gone.add(userEmail);
  const { dark, night, numbers } = await read(place);
  // After the unmerge, a person who withdraws from one post keeps the vote for the other.
  const elsewhere = undoing.filter(({ vote, postId }) => vote === false && postId === "night");
  const ownGone = new Set(gone);
  for (const { userEmail } of elsewhere) ownGone.delete(userEmail);
  assertEquals(dark, without(VOTERS.dark, ownGone));
  const others = [...VOTERS.night, ...joining(during), ...joining(undoing)];
  assertEquals(night, without(others, gone));
  assertEquals(numbers, [dark.length, night.length]);
  assertEquals(await isUnfinished(place), false);
  console.log(`Kills under way: ${metMerging} merging, ${metUndoing} undoing`);
  assert(metMerging > 0 && metUndoing > 0, `kills under way: ${metMerging}, ${metUndoing}`);
}

describe("a merge of 5,000 votes into 5,000", () => {
  for (const kind of KINDS) {
    it(`is exact and undone exactly under changes and ${KILLS} kills, on ${kind}`, () =>
      withPlace(kind, play));
  }
});
