import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Sql } from "postgres";
import { openDatabase } from "../adapters/_postgres/database.ts";
import { errorCode } from "../adapters/_postgres/errors.ts";
import { toStatement } from "../adapters/_postgres/statement.ts";
import { freePort } from "./_port.ts";
import { startHangingUp } from "./_postgres.ts";
import { turns } from "./_waiting.ts";

const OPTIONS = { timeoutMs: 100, idleTimeoutMs: 1_000, now: () => 0 };
const STATEMENT = toStatement("select $1::text, $2::text");

/** What the driver throws. */
function driverError(code: string): Error {
  return Object.assign(new Error("what was said"), { code });
}

describe("a statement", () => {
  for (const [text, found, place] of [["$2, $1", 2, 1], ["$1, $1", 1, 2], ["$1, $3", 3, 2]]) {
    it(`can't be made of ${text}, whose parameters are not in ascending order, each once`, () => {
      const message = `Cannot make a statement: $${found} stands where $${place} has to`;
      assertThrows(() => toStatement(`select ${text}`), RangeError, message);
    });
  }

  it("has the text around its parameters when these are in order", () => {
    const numbers = Array.from({ length: 11 }, (_, i) => i + 1);
    const statement = toStatement(numbers.map((number) => `a${number} = $${number}::text`).join());
    assertEquals([...statement], [
      "a1 = ",
      ...numbers.slice(1).map((number) => `::text,a${number} = `),
      "::text",
    ]);
  });
});

describe("a database that can't be reached", () => {
  it("is tried again after a tenth of a second, whoever calls meanwhile", async () => {
    let nowMs = 0;
    const url = `postgres://ann@127.0.0.1:${freePort()}/x`;
    const database = openDatabase(url, { ...OPTIONS, timeoutMs: 2_000, now: () => nowMs });
    const call = () => assertRejects(() => database.query(STATEMENT, ["a", "b"]), Error);
    // Each attempt has an error of its own.
    const first = await call();
    assertStrictEquals(await call(), first);
    nowMs = 99;
    assertStrictEquals(await call(), first);
    nowMs = 100;
    const second = await call();
    assert(second !== first);
    assertStrictEquals(await call(), second);
    await database.close();
  });

  it("is tried again on its first server, after a while, when none of several can be reached", async () => {
    await using first = startHangingUp();
    await using second = startHangingUp();
    const url = `postgres://ann@127.0.0.1:${first.port},127.0.0.1:${second.port}/x`;
    const now = () => performance.now();
    const database = openDatabase(url, { ...OPTIONS, timeoutMs: 10_000, now });
    await assertRejects(() => database.query(STATEMENT, ["a", "b"]), Error, "hung up");
    await database.close();
    assert(first.connections > 1, `${first.connections} connections`);
  });

  it("is tried once when it hangs up on whoever connects", async () => {
    await using server = startHangingUp();
    const database = openDatabase(`postgres://ann@127.0.0.1:${server.port}/x`, OPTIONS);
    await assertRejects(() => database.query(STATEMENT, ["a", "b"]), Error, "hung up");
    await database.close();
    assertEquals(server.connections, 1);
  });
});

describe("a transaction", () => {
  for (const kind of ["a URL", "the client of the caller"]) {
    it(`that the server ended because of a deadlock is repeated, however late, on ${kind}`, async () => {
      let nowMs = 0;
      let attempts = 0;
      const target = kind === "a URL" ? `postgres://ann@127.0.0.1:${freePort()}/x` : {} as Sql;
      const database = openDatabase(target, { ...OPTIONS, now: () => nowMs });
      const deadlocks = (count: number) =>
        database.withClient(() => {
          nowMs += 60_000;
          if (++attempts > count) return Promise.resolve("done");
          return Promise.reject(driverError("40P01"));
        });
      assertEquals(await deadlocks(2), "done");
      attempts = 0;
      const error = await assertRejects(() => deadlocks(Infinity));
      assertEquals([errorCode(error), attempts], ["40P01", 5]);
      await database.close();
    });
  }
});

describe("a statement on the client of the caller", () => {
  /** A client whose statements end as they are told to, the last way for all that follow. */
  function createSql(...ends: readonly (Error | "silent" | string)[]) {
    const sent: unknown[][] = [];
    let cancelled = 0;
    const sql = (strings: TemplateStringsArray, ...parameters: unknown[]) => {
      const end = ends[Math.min(sent.length, ends.length - 1)];
      sent.push([...strings, ...parameters]);
      const query = end === "silent"
        ? new Promise(() => {})
        : end instanceof Error
        ? Promise.reject(end)
        : Promise.resolve([[end]]);
      return { raw: () => Object.assign(query, { cancel: () => cancelled++ }) };
    };
    return { sql: sql as unknown as Sql, sent, cancelled: () => cancelled };
  }

  it("has its parameters apart from its text", async () => {
    const { sql, sent } = createSql("row");
    const database = openDatabase(sql, OPTIONS);
    assertEquals(await database.query(STATEMENT, ["a", "b"]), [["row"]] as never);
    assertEquals(sent, [["select ", "::text, ", "::text", "a", "b"]]);
    assertEquals([STATEMENT.raw, STATEMENT.length], [[...STATEMENT], 3]);
    await database.close();
  });

  it("is sent again while the server undoes it because of others, up to five times", async () => {
    const undone = driverError("40P01");
    const twice = createSql(undone, undone, "row");
    assertEquals(await openDatabase(twice.sql, OPTIONS).query(STATEMENT), [["row"]] as never);
    assertEquals(twice.sent.length, 3);
    const always = createSql(undone);
    const error = await assertRejects(() => openDatabase(always.sql, OPTIONS).query(STATEMENT));
    assertEquals([error, always.sent.length], [undone, 5]);
    const other = createSql(driverError("23505"));
    await assertRejects(() => openDatabase(other.sql, OPTIONS).query(STATEMENT));
    assertEquals(other.sent.length, 1);
  });

  it("is sent again after a while, not at once, while the server has no connection left", async () => {
    const crowded = createSql(driverError("53300"), "row");
    const answer = openDatabase(crowded.sql, OPTIONS).query(STATEMENT);
    await turns();
    assertEquals(crowded.sent.length, 1);
    assertEquals(await answer, [["row"]] as never);
    assertEquals(crowded.sent.length, 2);
  });

  it("is cancelled when there is no answer half a second after its time", async () => {
    const { sql, cancelled } = createSql("silent");
    const started = performance.now();
    const error = await assertRejects(() => openDatabase(sql, OPTIONS).query(STATEMENT), Error);
    const tookMs = performance.now() - started;
    assertEquals([errorCode(error), cancelled()], ["STATEMENT_TIMEOUT", 1]);
    assertEquals(tookMs >= 590 && tookMs < 5_000, true, `${tookMs} ms`);
  });

  it("is not cancelled, and leaves no timer, when it was answered in time", async () => {
    const { clearTimeout } = globalThis;
    let cleared = 0;
    globalThis.clearTimeout = (timer) => (cleared++, clearTimeout(timer));
    try {
      const { sql, cancelled } = createSql("row");
      await openDatabase(sql, OPTIONS).query(STATEMENT);
      assertEquals([cleared, cancelled()], [1, 0]);
    } finally {
      globalThis.clearTimeout = clearTimeout;
    }
  });
});
