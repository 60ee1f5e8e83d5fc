import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { KINDS, type Storage } from "../../mod.ts";
import { POSTS, VOTES, WEBHOOK_MESSAGES } from "../../model/kinds.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import { BOARD, linkOf, POST_ID, startForms, VOTE_PATH } from "../_support/board_forms.ts";
import { readAll, STORAGES } from "../_support/storages.ts";
import { until } from "../_support/waiting.ts";
import { PENDING } from "../../model/proof/pending.ts";

const ANN = "ann@example.com";
const TAGGED = "ann+news@example.com";
const BOB = "bob@example.com";
const POSTS_PATH = `boards/${BOARD}/posts`;

type Service = Awaited<ReturnType<typeof startForms>>;

/** Lets Ann vote, post and ask, sometimes with a plus tag, and leaves a pending form of hers. */
async function fill(service: Service): Promise<string> {
  const vote = (postId: string, userEmail: string, rest = {}) =>
    service.call("PUT", `${POSTS_PATH}/${postId}/votes`, { userEmail, vote: true, ...rest });
  await vote(POST_ID, TAGGED, { notify: true, why: `Tell ${ANN}`, userName: "Ann" });
  await vote(POST_ID, BOB);
  await service.call("POST", POSTS_PATH, { postId: "alone", title: "Alone", userEmail: ANN });
  await service.call("POST", POSTS_PATH, {
    ...{ postId: "shared", title: "Shared", body: `I am ${TAGGED}`, userEmail: TAGGED },
  });
  await service.call("POST", POSTS_PATH, { postId: "plain", title: "Plain", userEmail: ANN });
  for (const postId of ["shared", "plain"]) await vote(postId, BOB);
  await service.call("PUT", "changelogs/subscribe", { userEmail: ANN, subscribe: true });
  const link = linkOf(await service.mailed(VOTE_PATH, { userEmail: ANN }));
  await until(async () => (await service.storage.list(PENDING, { limit: 1 })).length === 1);
  return link;
}

async function erase(service: Service, userEmail: string): Promise<number> {
  const response = await service.send("DELETE", `changelogs/subscribers/${userEmail}`);
  await response.body?.cancel();
  return response.status;
}

/** Copies all records to another storage. */
async function copyAll(from: Storage, to: Storage): Promise<void> {
  for (const kind of KINDS) {
    for (const record of await from.list(kind, { limit: 1_000 })) {
      const refs = { record: { kind, key: `${record[kind.key]}` } };
      await to.transact(refs, () => ({ answer: undefined, put: { record } }));
    }
  }
}

for (const [name, withStorage] of STORAGES) {
  describe(`the erasure of a person on ${name}`, () => {
    it("takes the votes, ideas and requests of the mailbox, and leaves the number true", () =>
      withStorage(async (storage) => {
        await using service = await startForms({ storage });
        const link = await fill(service);
        assertEquals([await service.votes(), await service.votes("shared")], [2, 2]);
        assertEquals(await erase(service, ANN), 204);
        const votes = await Promise.all([POST_ID, "shared", "plain"].map(service.votes));
        assertEquals(votes, [1, 1, 1]);
        const gone = await service.send("GET", `${POSTS_PATH}/alone`);
        assertEquals([gone.status, (await gone.json()).code], [404, "post_not_found"]);
        assertEquals((await service.follow(link)).status, 410);
        assertEquals(await storage.list(PENDING, { limit: 1 }), []);
        const { namesErased } = await service.call<{ namesErased: string[] }>("GET", "stats");
        assertEquals(namesErased, ["shared"]);
        await service.call("PATCH", `${POSTS_PATH}/shared`, { body: "I am somebody" });
        assertEquals((await service.call("GET", "stats")).namesErased, []);
        assert(!/ann(?:@|\+|%40)/.test(await readAll(storage)));
        assertEquals(await erase(service, ANN), 404);
        assertEquals(await erase(service, TAGGED), 404);
      }));
  });
}

