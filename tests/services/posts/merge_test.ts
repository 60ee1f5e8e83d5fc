import { assert, assertEquals, assertRejects } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import type { Storage } from "../../../adapters/storage.ts";
import { openMemoryStorage } from "../../../adapters/memory.ts";
import { POSTS, VOTES } from "../../../model/kinds.ts";
import type { Post } from "../../../model/posts/post.ts";
import { createPost } from "../../../services/posts/create.ts";
import { deletePost } from "../../../services/posts/update.ts";
import { setDomainAside, withdrawVotesOfKey } from "../../../services/posts/votes/asides.ts";
import { finishAllVoteWork, hasVoteWork } from "../../../services/posts/votes/vote_work.ts";
import { AT, failingAt, merge, setUp, unmerge, vote, votersOf } from "../../_support/merges.ts";
import { minute } from "../../_support/samples.ts";
import { STORAGES } from "../../_support/storages.ts";

describe("merging a post", () => {
  let storage: Storage;

  beforeEach(async () => {
    storage = openMemoryStorage();
    await setUp(storage, "dark", "night", "third");
  });

  it("counts each mailbox once, and leads its id on", async () => {
    await vote(storage, "dark", ["ann", "ben+x", "cem"]);
    await vote(storage, "night", ["ben", "dora"]);
    const merged = await merge(storage, "dark", "night");
    assertEquals((merged as Post).mergedInto, "night");
    assertEquals(await votersOf(storage, "night"), "ann ben cem dora");
    await vote(storage, "dark", ["ann", "eve"]);
    assertEquals(await votersOf(storage, "night"), "ann ben cem dora eve");
  });

  it("is undone precisely: votes cast meanwhile stay, and withdrawn ones stay withdrawn", async () => {
    await vote(storage, "dark", ["ann", "ben", "cem", "fay"]);
    await vote(storage, "night", ["ben", "dora", "fay"]);
    await merge(storage, "dark", "night");
    await vote(storage, "dark", ["eve"]);
    await vote(storage, "night", ["ann", "ben"], { vote: false });
    await unmerge(storage, "dark");
    assertEquals(await votersOf(storage, "dark"), "cem fay");
    assertEquals(await votersOf(storage, "night"), "dora eve fay");
    assertEquals((await storage.get(POSTS, "dark"))?.mergedInto, null);
    assertEquals(await hasVoteWork(storage), false);
  });

  it("tells people who asked of the other post, until it is undone", async () => {
    await vote(storage, "dark", ["ann", "ben"], { notify: true });
    await vote(storage, "night", ["ben"]);
    await merge(storage, "dark", "night");
    assertEquals(await votersOf(storage, "night"), "ann! ben!");
    await unmerge(storage, "dark");
    assertEquals(await votersOf(storage, "night"), "ben");
    assertEquals(await votersOf(storage, "dark"), "ann! ben!");
  });

  it("gives back what a person asked for meanwhile", async () => {
    await vote(storage, "dark", ["ann"]);
    await merge(storage, "dark", "night");
    await vote(storage, "night", ["ann"], { notify: true, why: "At night" });
    await unmerge(storage, "dark");
    assertEquals(await votersOf(storage, "dark"), "ann!");
  });

  it("takes back what one of two merged posts brought, and nothing of the other", async () => {
    await vote(storage, "dark", ["ann"]);
    await vote(storage, "third", ["ann"], { notify: true });
    await merge(storage, "dark", "night");
    await merge(storage, "third", "night");
    assertEquals(await votersOf(storage, "night"), "ann!");
    await unmerge(storage, "dark");
    assertEquals(await votersOf(storage, "night"), "ann!");
    assertEquals(await votersOf(storage, "dark"), "ann");
    await unmerge(storage, "third");
    assertEquals([await votersOf(storage, "night"), await votersOf(storage, "third")], [
      "",
      "ann!",
    ]);
  });

  it("leaves with the target what was cast and asked for there", async () => {
    await vote(storage, "dark", ["ann", "ben"], { notify: true });
    await vote(storage, "dark", ["cem"]);
    await merge(storage, "dark", "night");
    await vote(storage, "night", ["ann"]);
    await vote(storage, "night", ["ben", "cem"], { notify: true });
    await unmerge(storage, "dark");
    assertEquals(await votersOf(storage, "night"), "ann ben! cem!");
    assertEquals(await votersOf(storage, "dark"), "ann! ben! cem!");
  });

  it("gives nothing to a later post with the id of a merged one", async () => {
    await vote(storage, "dark", ["ann"]);
    await merge(storage, "dark", "night");
    const address = { boardId: "ideas", postId: "dark", at: AT, isExpected: () => true };
    assertEquals(await deletePost(storage, address), undefined);
    await createPost(storage, {
      ...{ boardId: "ideas", postId: "dark", title: "Another", body: null },
      ...{ source: "api", keyId: null, at: AT },
    });
    await merge(storage, "dark", "night");
    await unmerge(storage, "dark");
    assertEquals([await votersOf(storage, "night"), await votersOf(storage, "dark")], ["ann", ""]);
  });

  it("is withdrawn by one voter in many merged posts at once", async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `many${n}`);
    for (const postId of ids) {
      await createPost(storage, {
        ...{ boardId: "ideas", postId, title: "Another", body: null },
        ...{ source: "api", keyId: null, at: AT },
      });
      await vote(storage, postId, ["ann"]);
      await merge(storage, postId, "night");
    }
    await vote(storage, "night", ["ann"], { vote: false });
    assertEquals(await votersOf(storage, "night"), "");
    assertEquals(await storage.list(VOTES, { limit: 9 }), []);
    for (const postId of ids.slice(0, 3)) await unmerge(storage, postId);
    assertEquals(await votersOf(storage, ids[0]), "");
  });

  it("leads through a chain, and is undone in any order", async () => {
    await vote(storage, "dark", ["ann", "ben"]);
    await vote(storage, "night", ["ben", "cem"]);
    await vote(storage, "third", ["dora"]);
    await merge(storage, "dark", "night");
    await merge(storage, "night", "third");
    assertEquals(await votersOf(storage, "third"), "ann ben cem dora");
    await unmerge(storage, "dark");
    assertEquals(await votersOf(storage, "third"), "ben cem dora");
    assertEquals(await votersOf(storage, "dark"), "ann ben");
    await unmerge(storage, "night");
    assertEquals(await votersOf(storage, "third"), "dora");
    assertEquals(await votersOf(storage, "night"), "ben cem");
  });

  it("is refused into itself, into one that leads back, and into one that is not public", async () => {
    assertEquals(await merge(storage, "dark", "dark"), "bad_target");
    assertEquals(await merge(storage, "dark", "none"), "bad_target");
    assertEquals(await merge(storage, "none", "dark"), "not_found");
    await merge(storage, "dark", "night");
    assertEquals(await merge(storage, "night", "dark"), "bad_target");
    assertEquals(await merge(storage, "dark", "third"), "merged_elsewhere");
    assertEquals((await merge(storage, "dark", "night") as Post).mergedInto, "night");
  });

  it("loses and doubles nothing when it is killed at any step, with votes in between", async () => {
    const people = Array.from({ length: 130 }, (_, i) => `p${i}`);
    const [both, withdrawn, late] = [people.slice(60, 90), people.slice(0, 7), ["x1", "x2"]];
    const expected = people.filter((name) => !withdrawn.includes(name));
    for (let step = 0;; step++) {
      const inner = openMemoryStorage();
      await setUp(inner, "dark", "night");
      await vote(inner, "dark", people.slice(0, 90));
      await vote(inner, "night", people.slice(60));
      const isKilled = await merge(failingAt(inner, step), "dark", "night").then(
        () => false,
        () => true,
      );
      if ((await inner.get(POSTS, "dark"))?.mergedInto === null) continue;
      await vote(inner, "dark", withdrawn, { vote: false });
      await vote(inner, "dark", late);
      await finishAllVoteWork(inner, {});
      assertEquals(await votersOf(inner, "night"), [...expected, ...late].sort().join(" "));
      await unmerge(failingAt(inner, step), "dark").catch(() => {});
      await finishAllVoteWork(inner, {});
      await unmerge(inner, "dark");
      const own = people.slice(7, 90);
      assertEquals(await votersOf(inner, "dark"), own.sort().join(" "));
      assertEquals(await votersOf(inner, "night"), [...people.slice(60), ...late].sort().join(" "));
      assertEquals(both.length, 30);
      if (!isKilled) break;
    }
  });

  it("does not bring back a vote that is withdrawn while its copy is made", async () => {
    await vote(storage, "dark", ["ann", "ben"]);
    await assertRejects(() => merge(failingAt(storage, 1), "dark", "night"), Error, "killed");
    const late: Storage = {
      ...storage,
      async transact(refs, decide) {
        await finishAllVoteWork(storage, {});
        return await storage.transact(refs, decide);
      },
    };
    await vote(late, "dark", ["ann"], { vote: false });
    assertEquals(await votersOf(storage, "night"), "ben");
    assertEquals(await votersOf(storage, "dark"), "ben");
  });

  for (const [name, withStorage] of STORAGES) {
    it(`stays right while people vote and withdraw at once, on ${name}`, async () => {
      await withStorage(async (storage, another) => {
        await setUp(storage, "dark", "night");
        const people = Array.from({ length: 60 }, (_, i) => `p${i}`);
        await vote(storage, "dark", people.slice(0, 40));
        await vote(another, "night", people.slice(30, 50));
        await Promise.all([
          merge(storage, "dark", "night"),
          vote(another, "dark", people.slice(50)),
          vote(storage, "night", people.slice(35, 45), { vote: false }),
        ]);
        const [dark, night] = [await votersOf(storage, "dark"), await votersOf(another, "night")];
        // Withdrawing at the other post before the merge began does not withdraw the vote here.
        for (const name of [...people.slice(0, 35), ...people.slice(45)]) {
          assert(night.split(" ").includes(name), name);
        }
        await unmerge(another, "dark");
        assertEquals(await votersOf(storage, "dark"), dark);
        await votersOf(storage, "night");
      });
    });
  }
});

