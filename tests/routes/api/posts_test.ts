import { assert, assertEquals, assertMatch, assertNotEquals, assertObjectMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { VOTES } from "../../../model/kinds.ts";
import { BOARD_TALLIES, POST_REMOVALS } from "../../../model/posts/records.ts";
import { MAX_OPEN_POSTS } from "../../../model/posts/post.ts";
import { replaceRecord } from "../../../services/records.ts";
import { createBoardService, POSTS_PATH, type TestPost } from "../../_support/boards.ts";
import { forEachRow } from "../../_support/rows.ts";
import { outcomeOf, START } from "../../_support/service.ts";
import { until } from "../../_support/waiting.ts";

const WEEK_MS = 7 * 24 * 3_600_000;

describe("a post", () => {
  it("is created for a person, whose vote it has, and names nobody", async () => {
    const { send } = await createBoardService();
    const json = {
      postId: "dark",
      title: " Dark mode ",
      body: "At **night**",
      userEmail: "Ann@B.io",
    };
    const response = await send("POST", POSTS_PATH, { json });
    assertEquals(response.status, 201);
    assertEquals(response.headers.get("location"), `/api/v1/${POSTS_PATH}/dark`);
    assertMatch(response.headers.get("etag")!, /^"/);
    const text = await response.text();
    assert(!/ann|b\.io/i.test(text), text);
    assertObjectMatch(JSON.parse(text), {
      postId: "dark",
      boardId: "ideas",
      title: "Dark mode",
      body: "At **night**",
      status: "open",
      answer: null,
      answeredAt: null,
      votes: 1,
      state: "public",
      source: "api",
      importedVotes: 0,
      history: [{ at: START, status: "open" }],
      mergedInto: null,
      entryId: null,
      deliveryId: null,
      createdAt: START,
      updatedAt: START,
    });
  });

  it("is the team's own without an address, and gets an id of eight characters", async () => {
    const { call } = await createBoardService();
    const post = await call<TestPost>("POST", POSTS_PATH, { title: "Dark mode" });
    assertMatch(post.postId, /^[a-z0-9]{8}$/);
    assertEquals(post.votes, 0);
  });

  it("is refused with all that is wrong", async () => {
    const { send, storage, add } = await createBoardService();
    await send("POST", "boards", { json: { boardId: "other", name: "Other" } });
    await add("taken");
    const large = "é".repeat(4_097);
    await forEachRow([
      [{}, "422 title:required"],
      [{ title: "ab" }, "422 title:invalid_value"],
      [{ title: "a\nb c" }, "422 title:unsupported_characters"],
      [{ title: "a".repeat(121), body: large }, "422 title:too_long body:too_long"],
      [{ title: "Dark", body: "![x](https://a.io/b.png)" }, "422 body:invalid_value"],
      [{ title: "Dark", body: "![x](images/1234567890abcdef-1x1.png)" }, "422 body:invalid_value"],
      ...["new", "similar", "export", "import", "votes", "x.atom"].map((postId) =>
        [{ title: "Dark", postId }, "422 postId:invalid_value"] as const
      ),
      [{ title: "Dark", notify: true }, "422 notify:invalid_value"],
      [{ title: "Dark", userEmail: "ann" }, "422 userEmail:invalid_email"],
      [{ title: "Dark", status: "planned" }, "422 status:unknown_field"],
      [{ title: "Dark", postId: "taken" }, "409 post_exists"],
    ], async ([json, expected]) => {
      assertEquals(await outcomeOf(await send("POST", POSTS_PATH, { json })), expected);
    });
    const path = "boards/other/posts";
    const json = { title: "Dark", postId: "taken" };
    assertEquals(await outcomeOf(await send("POST", path, { json })), "409 post_exists");
    assertEquals(
      await outcomeOf(await send("POST", "boards/none/posts", { json })),
      "404 board_not_found",
    );
    const [tally] = await storage.list(BOARD_TALLIES, { limit: 1 });
    const ref = { kind: BOARD_TALLIES, key: tally.instanceId };
    await replaceRecord(storage, ref, (tally) => ({ ...tally, open: MAX_OPEN_POSTS }));
    const full = await send("POST", POSTS_PATH, { json: { title: "One more" } });
    assertEquals(await outcomeOf(full), "409 board_full");
  });

  it("takes 64 KiB in a form", async () => {
    const { send } = await createBoardService();
    // Each byte of these letters takes three bytes in a form.
    const form = { title: "Dark mode", body: "é".repeat(4_096) };
    assertEquals((await send("POST", POSTS_PATH, { form })).status, 201);
    const body = "x".repeat(65_536);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const response = await send("POST", POSTS_PATH, { headers, body: `title=${body}` });
    assertEquals(await outcomeOf(response), "413 body_too_large");
  });

  it("has an ETag that moves with its votes, while updatedAt does not", async () => {
    const { send, add, vote, advance } = await createBoardService();
    await add("dark");
    const first = await send("GET", `${POSTS_PATH}/dark`);
    const etag = first.headers.get("etag")!;
    const headers = { "if-none-match": etag };
    assertEquals((await send("GET", `${POSTS_PATH}/dark`, { headers })).status, 304);
    advance(1_000);
    await vote("dark", "ann@example.com");
    const second = await send("GET", `${POSTS_PATH}/dark`, { headers });
    assertEquals(second.status, 200);
    assertNotEquals(second.headers.get("etag"), etag);
    assertEquals((await second.json()).updatedAt, START);
    const json = { title: "Darker mode" };
    const stale = { headers: { "if-match": etag }, json };
    const path = `${POSTS_PATH}/dark`;
    assertEquals(await outcomeOf(await send("PATCH", path, stale)), "412 precondition_failed");
    assertEquals(await outcomeOf(await send("DELETE", path, stale)), "412 precondition_failed");
  });

  it("has its answer, status and history changed by the team", async () => {
    const { change, add, advance, send } = await createBoardService();
    await add("dark");
    advance(1_000);
    const planned = await change("dark", { status: "planned", answer: "Soon." });
    const at = "2026-11-21T10:00:01.000Z";
    assertEquals([planned.answeredAt, planned.updatedAt], [at, at]);
    assertEquals(planned.history, [{ at: START, status: "open" }, { at, status: "planned" }]);
    advance(1_000);
    const same = await change("dark", { status: "planned", answer: "Soon." });
    assertEquals([same.updatedAt, same.history.length], [at, 2]);
    const cleared = await change("dark", { answer: null });
    assertEquals([cleared.answer, cleared.answeredAt], [null, null]);
    await forEachRow([
      [{ status: "declined" }, "422 answer:required"],
      [{ status: "done" }, "422 status:invalid_value"],
      [{ title: null }, "422 title:required"],
      [{ postId: "x" }, "422 postId:unknown_field"],
      [{ status: "declined", answer: "No." }, "200"],
      [{ answer: "" }, "422 answer:required"],
    ], async ([json, expected]) => {
      assertEquals(await outcomeOf(await send("PATCH", `${POSTS_PATH}/dark`, { json })), expected);
    });
  });

  it("shows a key that can't read posts no more than it has changed", async () => {
    const { add, send, createKey } = await createBoardService();
    await add("dark", { body: "Secret words", userEmail: "ann@example.com" });
    const key = await createKey(["posts:publish"]);
    const response = await send("PATCH", `${POSTS_PATH}/dark`, { key, json: { answer: "Soon." } });
    assertEquals(await response.json(), {
      postId: "dark",
      boardId: "ideas",
      status: "open",
      answer: "Soon.",
      state: "public",
      updatedAt: START,
    });
  });

  it("is not seen without posts:publish while it is hidden", async () => {
    const { change, add, send, createKey, idsOf } = await createBoardService();
    await add("dark");
    await change("dark", { state: "hidden" });
    assertEquals(await idsOf(), []);
    assertEquals(await idsOf("&state=hidden"), ["dark"]);
    const key = await createKey(["posts:read", "posts:write", "subscriptions:read"]);
    await forEachRow([
      ["dark", "404 post_not_found"],
      ["dark/votes", "404 post_not_found"],
      ["dark/votes/summary", "404 post_not_found"],
    ], async ([path, expected]) => {
      assertEquals(await outcomeOf(await send("GET", `${POSTS_PATH}/${path}`, { key })), expected);
    });
    const list = await send("GET", `${POSTS_PATH}?state=hidden`, { key });
    assertEquals(await outcomeOf(list), "403 insufficient_scope");
  });

  it("is removed with its votes, and a later one of the same id begins anew", async () => {
    const { send, add, vote, storage } = await createBoardService();
    await add("dark");
    for (let n = 0; n < 70; n++) await vote("dark", `p${n}@example.com`);
    assertEquals((await send("DELETE", `${POSTS_PATH}/dark`)).status, 204);
    assertEquals(await storage.list(VOTES, { limit: 1 }), []);
    assertEquals(await storage.list(POST_REMOVALS, { limit: 1 }), []);
    assertEquals((await add("dark")).votes, 0);
    assertEquals(await outcomeOf(await send("DELETE", `${POSTS_PATH}/none`)), "404 post_not_found");
  });

  it("is gone at once with its board, and its votes soon", async () => {
    const { send, call, add, vote, storage, idsOf } = await createBoardService();
    for (let n = 0; n < 40; n++) {
      await add(`p${n}`);
      await vote(`p${n}`, "ann@example.com");
    }
    assertEquals((await send("DELETE", "boards/ideas")).status, 204);
    assertEquals(
      await outcomeOf(await send("GET", `${POSTS_PATH}/p1`)),
      "404 board_not_found",
    );
    await call("POST", "boards", { boardId: "ideas", name: "Again" });
    assertEquals(await idsOf(), []);
    assertEquals((await add("p39")).votes, 0);
    await until(async () => (await storage.list(POST_REMOVALS, { limit: 1 })).length === 0);
    assertEquals(await storage.list(VOTES, { limit: 1 }), []);
    assertEquals(await idsOf(), ["p39"]);
  });
});

describe("a list of posts", () => {
  it("has all of them once in each order", async () => {
    const { add, vote, change, idsOf, advance } = await createBoardService();
    for (const postId of ["a", "b", "c", "d"]) {
      await add(postId);
      advance(1_000);
    }
    await vote("b", "ann@example.com");
    await vote("b", "ben@example.com");
    await vote("d", "ann@example.com");
    await change("b", { status: "planned" });
    await change("c", { status: "declined", answer: "No." });
    assertEquals(await idsOf(), ["b", "d", "c", "a"]);
    assertEquals(await idsOf("&sort=new"), ["d", "c", "b", "a"]);
    assertEquals(await idsOf("&status=open"), ["d", "a"]);
    assertEquals(await idsOf("&status=shipped"), []);
    advance(2 * WEEK_MS);
    await vote("a", "ann@example.com");
    assertEquals(await idsOf("&sort=hot"), ["a", "b", "d", "c"]);
    assertEquals(await idsOf("&sort=votes", 100), ["b", "d", "a", "c"]);
  });

  it("neither skips nor repeats a post when others come between two pages", async () => {
    const { add, vote, call } = await createBoardService();
    for (const postId of ["a", "b", "c", "d"]) await add(postId);
    for (const one of ["a", "b"]) await vote(one, "ann@example.com");
    type Page = { data: TestPost[]; nextCursor: string };
    const first = await call<Page>("GET", `${POSTS_PATH}?limit=2`);
    await add("e", { userEmail: "x@example.com" });
    const second = await call<Page>("GET", `${POSTS_PATH}?limit=2&cursor=${first.nextCursor}`);
    const ids = [...first.data, ...second.data].map(({ postId }) => postId);
    assertEquals(ids, ["b", "a", "d", "c"]);
  });

  it("finds words in any case, the last one by its start, and pairs of Japanese", async () => {
    const { add, idsOf, change } = await createBoardService();
    await add("dark", { title: "Dark mode", body: "Élégant" });
    await add("night", { title: "夜間モードが欲しい" });
    await add("other", { title: "Bookmarks" });
    await add("size", { title: "Größe", body: "**bold**ly, [see](https://e.example/addressed)" });
    await change("size", { title: "Groß" });
    await change("other", { answer: "Not darker." });
    await forEachRow([
      ["DARK", ["other", "dark"]],
      ["dark mo", ["dark"]],
      ["dar mode", []],
      ["mode elegant", ["dark"]],
      ["夜間", ["night"]],
      ["モード", ["night"]],
      ["ドモ", []],
      ["marks", []],
      ["gross", ["size"]],
      ["ﾓｰﾄﾞ", ["night"]],
      ["boldly", ["size"]],
      ["addressed", []],
    ], async ([q, expected]) => {
      assertEquals(await idsOf(`&q=${encodeURIComponent(q)}`), expected, q);
    });
  });

  it("has posts of all boards, answered or not", async () => {
    const { add, call, change, send } = await createBoardService();
    await call("POST", "boards", { boardId: "more", name: "More" });
    await add("a", { userEmail: "ann@example.com" });
    await add("b");
    await call("POST", "boards/more/posts", { postId: "c", title: "Third", userEmail: "x@y.io" });
    await change("b", { answer: "Yes." });
    const ids = async (query: string) => {
      const { data } = await call<{ data: TestPost[] }>("GET", `posts${query}`);
      return data.map(({ postId }) => postId);
    };
    assertEquals(await ids(""), ["c", "a", "b"]);
    assertEquals(await ids("?answered=false"), ["c", "a"]);
    assertEquals(await ids("?answered=true"), ["b"]);
    assertEquals(await ids("?boardId=more"), ["c"]);
    assertEquals(await outcomeOf(await send("GET", "posts?boardId=none")), "404 board_not_found");
  });

  it("refuses what it does not know", async () => {
    const { send, call, add } = await createBoardService();
    for (const one of ["a", "b"]) await add(one);
    const path = `${POSTS_PATH}?limit=1`;
    const { nextCursor } = await call<{ nextCursor: string }>("GET", path);
    await forEachRow([
      ["sort=top", "422 sort:invalid_value"],
      ["q=", "422 q:invalid_value"],
      [`q=${"a".repeat(101)}`, "422 q:too_long"],
      ["status=done", "422 status:invalid_value"],
      ["statu=open", "422 statu:unknown_field"],
      [`cursor=${nextCursor}&sort=new`, "422 cursor:invalid_value"],
    ], async ([query, expected]) => {
      assertEquals(await outcomeOf(await send("GET", `${POSTS_PATH}?${query}`)), expected);
    });
    assertEquals(await outcomeOf(await send("GET", "boards/none/posts")), "404 board_not_found");
  });
});

describe("similar posts", () => {
  it("are the public ones that share rare words, the closest first", async () => {
    const { add, change, call, send } = await createBoardService();
    await add("dark", { title: "Dark mode for the editor" });
    await add("night", { title: "A mode for the night", body: "Dark colours" });
    await add("csv", { title: "Export to CSV" });
    await add("gone", { title: "Dark mode" });
    const similar = async (q: string) => {
      const path = `${POSTS_PATH}/similar?q=${encodeURIComponent(q)}`;
      const { data } = await call<{ data: TestPost[] }>("GET", path);
      return data.map(({ postId }) => postId);
    };
    assertEquals((await similar("dark mode"))[0], "gone");
    await change("gone", { state: "hidden" });
    assertEquals(await similar("Please add a dark mode"), ["dark", "night"]);
    assertEquals(await similar("exporting csv"), ["csv"]);
    assertEquals(await similar("expo"), ["csv"]);
    await change("csv", { title: "Spreadsheets" });
    assertEquals(await similar("exporting csv"), []);
    assertEquals(
      await outcomeOf(await send("GET", `${POSTS_PATH}/similar`)),
      "422 q:required",
    );
  });
});
