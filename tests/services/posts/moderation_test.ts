import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Scope } from "../../../model/keys/api_key.ts";
import { REPORTS } from "../../../model/kinds.ts";
import { PEOPLE } from "../../../model/posts/records.ts";
import { createPost } from "../../../services/posts/create.ts";
import { addReport, MAX_REPORTS, MAX_REPORTS_OF_POST } from "../../../services/posts/reports.ts";
import { type BoardService, createBoardService, POSTS_PATH } from "../../_support/boards.ts";
import { minute } from "../../_support/samples.ts";
import { START } from "../../_support/service.ts";
import { createWebhookService } from "../../_support/webhooks.ts";

const DAY_MS = 24 * 3_600_000;

/** Posts an idea as a person whose address is confirmed. */
async function submit(
  { storage }: Pick<BoardService, "storage">,
  postId: string,
  userEmail = "ann@example.com",
  at = START,
): Promise<string> {
  const post = await createPost(storage, {
    ...{ boardId: "ideas", postId, title: `Secret ${postId}`, body: "Zebra", source: "form" },
    ...{ keyId: null, at, author: { userEmail, userName: null, notify: false } },
  });
  return typeof post === "string" ? post : post.state;
}

describe("a held post", () => {
  it("is in no list, search, webhook or answer before it is approved", async () => {
    const hooks = createWebhookService();
    await hooks.create();
    const service = {
      ...await createBoardService({ storage: hooks.storage }),
      deliver: hooks.deliver,
    };
    const { idsOf, change, createKey, send } = service;
    assertEquals(await submit(service, "dark"), "held");
    const key = await createKey(["posts:read", "posts:write"]);
    for (
      const path of ["", "?q=zebra", "?sort=new", "?status=open", "/similar?q=secret", "/dark"]
    ) {
      const text = await (await send("GET", `${POSTS_PATH}${path}`, { key })).text();
      assert(!text.includes("Secret"), path);
    }
    assert(!(await (await send("GET", "posts", { key })).text()).includes("Secret"));
    const waits = (await service.deliver()).map(({ message: { type, data } }) => ({ type, data }));
    assertEquals(waits, [{ type: "post.held", data: { postId: "dark", boardId: "ideas" } }]);
    assertEquals(await idsOf("&state=held"), ["dark"]);
    await change("dark", { title: "Dark mode" });
    assertEquals((await service.deliver()).length, 0);
    await change("dark", { state: "public" });
    assertEquals(await idsOf(), ["dark"]);
    const [{ message }] = await service.deliver();
    assertEquals(message.type, "post.created");
    assert(!JSON.stringify(message).includes("@"));
    await send("DELETE", `${POSTS_PATH}/dark`);
    assertEquals((await service.deliver()).map(({ message }) => message.type), ["post.deleted"]);
  });

  it("lets its author's later ideas through once one was approved", async () => {
    const service = await createBoardService();
    for (const n of [1, 2, 3]) assertEquals(await submit(service, `p${n}`), "held");
    assertEquals(await submit(service, "p4", "ann+x@example.com"), "too_many_held");
    await service.change("p1", { status: "declined", answer: "No." });
    assertEquals(await submit(service, "p5"), "held");
    const approved = await service.change("p2", { state: "public" });
    assertEquals(approved.updatedAt, START);
    assertEquals(await submit(service, "p6"), "public");
    const person = await service.storage.get(PEOPLE, "ann@example.com");
    assertEquals([person?.isApproved, person?.heldIdeas], [true, 2]);
  });

  it("is hidden where it is declined, and tells no webhook", async () => {
    const hooks = createWebhookService();
    await hooks.create();
    const service = await createBoardService({ storage: hooks.storage });
    await submit(service, "dark");
    await hooks.deliver();
    const declined = await service.change("dark", { status: "declined", answer: "Not for us." });
    assertEquals([declined.status, declined.state], ["declined", "hidden"]);
    assertEquals((await hooks.deliver()).length, 0);
  });

  it("waits on each board as its moderation says", async () => {
    const service = await createBoardService();
    await service.call("PATCH", "boards/ideas", { moderation: "none" });
    assertEquals(await submit(service, "a"), "public");
    await service.call("PATCH", "boards/ideas", { moderation: "first" });
    assertEquals(await submit(service, "b"), "held");
    await service.change("b", { state: "public" });
    await service.call("PATCH", "boards/ideas", { moderation: "all" });
    assertEquals(await submit(service, "c"), "held");
  });
});

