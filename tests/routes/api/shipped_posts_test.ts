import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../../mod.ts";
import { POSTS } from "../../../model/kinds.ts";
import { placed } from "../../../model/posts/place.ts";
import type { Post } from "../../../model/posts/post.ts";
import { announceEntry } from "../../../services/entries/publish.ts";
import { moveShippedPosts } from "../../../services/entries/shipped_posts.ts";
import { replaceRecord } from "../../../services/records.ts";
import { assertOutcomes, createService, START } from "../../_support/service.ts";

const BOARD = "boards/ideas";
const ENTRIES = "changelogs/entries";

/** The members of a post that these tests read. */
interface Shipped {
  readonly status: string;
  readonly entryId: string | null;
}

/** Creates a service with a board that has some posts. */
async function createBoard(postIds: readonly string[]) {
  let nowMs = Date.parse(START);
  const memory = openMemoryStorage();
  let read = 0;
  const list: Storage["list"] = async (kind, query) => {
    const records = await memory.list(kind, query);
    if (kind.name === POSTS.name) read += records.length;
    return records;
  };
  const service = createService({ storage: { ...memory, list }, clock: () => nowMs });
  const { call } = service;
  await call("POST", "boards", { boardId: "ideas", name: "Ideas" });
  for (const postId of postIds) {
    await call("POST", `${BOARD}/posts`, { postId, title: `About ${postId}` });
  }
  return {
    service,
    call,
    /** Returns the status of posts, and the entry that each is in. */
    async shipped(...ids: readonly string[]) {
      const posts = await Promise.all(
        ids.map((id) => call<Shipped>("GET", `${BOARD}/posts/${id}`)),
      );
      return posts.map(({ status, entryId }) => `${status} ${entryId}`);
    },
    /** Returns the posts that an entry ships. */
    postsOf: async (id: string) =>
      (await call<{ posts: readonly string[] }>("GET", `${ENTRIES}/${id}`)).posts,
    /** Returns the posts that a list has, newest first, and how many it read. */
    async listed(query: string) {
      read = 0;
      const path = `${BOARD}/posts?sort=new&${query}`;
      const { data } = await call<{ data: readonly { postId: string }[] }>("GET", path);
      return { listed: data.map(({ postId }) => postId), read };
    },
    pass: (ms: number) => new Date(nowMs += ms).toISOString(),
  };
}

