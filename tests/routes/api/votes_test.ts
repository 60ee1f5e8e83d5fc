import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createBoardService, POSTS_PATH } from "../../_support/boards.ts";
import { forEachRow } from "../../_support/rows.ts";
import { outcomeOf, START } from "../../_support/service.ts";

const DAY_MS = 24 * 3_600_000;
const VOTES_PATH = `${POSTS_PATH}/dark/votes`;

describe("PUT of a vote", () => {
  it("counts a mailbox once, and says what it changed", async () => {
    const { add, vote } = await createBoardService();
    await add("dark");
    const first = await vote("dark", "Ann@Example.com");
    assertEquals(first, {
      postId: "dark",
      userEmail: "ann@example.com",
      vote: true,
      notify: false,
      changed: true,
      votes: 1,
    });
    assertEquals((await vote("dark", "ann+news@example.com")).changed, false);
    const asked = await vote("dark", "ann@example.com", { notify: true, why: "At night" });
    assertEquals([asked.notify, asked.changed, asked.votes], [true, true, 1]);
    const withdrawn = await vote("dark", "ann@example.com", { vote: false });
    assertEquals([withdrawn.vote, withdrawn.notify, withdrawn.votes], [false, false, 0]);
    assertEquals((await vote("dark", "ann@example.com", { vote: false })).changed, false);
    assertEquals((await vote("dark", "ann@example.com")).notify, false);
  });

  it("takes a form as the documented PUT does, and refuses what can't be", async () => {
    const { add, send, change } = await createBoardService();
    await add("dark");
    const form = { userEmail: "ann@example.com", userName: "", vote: "True", why: "" };
    assertEquals((await send("PUT", VOTES_PATH, { form })).status, 200);
    const userEmail = "ann@example.com";
    await forEachRow([
      [{}, "422 userEmail:required vote:required"],
      [{ userEmail: "ann@b", vote: true }, "422 userEmail:invalid_email"],
      [{ userEmail, vote: "yes" }, "422 vote:invalid_value"],
      [{ userEmail, vote: false, notify: true }, "422 notify:invalid_value"],
      [{ userEmail, vote: true, why: "x".repeat(501) }, "422 why:too_long"],
      [{ userEmail, vote: true, name: "Ann" }, "422 name:unknown_field"],
    ], async ([json, expected]) => {
      assertEquals(await outcomeOf(await send("PUT", VOTES_PATH, { json })), expected);
    });
    const json = { userEmail: "ben@example.com", vote: true };
    await change("dark", { status: "shipped" });
    assertEquals(await outcomeOf(await send("PUT", VOTES_PATH, { json })), "409 post_closed");
    await change("dark", { status: "open", state: "hidden" });
    assertEquals(await outcomeOf(await send("PUT", VOTES_PATH, { json })), "409 post_closed");
    for (const rest of [{ vote: false }, { vote: false, userEmail: "cem@example.com" }]) {
      const sent = { json: { userEmail, ...rest } };
      assertEquals((await send("PUT", VOTES_PATH, sent)).status, 200);
    }
    const none = await send("PUT", `${POSTS_PATH}/none/votes`, { json });
    assertEquals(await outcomeOf(none), "404 post_not_found");
    const elsewhere = await send("PUT", "boards/none/posts/dark/votes", { json });
    assertEquals(await outcomeOf(elsewhere), "404 board_not_found");
  });

  it("needs posts:write, which reads no voters", async () => {
    const { add, vote, send, createKey } = await createBoardService();
    await add("dark");
    await vote("dark", "ann@example.com", { why: "At night" });
    const writer = await createKey(["posts:write", "posts:read"]);
    const json = { userEmail: "ben@example.com", vote: true };
    assertEquals((await send("PUT", VOTES_PATH, { key: writer, json })).status, 200);
    for (const path of [VOTES_PATH, `${VOTES_PATH}/summary`]) {
      const refused = await send("GET", path, { key: writer });
      assertEquals(await outcomeOf(refused), "403 insufficient_scope");
    }
    const reader = await createKey(["posts:read"]);
    const refused = await send("PUT", VOTES_PATH, { key: reader, json });
    assertEquals(await outcomeOf(refused), "403 insufficient_scope");
    const list = await (await send("GET", POSTS_PATH, { key: reader })).text();
    assert(!list.includes("@"), list);
  });
});