describe("an idea by a form", () => {
  it("is dropped beyond ten of its mailbox in a day, whatever plus tags it has", async () => {
    const service = await createBoardService();
    await service.call("PATCH", "boards/ideas", { moderation: "none" });
    for (let n = 0; n < 12; n++) {
      const state = await submit(service, `p${n}`, `ann+${n}@example.com`);
      assertEquals(state, n < 10 ? "public" : "too_many_today");
    }
    assertEquals(await submit(service, "other", "ben@example.com"), "public");
    await service.add("api", { userEmail: "ann@example.com" });
    assertEquals(await submit(service, "later", "ann@example.com", minute(24 * 60)), "public");
  });
});

describe("a public post", () => {
  it("takes its author's approval back when it is held again or hidden, but not declined", async () => {
    const hooks = createWebhookService();
    await hooks.create();
    const service = await createBoardService({ storage: hooks.storage });
    await submit(service, "p1");
    for (const [at, state] of ["held", "hidden"].entries()) {
      await service.change("p1", { state: "public" });
      assertEquals(await submit(service, `public${at}`), "public");
      await service.change(`public${at}`, { status: "declined", answer: "No." });
      await hooks.deliver();
      assertEquals((await service.change("p1", { state })).state, state);
      assertEquals((await hooks.deliver()).map(({ message }) => message.type), ["post.deleted"]);
      assertEquals(await submit(service, `held${at}`), "held");
    }
    const person = await service.storage.get(PEOPLE, "ann@example.com");
    assertEquals([person?.isApproved, person?.heldIdeas], [false, 2]);
  });

  it("can't be held where an entry ships it, or where it was merged or hidden", async () => {
    const service = await createBoardService();
    for (const postId of ["target", "merged", "shipped", "hidden"]) await service.add(postId);
    await service.call("POST", `${POSTS_PATH}/merged/merge`, { into: "target" });
    await service.call("POST", "changelogs/entries", { title: "E", body: "", posts: "shipped" });
    await service.change("hidden", { state: "hidden" });
    for (const postId of ["merged", "shipped", "hidden"]) {
      const response = await service.send("PATCH", `${POSTS_PATH}/${postId}`, {
        json: { state: "held" },
      });
      const { errors } = await response.json();
      assertEquals([response.status, errors[0].field], [422, "state"], postId);
    }
  });
});

