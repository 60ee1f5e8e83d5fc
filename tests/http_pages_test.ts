import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { sampleBoard, sampleChange } from "./_contract/samples.ts";
import {
  assertProblem,
  assertRefused,
  createService,
  readJson,
  type TestService,
} from "./_service.ts";

const SUBSCRIBERS = "/api/v1/changelogs/subscribers";
const LISTS = ["/api/v1/boards", SUBSCRIBERS, "/api/v1/keys"];

interface Page {
  readonly data: readonly Record<string, unknown>[];
  readonly nextCursor: string | null;
}

async function readPage(response: Response): Promise<Page> {
  const { data, nextCursor, ...rest } = await readJson<Page>(response);
  assert(Array.isArray(data) && (nextCursor === null || typeof nextCursor === "string"));
  assertEquals(rest, {});
  return { data, nextCursor };
}

/** A service with boards b00, b01, … */
async function withBoards(count: number): Promise<TestService> {
  const service = createService();
  for (let i = 0; i < count; i++) await addBoard(service, `b${`${i}`.padStart(2, "0")}`);
  return service;
}

async function addBoard({ storage }: TestService, boardId: string): Promise<void> {
  await storage.boards.create(sampleBoard(boardId));
}

async function idsOf(service: TestService, query: string) {
  const { data, nextCursor } = await readPage(await service.send("GET", `/api/v1/boards?${query}`));
  return { ids: data.map(({ boardId }) => boardId), nextCursor };
}

describe("pages", () => {
  for (const path of LISTS) {
    it(`a page is empty, and the last, when there is nothing at ${path}`, async () => {
      const page = await readPage(await createService().send("GET", path));
      assertEquals(page, { data: [], nextCursor: null });
    });

    for (
      const limit of ["0", "101", "-1", "1.5", "x", "", "1e1", "0x10", " 5", "5 ", "9".repeat(30)]
    ) {
      it(`a page is 422 when limit is "${limit}" at ${path}`, async () => {
        const response = await createService().send(
          "GET",
          `${path}?limit=${encodeURIComponent(limit)}`,
        );
        await assertRefused(response, { limit: "invalid_value" });
      });
    }

    for (const cursor of ["", "!", "YQ==", "YR", "/w", "_w", "AA", "é", "a".repeat(2_000), "a b"]) {
      it(`a page is 422 when cursor is "${cursor.slice(0, 9)}" at ${path}`, async () => {
        const response = await createService().send(
          "GET",
          `${path}?cursor=${encodeURIComponent(cursor)}`,
        );
        await assertRefused(response, { cursor: "invalid_value" });
      });
    }

    it(`pages of one entry follow each other to the last one at ${path}`, async () => {
      const service = createService();
      for (const name of ["a", "b", "c"]) {
        await addBoard(service, name);
        await service.createKey(["*"]);
        await service.storage.subscriptions.put(sampleChange(`${name}@example.com`));
      }
      const whole = await readPage(await service.send("GET", path));
      assertEquals([whole.data.length, whole.nextCursor], [3, null]);
      const seen: Record<string, unknown>[] = [];
      let query = "?limit=1";
      for (let page = 0; page < 3; page++) {
        const { data, nextCursor } = await readPage(await service.send("GET", path + query));
        seen.push(...data);
        query = `?limit=1&cursor=${nextCursor}`;
      }
      assertEquals([seen, query], [[...whole.data], "?limit=1&cursor=null"]);
    });
  }

  for (const [query, length] of [["", 25], ["limit=1", 1], ["limit=100", 100], ["x=1&y&x=2", 25]]) {
    it(`a page has ${length} entries when the query is "${query}"`, async () => {
      const { ids, nextCursor } = await idsOf(await withBoards(101), `${query}`);
      assertEquals([ids.length, ids[0]], [length, "b00"]);
      assertMatch(nextCursor ?? "", /^[A-Za-z0-9_-]+$/);
    });
  }

  it("a cursor can stand in a query as it is, whatever the key", async () => {
    const service = createService();
    for (const boardId of ["aa~", "ab"]) await addBoard(service, boardId);
    for (const userEmail of ["aa?@x.yz", "ab@x.yz"]) {
      await service.storage.subscriptions.put(sampleChange(userEmail));
    }
    for (const path of ["/api/v1/boards", SUBSCRIBERS]) {
      const { nextCursor } = await readPage(await service.send("GET", `${path}?limit=1`));
      assertMatch(nextCursor ?? "", /^[A-Za-z0-9_-]+$/);
      const last = await readPage(await service.send("GET", `${path}?cursor=${nextCursor}`));
      assertEquals(last.data.length, 1);
    }
  });

  it("a page is the last when it holds exactly what is left", async () => {
    const service = await withBoards(4);
    const first = await idsOf(service, "limit=2");
    assertEquals(await idsOf(service, `limit=2&cursor=${first.nextCursor}`), {
      ids: ["b02", "b03"],
      nextCursor: null,
    });
  });

  it("pages neither skip nor repeat when entries come and go between them", async () => {
    const service = await withBoards(6);
    const first = await idsOf(service, "limit=3");
    assertEquals(first.ids, ["b00", "b01", "b02"]);
    await service.send("DELETE", "/api/v1/boards/b00");
    await service.send("DELETE", "/api/v1/boards/b02");
    await addBoard(service, "a");
    await addBoard(service, "b025");
    const second = await idsOf(service, `limit=3&cursor=${first.nextCursor}`);
    assertEquals(second.ids, ["b025", "b03", "b04"]);
    const third = await idsOf(service, `limit=3&cursor=${second.nextCursor}`);
    assertEquals(third, { ids: ["b05"], nextCursor: null });
  });

  it("every bad parameter is named at once", async () => {
    const query = "limit=0&cursor=!&subscribed=maybe";
    const response = await createService().send("GET", `${SUBSCRIBERS}?${query}`);
    await assertRefused(response, {
      limit: "invalid_value",
      cursor: "invalid_value",
      subscribed: "invalid_value",
    });
  });

  for (const query of ["limit=%", "limit=%zz", "cursor=%ff", "limit=1&limit=1", "x=%"]) {
    it(`a page is 400 malformed_path when the query is ${query}`, async () => {
      const response = await createService().send("GET", `/api/v1/boards?${query}`);
      await assertProblem(response, 400, "malformed_path");
    });
  }
});

