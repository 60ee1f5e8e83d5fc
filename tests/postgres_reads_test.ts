import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Client } from "../adapters/_postgres/client.ts";
import { createReads } from "../adapters/_postgres/reads.ts";
import { createStatements, type Row } from "../adapters/_postgres/statements.ts";
import { StorageError } from "../adapters/storage.ts";
import { API_KEYS } from "../model/kinds.ts";
import { turns } from "./_waiting.ts";

const CALL = { isOver: () => false };

/** Reads whose clock and answers are those of the test. */
function createStage() {
  let nowMs = 1_000;
  let waiting: ((rows: readonly Row[]) => void)[] = [];
  const client: Client = {
    use: (operation) => operation(() => new Promise((resolve) => waiting.push(resolve))),
    close: () => Promise.resolve(),
  };
  const statements = createStatements(API_KEYS, "boardcast");
  const reads = createReads(client, API_KEYS, { statements, timeoutMs: 1_500, now: () => nowMs });
  return {
    reads,
    get: (key: string) => reads.get(key, CALL),
    pass: (ms: number) => void (nowMs += ms),
    /** Answers the statements that were sent, once there are any; returns how many there were. */
    async answer(name: string): Promise<number> {
      await turns();
      const asked = waiting;
      waiting = [];
      for (const resolve of asked) resolve([{ keyId: "k", name }]);
      return asked.length;
    },
  };
}

describe("postgres reads of a kind that may be read late", () => {
  it("are remembered for as long as the kind allows, from when the read began", async () => {
    const { get, pass, answer } = createStage();
    const first = get("k");
    await answer("first");
    assertEquals((await first)?.name, "first");
    pass(499);
    assertEquals((await get("k"))?.name, "first");
    pass(1);
    const second = get("k");
    await turns();
    pass(300);
    assertEquals(await answer("second"), 1);
    assertEquals((await second)?.name, "second");
    pass(199);
    assertEquals((await get("k"))?.name, "second");
    pass(1);
    const third = get("k");
    assertEquals(await answer("third"), 1);
    assertEquals((await third)?.name, "third");
  });

  it("are forgotten by a change, also where they began before it", async () => {
    const { reads, get, answer } = createStage();
    const first = get("k");
    await answer("first");
    await first;
    reads.forget();
    const second = get("k");
    await turns();
    reads.forget();
    assertEquals(await answer("second"), 1);
    assertEquals((await second)?.name, "second");
    const third = get("k");
    assertEquals(await answer("third"), 1);
    assertEquals((await third)?.name, "third");
  });

  it("are refused when the answer came more than a second after they began", async () => {
    const { get, pass, answer } = createStage();
    const late = get("k");
    await turns();
    pass(1_001);
    await answer("revoked since");
    await assertRejects(() => late, StorageError, "takes too long");
    const next = get("k");
    assertEquals(await answer("next"), 1);
    assertEquals((await next)?.name, "next");
  });

  it("of a key that is not there are never remembered", async () => {
    const { get, answer } = createStage();
    for (let i = 0; i < 2; i++) {
      const missing = get("other");
      assertEquals(await answer("k"), 1);
      assertEquals(await missing, undefined);
    }
  });
});
