import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../../adapters/memory.ts";
import type { Storage } from "../../../adapters/storage.ts";
import { POSTS } from "../../../model/kinds.ts";
import { voterPrefix } from "../../../model/posts/vote.ts";
import { deletePost } from "../../../services/posts/update.ts";
import { setDomainAside } from "../../../services/posts/votes/asides.ts";
import { finishAllVoteWork } from "../../../services/posts/votes/vote_work.ts";
import { replaceRecord } from "../../../services/records.ts";
import {
  AT,
  createRandom,
  failingAt,
  merge,
  setUp,
  shuffled,
  unmerge,
  vote,
  votersOf,
} from "../../_support/merges.ts";
import { STORAGES } from "../../_support/storages.ts";

const CHAIN = Array.from({ length: 50 }, (_, i) => `p${i}`);

/** Checks each post against what was cast there and what leads there now. */
async function check(
  storage: Storage,
  own: ReadonlyMap<string, readonly string[]>,
  hint: string,
): Promise<void> {
  const into = new Map<string, string | null>();
  for (const postId of own.keys()) {
    into.set(postId, (await storage.get(POSTS, postId))!.mergedInto);
  }
  const expected = (postId: string): string[] => [
    ...own.get(postId)!,
    ...[...into].filter(([, to]) => to === postId).flatMap(([from]) => expected(from)),
  ];
  for (const postId of own.keys()) {
    const all = new Set(expected(postId));
    const names = [...all].filter((name) => name.endsWith("!") || !all.has(`${name}!`)).sort();
    assertEquals(await votersOf(storage, postId), names.join(" "), `${hint} ${postId}`);
  }
}

for (const [name, withStorage] of STORAGES) {
  describe(`merges and unmerges of one chain at the same time on ${name}`, () => {
    it("all finish, and leave each post exactly what leads there", () =>
      withStorage(async (inner, another) => {
        const runs = name === "memory" ? 150 : 6;
        for (let run = 0; run < runs; run++) await race([inner, another], run);
      }));
  });
}

/** Lets three changes overtake each other, six times, and some of them be killed. */
async function race([inner, another]: readonly Storage[], run: number): Promise<void> {
  const postIds = ["a", "b", "c", "d"].map((postId) => `${postId}${run}`);
  const random = createRandom(run + 1);
  await setUp(inner, ...postIds);
  const own = new Map<string, string[]>();
  for (const postId of postIds) {
    const names = ["ann", "ben", "cem", "dora"].filter(() => random(2) === 0)
      .map((name) => name + (random(2) === 0 ? "!" : ""));
    own.set(postId, names);
    for (const name of names) {
      await vote(inner, postId, [name.replace("!", "")], { notify: name.endsWith("!") });
    }
  }
  const storages = [shuffled(inner, random), shuffled(another, random)];
  for (let round = 0; round < 6; round++) {
    const steps = Array.from({ length: 3 }, () => [...postIds].sort(() => random(3) - 1));
    const done = steps.map(([from, to]) => random(2) === 0 ? `${from}>${to}` : `${from}<`);
    const isKilled = random(3) === 0;
    await Promise.all(done.map(async (step, at) => {
      const storage = storages[at % 2];
      const use = isKilled ? failingAt(storage, random(4)) : storage;
      const [from, to] = steps[at];
      const work = step.endsWith("<") ? unmerge(use, from) : merge(use, from, to);
      await (isKilled ? work.catch(() => {}) : work);
    }));
    await finishAllVoteWork(inner, {});
    await check(inner, own, `${run}.${round} ${done}`);
  }
}

describe("a vote while merges are undone", () => {
  it("takes nobody's wish that comes while votes are taken back", async () => {
    const inner = openMemoryStorage();
    await setUp(inner, "a", "b", "c");
    const people = Array.from({ length: 120 }, (_, i) => `p${i}`);
    await vote(inner, "b", people);
    await merge(inner, "b", "c");
    await unmerge(failingAt(inner, 2), "b").catch(() => {});
    await vote(inner, "b", people, { notify: true });
    await finishAllVoteWork(inner, {});
    const all = people.map((name) => `${name}!`).sort().join(" ");
    assertEquals([await votersOf(inner, "b"), await votersOf(inner, "c")], [all, ""]);
  });
});

