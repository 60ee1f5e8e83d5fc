import { assertEquals } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../adapters/memory.ts";
import type { Storage } from "../../adapters/storage.ts";
import { DELIVERIES, POSTS, VOTES } from "../../model/kinds.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import { mailboxOf } from "../../model/posts/vote.ts";
import { openBrowser, sealBrowser } from "../../services/people/browser.ts";
import { erasePerson } from "../../services/privacy/erasure.ts";
import { changeAsk } from "../../services/people/mine.ts";
import { createIdea, createPost } from "../../services/posts/create.ts";
import { updatePost } from "../../services/posts/update.ts";
import { hasIdlePeople, removeIdlePeople } from "../../services/posts/votes/idle_people.ts";
import { castVote } from "../../services/posts/votes/votes.ts";
import { replaceRecord } from "../../services/records.ts";
import { AT, createRandom, merge, setUp, shuffled, unmerge, vote } from "../_support/merges.ts";
import { minute } from "../_support/samples.ts";

const ANN = "ann@example.com";
const IDEA = { boardId: "ideas", title: "Words of Ann", body: null, keyId: null, at: AT } as const;
const AUTHOR = { userEmail: ANN, userName: null, notify: false };

/** Returns the mailboxes of people, and of those who have a vote without being among them. */
async function peopleOf(storage: Storage) {
  const people = (await storage.list(PEOPLE, { limit: 99 })).map(({ mailbox }) => mailbox);
  const votes = (await storage.list(VOTES, { limit: 99 }))
    .map(({ userEmail }) => mailboxOf(userEmail));
  return { people, strays: votes.filter((mailbox) => !people.includes(mailbox)) };
}

describe("an erasure while something else happens", () => {
  let storage: Storage;

  beforeEach(async () => {
    storage = openMemoryStorage();
    await setUp(storage, "a", "b", "c");
  });

  it("leaves no vote without its person when an app votes for them", async () => {
    for (let run = 0; run < 100; run++) {
      const random = createRandom(run + 1);
      await vote(storage, "a", ["ann"]);
      const slow = shuffled(storage, random);
      await Promise.all([
        erasePerson(slow, ANN, minute(run)),
        ...["b", "c"].map(async (postId) => {
          for (let turns = random(300); turns > 0; turns--) await null;
          await vote(slow, postId, ["ann"], { notify: true });
        }),
      ]);
      const votes = await storage.list(VOTES, { limit: 9 });
      assertEquals((await peopleOf(storage)).strays, [], `${run}`);
      const posts = await storage.list(POSTS, { limit: 9 });
      assertEquals(posts.reduce((sum, post) => sum + post.votes, 0), votes.length, `${run}`);
      await erasePerson(storage, ANN, minute(run));
    }
  });

  it("lets nothing be stored with a cookie that was read before", async () => {
    await vote(storage, "a", ["ann"]);
    const person = (await openBrowser(storage, await sealBrowser(storage, ANN, AT), AT))!;
    await erasePerson(storage, ANN, minute(1));
    const request = { ...person, postId: "a", vote: true, source: "form", keyId: null, at: AT };
    assertEquals(await castVote(storage, request as Parameters<typeof castVote>[1]), "erased");
    const { erasedAt } = person;
    const idea = { ...IDEA, author: AUTHOR, source: "form", erasedAt } as const;
    assertEquals(await createIdea(storage, idea), "erased");
    await changeAsk(storage, { ...person, postId: "a", notify: true }, AT);
    assertEquals(await peopleOf(storage), { people: [], strays: [] });
  });

  it("takes merged ideas for which nobody else voted", async () => {
    for (const postId of ["own", "shared"]) {
      await createPost(storage, { ...IDEA, postId, author: AUTHOR, source: "api" });
    }
    await vote(storage, "shared", ["ben"]);
    for (const postId of ["own", "shared"]) await merge(storage, postId, "a");
    await erasePerson(storage, ANN, minute(1));
    assertEquals(await storage.get(POSTS, "own"), undefined);
    const shared = await storage.get(POSTS, "shared");
    assertEquals([shared?.authorMailbox, shared?.votes], [null, 1]);
    await unmerge(storage, "shared");
    assertEquals((await storage.get(POSTS, "a"))?.votes, 0);
  });
});

describe("the record of a person without votes", () => {
  it("goes once the delivery that needed it has ended", async () => {
    const storage = openMemoryStorage();
    await setUp(storage, "a");
    await vote(storage, "a", ["ann", "ben"], { notify: true });
    const address = { boardId: "ideas", postId: "a", at: AT, isExpected: () => true };
    await updatePost(storage, { ...address, change: { status: "planned" }, notify: true });
    await vote(storage, "a", ["ann"], { vote: false });
    assertEquals([(await peopleOf(storage)).people.length, await hasIdlePeople(storage)], [
      2,
      false,
    ]);
    const [delivery] = await storage.list(DELIVERIES, { limit: 1 });
    await replaceRecord(storage, { kind: DELIVERIES, key: delivery.entryId }, (one) => ({
      ...one,
      state: "done" as const,
      finishedAt: AT,
      nextAt: null,
    }));
    assertEquals(await hasIdlePeople(storage), true);
    await removeIdlePeople(storage, {});
    assertEquals((await peopleOf(storage)).people, ["ben@example.com"]);
    assertEquals(await hasIdlePeople(storage), false);
  });

  it("stays when somebody asks again at the same moment", async () => {
    for (let run = 0; run < 100; run++) {
      const storage = openMemoryStorage();
      await setUp(storage, "a", "b");
      await vote(storage, "a", ["ann"]);
      const slow = shuffled(storage, createRandom(run + 1));
      await Promise.all([
        vote(slow, "a", ["ann"], { vote: false }),
        vote(slow, "a", ["ann"], { vote: false }),
        vote(slow, "b", ["ann"]),
      ]);
      assertEquals(await peopleOf(storage), { people: [ANN], strays: [] });
    }
  });
});