describe("the votes of a post", () => {
  it("are listed with what the voters said, in pages, NDJSON and CSV", async () => {
    const { add, vote, call, send } = await createBoardService();
    await add("dark", { userEmail: "ann+x@example.com", userName: "Ann", notify: true });
    await add("other", { userEmail: "zoe@example.com" });
    await vote("dark", "ben@example.com", { why: "=1+1" });
    await vote("dark", "cem@b.io");
    type Page = { data: Record<string, unknown>[]; nextCursor: string | null };
    const found: Record<string, unknown>[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Page = await call<Page>(
        "GET",
        `${VOTES_PATH}?limit=2${cursor && `&cursor=${cursor}`}`,
      );
      found.push(...page.data);
      cursor = page.nextCursor;
    }
    const byEmail = Object.fromEntries(found.map((vote) => [vote.userEmail, vote]));
    assertEquals(Object.keys(byEmail).sort(), ["ann+x@example.com", "ben@example.com", "cem@b.io"]);
    assertEquals(byEmail["ann+x@example.com"], {
      postId: "dark",
      userEmail: "ann+x@example.com",
      userName: "Ann",
      notify: true,
      notifyAt: START,
      why: null,
      source: "api",
      addedBy: "operator",
      at: START,
      own: true,
      via: [],
      asks: [{ via: null, at: START, source: "api" }],
      isAuthor: true,
      counts: true,
    });
    const lines = await send("GET", VOTES_PATH, { headers: { accept: "application/x-ndjson" } });
    const all = (await lines.text()).trim().split("\n").map((line) => JSON.parse(line));
    assertEquals(all.map(({ userEmail }) => userEmail).sort(), Object.keys(byEmail).sort());
    const table = await send("GET", VOTES_PATH, { headers: { accept: "text/csv" } });
    const rows = (await table.text()).trim().split("\n");
    assertEquals(rows.length, 4);
    assert(
      rows.includes(`dark,ben@example.com,,false,,'=1+1,api,operator,${START},true,,false,true`),
      `${rows}`,
    );
  });

  it("are counted for each of the last 28 days, in the time zone of the pages", async () => {
    // The tests start at 10:00 UTC, which is midnight there.
    const service = await createBoardService({ timeZone: "Pacific/Kiritimati" });
    const { add, vote, call, advance } = service;
    advance(-28 * DAY_MS);
    await add("dark", { userEmail: "ann@example.com" });
    advance(28 * DAY_MS - 1);
    await vote("dark", "ben@example.com");
    advance(1);
    await vote("dark", "cem@b.io");
    await vote("dark", "dan@b.io");
    const { byDay } = await call<{ byDay: { day: string; votes: number }[] }>(
      "GET",
      `${VOTES_PATH}/summary`,
    );
    assertEquals([byDay.length, byDay[0], ...byDay.slice(-2)], [
      28,
      { day: "2026-10-26", votes: 0 },
      { day: "2026-11-21", votes: 1 },
      { day: "2026-11-22", votes: 2 },
    ]);
  });

  it("are summed up by source and domain", async () => {
    const { add, vote, call, advance } = await createBoardService();
    await add("dark");
    await vote("dark", "ann@example.com");
    advance(1_000);
    await vote("dark", "ben@example.com");
    await vote("dark", "cem@b.io");
    const later = "2026-11-21T10:00:01.000Z";
    const { byDay: _, ...summary } = await call("GET", `${VOTES_PATH}/summary`);
    assertEquals(summary, {
      bySource: { api: 3, form: 0, import: 0 },
      byDomain: [
        { domain: "example.com", votes: 2, firstAt: START, lastAt: later, aside: false },
        { domain: "b.io", votes: 1, firstAt: later, lastAt: later, aside: false },
      ],
    });
  });
});
