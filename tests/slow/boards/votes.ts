// Casts votes while the server is killed. A post's number must equal the number of people whose
// votes stand.

import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  type DeliveryProcess,
  type Place,
  type PlaceKind,
  startProcess,
  withPlace,
} from "../delivery/_scene.ts";

const POSTS = 50;
const PEOPLE = 200;
const PUTS = 10_000;
const KILLS = 20;
const AT_ONCE = 50;
const KINDS: readonly PlaceKind[] = ["file", "kv", "postgres"];
const POSTS_PATH = "boards/ideas/posts";

/**
 * The content of a PUT. Each pair of a person and a post occurs four times, each time with another
 * plus tag.
 */
interface Ballot {
  readonly post: number;
  readonly person: number;
  readonly userEmail: string;
  readonly vote: boolean;
}

/** Makes the ballots in an order that looks random but is always the same. */
function makeBallots(): readonly Ballot[] {
  const pairs = PUTS / 4;
  const ballots: Ballot[] = [];
  for (let at = 0; at < PUTS; at++) {
    // 1,571 has no divisor in common with the number of pairs.
    const pair = at * 1_571 % pairs;
    const person = pair % PEOPLE;
    const post = Math.floor(pair / PEOPLE) * 4 % POSTS + at % 4;
    const tag = at % 3 === 0 ? "" : `+${at % 3}`;
    const userEmail = `p${person}${tag}@example.com`;
    ballots.push({ post: post % POSTS, person, userEmail, vote: true });
  }
  return ballots;
}

/**
 * Sends ballots, and kills the process while those from `killAt` on are in flight. Returns the
 * unanswered ballots.
 */
async function send(
  process: DeliveryProcess,
  ballots: readonly Ballot[],
  killAt = Infinity,
): Promise<readonly Ballot[]> {
  for (let at = 0; at < ballots.length; at += AT_ONCE) {
    const batch = ballots.slice(at, at + AT_ONCE);
    const sending = batch.map(({ post, userEmail, vote }) =>
      process.send("PUT", `${POSTS_PATH}/p${post}/votes`, { userEmail, vote: `${vote}` })
    );
    if (at < killAt) {
      assertEquals((await Promise.all(sending)).includes(undefined), false);
      continue;
    }
    // Some of them are answered by then.
    await Promise.race(sending);
    await process.kill();
    const answers = await Promise.all(sending);
    const cutOff = batch.filter((_, index) => answers[index] === undefined);
    return [...cutOff, ...ballots.slice(at + AT_ONCE)];
  }
  return [];
}

interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/** Checks each post's number against its voters; returns the numbers. */
async function checkNumbers(process: DeliveryProcess): Promise<readonly number[]> {
  const numbers: number[] = [];
  for (let post = 0; post < POSTS; post++) {
    const path = `${POSTS_PATH}/p${post}`;
    const { votes } = await process.send("GET", path) as { readonly votes: number };
    const voters: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const query: string = `limit=100${cursor && `&cursor=${cursor}`}`;
      const page = await process.send("GET", `${path}/votes?${query}`) as Page<
        { readonly userEmail: string }
      >;
      voters.push(...page.data.map(({ userEmail }) => userEmail.replace(/\+\d/, "")));
      cursor = page.nextCursor;
    }
    assertEquals([voters.length, new Set(voters).size], [votes, votes], `p${post}`);
    numbers.push(votes);
  }
  return numbers;
}

async function play(place: Place): Promise<void> {
  const ballots = makeBallots();
  let process = startProcess(place, {});
  await process.send("POST", "boards", { boardId: "ideas", name: "Ideas" });
  for (let post = 0; post < POSTS; post++) {
    await process.send("POST", POSTS_PATH, { postId: `p${post}`, title: `Post ${post}` });
  }
  let left = ballots;
  for (let kill = 0; kill < KILLS; kill++) {
    const share = Math.ceil(left.length / (KILLS - kill));
    const unanswered = await send(process, left.slice(0, share), share / 2);
    left = [...unanswered, ...left.slice(share)];
    process = startProcess(place, {});
    await checkNumbers(process);
  }
  assert(left.length > 0, "all was sent before the last kill");
  assertEquals(await send(process, left), []);
  const expected = Array.from(
    { length: POSTS },
    (_, post) =>
      new Set(ballots.filter((ballot) => ballot.post === post).map(({ person }) => person)).size,
  );
  assertEquals(await checkNumbers(process), expected);
  // Half of them withdraw, each twice at once.
  const withdrawn = ballots.filter(({ person }) => person % 2 === 0)
    .map((ballot) => ({ ...ballot, vote: false }));
  assertEquals(await send(process, withdrawn), []);
  const kept = Array.from({ length: POSTS }, (_, post) =>
    new Set(
      ballots.filter((ballot) => ballot.post === post && ballot.person % 2 === 1)
        .map(({ person }) => person),
    ).size);
  assertEquals(await checkNumbers(process), kept);
  await process.kill("SIGTERM");
}

describe("the number of votes", () => {
  for (const kind of KINDS) {
    it(`is that of the people whose votes stand, after ${KILLS} kills, on ${kind}`, () =>
      withPlace(kind, play));
  }
});