describe("an erasure", () => {
  it("by an address with another plus tag takes the same", async () => {
    await using service = await startForms();
    await fill(service);
    assertEquals(await erase(service, "ann+other@example.com"), 204);
    assertEquals(await service.votes(), 1);
    // The subscription belongs to another address.
    assertEquals(await service.state(ANN), "true api");
  });

  it("of somebody who has nothing but a request is 204, and its link ends", async () => {
    await using service = await startForms();
    const link = linkOf(await service.mailed(VOTE_PATH, { userEmail: ANN }));
    assertEquals(await erase(service, ANN), 204);
    assertEquals([(await service.follow(link)).status, await service.votes()], [410, 0]);
  });

  it("holds after a copy, and nothing of the person is in it", async () => {
    await using service = await startForms();
    await fill(service);
    await erase(service, ANN);
    await service.call("PATCH", `${POSTS_PATH}/shared`, { body: "I am somebody" });
    await using copy = await startForms();
    await copyAll(service.storage, copy.storage);
    assert(!/ann(?:@|\+|%40)/.test(await readAll(copy.storage)));
    assertEquals([await copy.votes(), await copy.votes("shared")], [1, 1]);
    assertEquals(await erase(copy, ANN), 404);
  });

  it("holds for a backup of before once it is repeated there", async () => {
    await using service = await startForms();
    await fill(service);
    await using restored = await startForms();
    await copyAll(service.storage, restored.storage);
    await erase(service, ANN);
    assertEquals(await erase(restored, ANN), 204);
    await restored.call("PATCH", `${POSTS_PATH}/shared`, { body: "I am somebody" });
    assert(!/ann(?:@|\+|%40)/.test(await readAll(restored.storage)));
    assertEquals(await restored.votes(), 1);
  });

  it("keeps the ideas that somebody votes for meanwhile, and their number", async () => {
    await using service = await startForms();
    await service.call("POST", POSTS_PATH, { postId: "alone", title: "Alone", userEmail: ANN });
    const voters = Array.from({ length: 20 }, (_, i) => `v${i}@example.com`);
    const votes = voters.map((userEmail) =>
      service.send("PUT", `${POSTS_PATH}/alone/votes`, { json: { userEmail, vote: true } })
    );
    const [status, ...answers] = await Promise.all([erase(service, ANN), ...votes]);
    assertEquals(status, 204);
    const counted = answers.filter(({ ok }) => ok).length;
    await Promise.all(answers.map((answer) => answer.body?.cancel()));
    const post = await service.storage.get(POSTS, "alone");
    if (post === undefined) {
      assertEquals(await service.storage.list(VOTES, { limit: 1 }), []);
    } else {
      assertEquals([post.votes, post.authorMailbox, post.authorEmail], [counted, null, null]);
    }
  });

  it("tells webhooks of the posts that go, and of a subscriber only where there was one", async () => {
    await using service = await startForms();
    await service.call("POST", "webhooks", { url: "https://hooks.example/" });
    await service.call("POST", POSTS_PATH, { postId: "alone", title: "Alone", userEmail: ANN });
    assertEquals(await erase(service, ANN), 204);
    const all = await readAll(service.storage);
    assert(/post\.deleted/.test(all) && !/subscriber\.erased","timestamp/.test(all));
    assert(!/ann(?:@|\+|%40)/.test(all));
  });

  it("takes the person's words out of messages that wait for a webhook", async () => {
    await using service = await startForms();
    await service.call("POST", "webhooks", { url: "https://hooks.example/" });
    for (const [postId, userEmail] of [["alone", ANN], ["shared", TAGGED], ["other", BOB]]) {
      const title = `Words of ${postId}`;
      await service.call("POST", POSTS_PATH, { postId, title, userEmail });
      await service.call("PATCH", `${POSTS_PATH}/${postId}`, { status: "planned" });
    }
    await service.call("PUT", `${POSTS_PATH}/shared/votes`, { userEmail: BOB, vote: true });
    assertEquals(await erase(service, ANN), 204);
    const messages = await service.storage.list(WEBHOOK_MESSAGES, { limit: 100 });
    const told = messages.map(({ type, body }) => [type, JSON.parse(body).data.title]);
    assertEquals(told.sort(), [
      ["post.created", "Words of other"],
      ["post.deleted", "[erased]"],
      ["post.updated", "Words of other"],
    ]);
  });
});

describe("a person's record", () => {
  it("goes with the last vote: withdrawn, or with its post or board", async () => {
    await using service = await startForms();
    const { call, storage } = service;
    const emails = async () => (await storage.list(PEOPLE, { limit: 9 })).map((one) => one.mailbox);
    const vote = (userEmail: string, isOn: boolean, postId = POST_ID) =>
      call("PUT", `${POSTS_PATH}/${postId}/votes`, { userEmail, vote: isOn });
    await vote(ANN, true);
    await vote(BOB, true);
    await vote(ANN, false);
    assertEquals(await emails(), [BOB]);
    await call("POST", POSTS_PATH, { postId: "own", title: "Own", userEmail: ANN });
    await vote(ANN, false, "own");
    assertEquals(await emails(), [ANN, BOB], "an author has an idea");
    await (await service.send("DELETE", `${POSTS_PATH}/own`)).body?.cancel();
    assertEquals(await emails(), [BOB]);
    await (await service.send("DELETE", `boards/${BOARD}`)).body?.cancel();
    await until(async () => (await emails()).length === 0);
  });

  it("stays while another vote comes at the same time", async () => {
    await using service = await startForms();
    const { call, storage } = service;
    for (const postId of ["a", "b"]) await call("POST", POSTS_PATH, { postId, title: "An idea" });
    const vote = (postId: string, isOn: boolean) =>
      call("PUT", `${POSTS_PATH}/${postId}/votes`, { userEmail: ANN, vote: isOn });
    for (let round = 0; round < 50; round++) {
      await vote("a", true);
      await Promise.all([vote("a", false), vote("b", true)]);
      assertEquals((await storage.list(PEOPLE, { limit: 9 })).length, 1);
      await vote("b", false);
      assertEquals((await storage.list(PEOPLE, { limit: 9 })).length, 0);
    }
  });
});