describe("an entry that ships posts", () => {
  it("links them from its creation on, and ships them while it is public", async () => {
    const { call, service, shipped, postsOf } = await createBoard(["dark", "light"]);
    await call("PATCH", `${BOARD}/posts/dark`, { status: "planned" });
    const entry = { entryId: "a", title: "T", body: "", posts: ["dark"] };
    await call("POST", ENTRIES, entry);
    assertEquals([await postsOf("a"), await shipped("dark")], [["dark"], ["planned a"]]);
    await call("PATCH", `${ENTRIES}/a`, { posts: "dark light" });
    assertEquals(await shipped("dark", "light"), ["planned a", "open a"]);
    await call("POST", `${ENTRIES}/a/publish`, { notify: false });
    assertEquals(await shipped("dark", "light"), ["shipped a", "shipped a"]);
    await call("PATCH", `${ENTRIES}/a`, { posts: ["light"] });
    assertEquals(await shipped("dark", "light"), ["planned null", "shipped a"]);
    await call("POST", `${ENTRIES}/a/unpublish`);
    assertEquals(await shipped("light"), ["open a"]);
    await service.send("DELETE", `/api/v1/${ENTRIES}/a`);
    assertEquals(await shipped("dark", "light"), ["planned null", "open null"]);
  });

  it("moves their updatedAt when it ships them, so that whoever follows them sees it", async () => {
    const { call, pass } = await createBoard(["dark"]);
    const updatedAt = async () =>
      (await call<{ updatedAt: string }>("GET", `${BOARD}/posts/dark`)).updatedAt;
    await call("POST", ENTRIES, { entryId: "a", title: "T", body: "", posts: ["dark"] });
    assertEquals(await updatedAt(), START);
    const at = new Date(Date.parse(START) + 60_000).toISOString();
    await call("POST", `${ENTRIES}/a/publish`, { notify: false, at });
    assertEquals(await updatedAt(), START);
    pass(120_000);
    assertEquals(await updatedAt(), at);
  });

  it("ships them at the second that it is scheduled for, and is followed when it is renamed", async () => {
    const { call, shipped, pass } = await createBoard(["dark"]);
    await call("POST", ENTRIES, { entryId: "a", title: "T", body: "", posts: ["dark"] });
    await call("PATCH", `${ENTRIES}/a`, { entryId: "b" });
    assertEquals(await shipped("dark"), ["open b"]);
    const at = new Date(Date.parse(START) + 60_000).toISOString();
    await call("POST", `${ENTRIES}/b/publish`, { notify: false, at });
    pass(59_999);
    assertEquals(await shipped("dark"), ["open b"]);
    pass(1);
    assertEquals(await shipped("dark"), ["shipped b"]);
  });

  it("refuses posts that are unknown, held, hidden or in another entry, and changes nothing", async () => {
    const { call, service, shipped, postsOf } = await createBoard(["dark", "hidden", "other"]);
    await call("PATCH", `${BOARD}/posts/hidden`, { state: "hidden" });
    await call("POST", ENTRIES, { entryId: "b", title: "T", body: "", posts: ["other"] });
    await call("POST", ENTRIES, { entryId: "a", title: "T", body: "", posts: ["dark"] });
    const path = "/api/v1/changelogs/entries";
    const many = Array.from({ length: 21 }, (_, i) => `p${i}`);
    const fault = "422 posts:invalid_value";
    await assertOutcomes(service, [
      ["PATCH", `${path}/a`, { json: { posts: ["dark", "unknown"] } }, fault],
      ["PATCH", `${path}/a`, { json: { posts: ["hidden"] } }, fault],
      ["PATCH", `${path}/a`, { json: { posts: ["other"] } }, fault],
      ["PATCH", `${path}/a`, { json: { posts: many } }, fault],
      ["POST", path, { json: { entryId: "c", title: "T", body: "", posts: ["other"] } }, fault],
      ["GET", `${path}/c`, {}, "404 entry_not_found"],
    ]);
    assertEquals([await postsOf("a"), await shipped("dark", "other")], [
      ["dark"],
      ["open a", "open b"],
    ]);
  });

  it("takes a merged post for the one that it went to", async () => {
    const { call, postsOf, shipped } = await createBoard(["dark", "night"]);
    await call("POST", `${BOARD}/posts/night/merge`, { into: "dark" });
    await call("POST", ENTRIES, { entryId: "a", title: "T", body: "", posts: ["night", "dark"] });
    assertEquals([await postsOf("a"), await shipped("dark")], [["dark"], ["open a"]]);
  });

  it("ships the post that its post was merged into before it is public", async () => {
    const { call, postsOf, shipped } = await createBoard(["dark", "night", "light"]);
    for (const [entryId, postId] of [["a", "night"], ["b", "light"]]) {
      await call("POST", ENTRIES, { entryId, title: "T", body: "", posts: [postId] });
    }
    await call("POST", `${BOARD}/posts/night/merge`, { into: "dark" });
    await call("POST", `${BOARD}/posts/light/merge`, { into: "dark" });
    assertEquals([await postsOf("a"), await postsOf("b")], [["dark"], []]);
    await call("POST", `${ENTRIES}/a/publish`, { notify: false });
    assertEquals(await shipped("dark", "light"), ["shipped a", "open null"]);
    await call("POST", `${BOARD}/posts/night/unmerge`);
    assertEquals(await shipped("dark", "night"), ["shipped a", "open null"]);
  });

  it("takes its posts out of what lists of open ones read, until it is a draft again", async () => {
    const ids = ["a", "b", "c"];
    const { call, pass, service, listed, shipped } = await createBoard(["open", ...ids]);
    const times = { a: 0, b: 60_000 } as const;
    for (const id of ids) {
      await call("POST", ENTRIES, { entryId: id, title: "T", body: "", posts: [id] });
    }
    for (const [id, ms] of Object.entries(times)) {
      const at = new Date(Date.parse(START) + ms).toISOString();
      await call("POST", `${ENTRIES}/${id}/publish`, { notify: false, at });
    }
    assertEquals(await listed("status=open"), { listed: ["open", "c", "b"], read: 3 });
    const now = pass(60_000);
    assertEquals(await listed("status=open"), { listed: ["open", "c"], read: 3 });
    await announceEntry(service.storage, "b", now);
    assertEquals(await listed("status=open"), { listed: ["open", "c"], read: 2 });
    assertEquals((await listed("status=shipped")).listed, ["b", "a"]);
    for (const id of ["a", "b"]) await call("POST", `${ENTRIES}/${id}/unpublish`);
    assertEquals((await listed("status=open")).listed, ["open", "c", "b", "a"]);
    assertEquals(await shipped(...ids), ["open a", "open b", "open c"]);
  });

  it("has its posts moved once an edit stores that it is public", async () => {
    const { call, pass, listed } = await createBoard(["a"]);
    await call("POST", ENTRIES, { entryId: "a", title: "T", body: "", posts: ["a"] });
    const at = new Date(Date.parse(START) + 60_000).toISOString();
    await call("POST", `${ENTRIES}/a/publish`, { notify: false, at });
    pass(60_000);
    await call("PATCH", `${ENTRIES}/a`, { title: "Title" });
    assertEquals(await listed("status=open"), { listed: [], read: 0 });
  });

  it("has its posts moved by the regular work if it is older than this", async () => {
    const { call, listed, service } = await createBoard(["a"]);
    await call("POST", ENTRIES, { entryId: "a", title: "T", body: "", posts: ["a"] });
    await call("POST", `${ENTRIES}/a/publish`, { notify: false });
    const ref = { kind: POSTS, key: "a" };
    const of = (post: Post) => placed({ ...post, shippedAt: null });
    await replaceRecord(service.storage, ref, of);
    assertEquals(await listed("status=open"), { listed: [], read: 1 });
    await moveShippedPosts(service.storage, { now: START });
    assertEquals(await listed("status=open"), { listed: [], read: 0 });
    assertEquals(await listed("status=shipped"), { listed: ["a"], read: 1 });
  });

  it("ships a merged post again once that is undone before it is public", async () => {
    const { call, postsOf, shipped } = await createBoard(["dark", "night", "light", "own"]);
    const draft = (entryId: string, ...posts: readonly string[]) =>
      call("POST", ENTRIES, { entryId, title: "T", body: "", posts });
    const merge = (postId: string, into: string) =>
      call("POST", `${BOARD}/posts/${postId}/merge`, { into });
    const unmerge = (postId: string) => call("POST", `${BOARD}/posts/${postId}/unmerge`);
    await draft("a", "night", "light");
    await draft("b", "own");
    // The first target is free, and the second one stands in an entry of its own.
    await merge("night", "dark");
    await merge("light", "dark");
    assertEquals([await postsOf("a"), await shipped("dark")], [["dark"], ["open a"]]);
    await merge("dark", "own");
    assertEquals([await postsOf("a"), await postsOf("b")], [[], ["own"]]);
    await unmerge("night");
    assertEquals([await postsOf("a"), await shipped("night")], [["night"], ["open a"]]);
    await unmerge("dark");
    assertEquals([await postsOf("a"), await postsOf("b")], [["night", "dark"], ["own"]]);
    await unmerge("light");
    assertEquals(await postsOf("a"), ["night", "light"]);
    const all = await shipped("dark", "night", "light", "own");
    assertEquals(all, ["open null", "open a", "open a", "open b"]);
  });

  it("leaves out a merged post whose target an editor took out, once that is undone", async () => {
    const { call, postsOf, shipped } = await createBoard(["dark", "night"]);
    await call("POST", ENTRIES, { entryId: "a", title: "T", body: "", posts: ["night"] });
    await call("POST", `${BOARD}/posts/night/merge`, { into: "dark" });
    await call("PATCH", `${ENTRIES}/a`, { posts: [] });
    await call("POST", `${BOARD}/posts/night/unmerge`);
    assertEquals([await postsOf("a"), await shipped("night", "dark")], [[], [
      "open null",
      "open null",
    ]]);
  });

  it("is told to webhooks with its posts, which are in one event", async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `p${i}`);
    const { call } = await createBoard(ids);
    for (let i = 0; i < 20; i++) await call("POST", "webhooks", { url: `https://h${i}.example/` });
    await call("POST", ENTRIES, { entryId: "a", title: "T", body: "", posts: ids });
    await call("POST", `${ENTRIES}/a/publish`, { notify: false });
    const { data: [webhook] } = await call<{ data: { webhookId: string }[] }>("GET", "webhooks");
    const path = `webhooks/${webhook.webhookId}/messages`;
    const { data } = await call<{ data: { type: string; body: string }[] }>("GET", path);
    const messages = data.map(({ type, body }) => [type, JSON.parse(JSON.stringify(body))]);
    assertEquals(messages.map(([type]) => type), ["entry.published"]);
    assertEquals(JSON.stringify(messages).includes("p19"), true);
  });

  it("keeps its posts through export and import, but for those that are unknown there", async () => {
    const { call, service } = await createBoard(["dark", "light"]);
    await call("POST", ENTRIES, { entryId: "a", title: "T", body: "B", posts: ["dark", "light"] });
    const response = await service.send("GET", `/api/v1/${ENTRIES}/export`);
    const text = await response.text();
    const other = await createBoard(["dark"]);
    const imported = await other.service.send("POST", `/api/v1/${ENTRIES}/import`, {
      headers: { "content-type": "application/x-ndjson" },
      body: text,
    });
    assertEquals((await imported.text()).includes("posts: light"), true);
    assertEquals([await other.postsOf("a"), await other.shipped("dark")], [["dark"], ["open a"]]);
  });
});