describe("two posts of which each was to give votes to the other", () => {
  it("are finished all the same", async () => {
    const storage = openMemoryStorage();
    await setUp(storage, "b", "c");
    await vote(storage, "b", ["ann"]);
    await merge(storage, "b", "c");
    const instanceId = (await storage.get(POSTS, "c"))!.instanceId;
    const undo = { mergedInto: null, unmergedFrom: "c", voteCursor: voterPrefix(instanceId) };
    await replaceRecord(storage, { kind: POSTS, key: "b" }, (post) => ({ ...post, ...undo }));
    const turned = { mergedInto: "b" };
    await replaceRecord(storage, { kind: POSTS, key: "c" }, (post) => ({ ...post, ...turned }));
    await finishAllVoteWork(storage, {});
    assertEquals([await votersOf(storage, "b"), await votersOf(storage, "c")], ["ann", ""]);
  });
});

describe("a chain of 50 posts", () => {
  it("keeps everybody's vote, and gives it back in any order", async () => {
    const storage = openMemoryStorage();
    await setUp(storage, ...CHAIN);
    const own = new Map(CHAIN.map((postId, at) => [postId, [`v${at}`, `v${at % 7}!`]]));
    own.set("p0", ["v0!"]);
    for (const [postId, names] of own) {
      for (const name of names) {
        const notify = name.endsWith("!");
        await vote(storage, postId, [name.replace("!", "")], notify ? { notify } : {});
      }
    }
    for (const [at, postId] of CHAIN.slice(1).entries()) await merge(storage, CHAIN[at], postId);
    await check(storage, own, "merged");
    for (const postId of ["p0", "p30", "p10", "p48"]) await unmerge(storage, postId);
    await check(storage, own, "unmerged");
  });

  it("can't grow further", async () => {
    const storage = openMemoryStorage();
    await setUp(storage, "more", ...CHAIN);
    for (const [at, postId] of CHAIN.slice(1).entries()) await merge(storage, CHAIN[at], postId);
    assertEquals(await merge(storage, "p49", "more"), "bad_target");
    assertEquals(typeof await merge(storage, "more", "p0"), "object");
  });
});

describe("a post that goes meanwhile", () => {
  it("is not found by a merge, an unmerge, a deletion or a change of domains", async () => {
    const inner = openMemoryStorage();
    const address = { boardId: "ideas", postId: "a", at: AT, isExpected: () => true };
    const uses: readonly ((storage: Storage) => Promise<unknown>)[] = [
      (storage) => merge(storage, "a", "b"),
      (storage) => unmerge(storage, "a"),
      (storage) => deletePost(storage, address),
      (storage) => setDomainAside(storage, { ...address, domain: "x.example", aside: true }),
    ];
    await setUp(inner, "b");
    for (const [at, use] of uses.entries()) {
      for (let step = 0; step < 30; step++) {
        await setUp(inner, "a");
        await vote(inner, "a", ["ann"]);
        let left = step;
        const later = async () => {
          if (left-- === 0) await deletePost(inner, address);
        };
        const storage: Storage = {
          ...inner,
          get: (kind, key) => later().then(() => inner.get(kind, key)),
          transact: (refs, decide) => later().then(() => inner.transact(refs, decide)),
        };
        const outcome = await use(storage);
        const isFound = outcome === undefined ? at === 2 : typeof outcome === "object";
        assertEquals(
          isFound || [undefined, "not_found", "bad_target"].includes(outcome as string),
          true,
        );
        if (left >= 0) await deletePost(inner, address);
      }
    }
  });

  it("takes no merged post with it", async () => {
    for (let run = 0; run < 60; run++) {
      const random = createRandom(run + 1);
      const inner = openMemoryStorage();
      await setUp(inner, "a", "b");
      await vote(inner, "a", ["ann"]);
      const storage = shuffled(inner, random);
      await Promise.all([
        merge(storage, "a", "b"),
        deletePost(storage, { boardId: "ideas", postId: "b", at: AT, isExpected: () => true }),
      ]);
      assertEquals([(await inner.get(POSTS, "a"))?.mergedInto, await inner.get(POSTS, "b")], [
        null,
        undefined,
      ], `${run}`);
    }
  });
});