describe("a report", () => {
  it("is kept for the team, the first 20 of a post, and hides nothing", async () => {
    const hooks = createWebhookService();
    await hooks.create({ types: "post.reported" });
    const { storage, add, call, idsOf } = await createBoardService({ storage: hooks.storage });
    await add("dark");
    const report = (n: number) =>
      addReport(storage, {
        boardId: "ideas",
        postId: "dark",
        reason: `Reason ${n}`,
        at: minute(n),
      });
    for (let n = 0; n < MAX_REPORTS_OF_POST + 2; n++) assertEquals(await report(n), true);
    type Page = { data: { reason: string }[]; nextCursor: string | null };
    const first = await call<Page>("GET", `${POSTS_PATH}/dark/reports?limit=15`);
    const rest = await call<Page>(
      "GET",
      `${POSTS_PATH}/dark/reports?limit=15&cursor=${first.nextCursor}`,
    );
    const reasons = [...first.data, ...rest.data].map(({ reason }) => reason);
    assertEquals(reasons.length, MAX_REPORTS_OF_POST);
    assertEquals([reasons[0], reasons.at(-1)], ["Reason 19", "Reason 0"]);
    const told = (await hooks.deliver()).map(({ message }) => JSON.stringify(message.data));
    const numbers = Array.from({ length: MAX_REPORTS_OF_POST }, (_, n) => n + 1);
    const data = numbers.map((reports) => ({ postId: "dark", boardId: "ideas", reports }));
    assertEquals(told.sort(), data.map((one) => JSON.stringify(one)).sort());
    assertEquals(await idsOf(), ["dark"]);
  });

  it("lists its post for the team until it was dealt with, and then counts anew", async () => {
    const service = await createBoardService();
    const { storage, add, call, change, send, createKey } = service;
    for (const postId of ["dark", "night", "calm"]) await add(postId);
    await service.vote("night", "ann@example.com");
    const report = (postId: string, at: string) =>
      addReport(storage, { boardId: "ideas", postId, reason: "Rude", at });
    for (const postId of ["dark", "night"]) {
      for (let n = 0; n < MAX_REPORTS_OF_POST; n++) await report(postId, START);
    }
    type Page = { data: { postId: string }[]; nextCursor: string | null };
    const ids = async (query = "") =>
      (await call<Page>("GET", `posts?reported=true${query}`)).data.map(({ postId }) => postId);
    const reported = async () =>
      (await call<{ posts: { reported: number } }>("GET", "stats")).posts.reported;
    assertEquals(await ids(), ["night", "dark"]);
    assertEquals(await ids("&q=dark&boardId=ideas"), ["dark"]);
    const first = await call<Page>("GET", "posts?reported=true&limit=1");
    assertEquals(await ids(`&limit=1&cursor=${first.nextCursor}`), ["dark"]);
    assertEquals(await reported(), 2);
    const path = `${POSTS_PATH}/night/reports`;
    assertEquals((await send("DELETE", path)).status, 204);
    assertEquals((await send("DELETE", path)).status, 204);
    assertEquals([await ids(), await reported()], [["dark"], 1]);
    assertEquals((await call<Page>("GET", path)).data, []);
    await report("night", START);
    assertEquals((await call<Page>("GET", path)).data.length, 1);
    await change("dark", { state: "hidden" });
    assertEquals([await ids(), await ids("&state=hidden")], [["night"], ["dark"]]);
    service.advance(91 * DAY_MS);
    assertEquals([await ids(), await reported()], [[], 0]);
    assertEquals((await call<Page>("GET", path)).data, []);
    for (const scopes of [["posts:read", "posts:publish"], ["posts:read", "subscriptions:read"]]) {
      const key = await createKey(scopes as Scope[]);
      assertEquals((await send("GET", "posts?reported=true", { key })).status, 403);
    }
  });

  it("can't be made of a post that is not public, and goes with its post", async () => {
    const { storage, add, change, send } = await createBoardService();
    const report = { boardId: "ideas", postId: "dark", reason: "Spam", at: START };
    assertEquals(await addReport(storage, report), false);
    await add("dark");
    assertEquals(await addReport(storage, report), true);
    await change("dark", { state: "hidden" });
    assertEquals(await addReport(storage, report), false);
    await send("DELETE", `${POSTS_PATH}/dark`);
    assertEquals(await storage.list(REPORTS, { limit: 1 }), []);
  });

  it("is dropped where there are 1,000, as the first ones stay", async () => {
    const { storage, add } = await createBoardService();
    for (let n = 0; n < MAX_REPORTS + 5; n++) {
      if (n % MAX_REPORTS_OF_POST === 0) await add(`p${n}`);
      const postId = `p${n - n % MAX_REPORTS_OF_POST}`;
      await addReport(storage, { boardId: "ideas", postId, reason: "Spam", at: minute(n) });
    }
    const kept = await storage.list(REPORTS, { index: "byExpiry", limit: MAX_REPORTS });
    const after = { by: kept.at(-1)!.expiresAt, key: kept.at(-1)!.reportId };
    assertEquals((await storage.list(REPORTS, { index: "byExpiry", after, limit: 9 })).length, 0);
    assertEquals([kept.length, kept[0].at], [MAX_REPORTS, minute(0)]);
  });

  it("is one of 20 of its post, although a hundred come at once", async () => {
    const { storage, add } = await createBoardService();
    await add("dark");
    const report = { boardId: "ideas", postId: "dark", reason: "Junk", at: minute(1) };
    await addReport(storage, { ...report, reason: "Honest", at: minute(0) });
    await Promise.all(Array.from({ length: 100 }, () => addReport(storage, report)));
    const kept = await storage.list(REPORTS, { index: "byPost", limit: 200 });
    assertEquals([kept.length, kept[0].reason], [MAX_REPORTS_OF_POST, "Honest"]);
  });
});