describe("a domain that is set aside", () => {
  it("keeps its votes, which count again once it is taken back", async () => {
    const storage = openMemoryStorage();
    await setUp(storage, "dark");
    const spam = Array.from({ length: 120 }, (_, i) => `u${i}@spam.example`);
    await vote(storage, "dark", [...spam, "ann"]);
    const set = (aside: boolean) =>
      setDomainAside(storage, { boardId: "ideas", postId: "dark", domain: "spam.example", aside });
    assertEquals((await set(true))?.votes, 1);
    await vote(storage, "dark", ["late@spam.example"]);
    await votersOf(storage, "dark");
    assertEquals((await set(true))?.votes, 1);
    assertEquals((await set(false))?.votes, 122);
    await votersOf(storage, "dark");
  });
});

describe("the votes of a stolen key", () => {
  it("are withdrawn since a time, those that were merged included", async () => {
    const storage = openMemoryStorage();
    await setUp(storage, "dark", "night");
    await vote(storage, "dark", ["ann"], { keyId: "stolen", at: minute(1) });
    await vote(storage, "dark", ["ben"], { keyId: "stolen", at: minute(5) });
    await vote(storage, "dark", ["cem"], { keyId: "stolen", at: minute(6) });
    await vote(storage, "night", ["cem"], { keyId: "good", at: minute(7) });
    await merge(storage, "dark", "night");
    const request = { keyId: "stolen", since: minute(5), at: minute(9) };
    assertEquals(await withdrawVotesOfKey(storage, request), 2);
    assertEquals(await votersOf(storage, "night"), "ann cem");
    await unmerge(storage, "dark");
    assertEquals(await votersOf(storage, "dark"), "ann");
    assertEquals(await votersOf(storage, "night"), "cem");
  });
});