describe("listing subscribers", () => {
  async function withSubscribers(): Promise<TestService> {
    const service = createService();
    for (const [userEmail, subscribe] of [["c@x.yz", true], ["a@x.yz", false], ["b@x.yz", true]]) {
      await service.send("PUT", "/api/v1/changelogs/subscribe", { json: { userEmail, subscribe } });
    }
    return service;
  }

  for (
    const [query, expected] of [
      ["", ["a@x.yz", "b@x.yz", "c@x.yz"]],
      ["?subscribed=true", ["b@x.yz", "c@x.yz"]],
      ["?subscribed=True", ["b@x.yz", "c@x.yz"]],
      ["?subscribed=false", ["a@x.yz"]],
    ] as const
  ) {
    it(`subscribers are listed in order of address when the query is "${query}"`, async () => {
      const { send } = await withSubscribers();
      const { data } = await readPage(await send("GET", SUBSCRIBERS + query));
      assertEquals(data.map(({ userEmail }) => userEmail), expected);
      const first = await send("GET", `${SUBSCRIBERS}/${expected[0]}`);
      assertEquals(data[0], await first.json());
    });
  }

  it("pages of one state are walked by cursor", async () => {
    const { send } = await withSubscribers();
    const first = await readPage(await send("GET", `${SUBSCRIBERS}?subscribed=true&limit=1`));
    const path = `${SUBSCRIBERS}?subscribed=true&limit=1&cursor=${first.nextCursor}`;
    const second = await readPage(await send("GET", path));
    assertEquals([first.data[0].userEmail, second.data[0].userEmail, second.nextCursor], [
      "b@x.yz",
      "c@x.yz",
      null,
    ]);
  });

  it("a state is 422 when it is neither true nor false", async () => {
    const { send } = createService();
    for (const state of ["", "1", "null"]) {
      const response = await send("GET", `${SUBSCRIBERS}?subscribed=${state}`);
      await assertRefused(response, { subscribed: "invalid_value" });
    }
  });
});
