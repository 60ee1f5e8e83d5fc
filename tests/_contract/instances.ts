import { assertEquals } from "@std/assert";
import type { Storage } from "../../adapters/storage.ts";
import type { ContractTests } from "./context.ts";
import { listKeys, macrotask, put, putAll, remove } from "./calls.ts";
import { COUNTERS, emptySample, minute, PEOPLE, sample, SAMPLES, TOKENS } from "./kinds.ts";

export function testInstances({ test, testReopened, testShared }: ContractTests): void {
  testReopened("nothing is lost over many openings with changes between", async (context) => {
    let { storage } = context;
    const samples = [sample("a"), emptySample("b")];
    await putAll(storage, SAMPLES, samples);
    for (let i = 0; i < 4; i++) {
      const ann = { email: "ann@example.com", name: `Ann ${i}`, active: true };
      const bob = { email: "bob@example.com", name: null, active: i % 2 === 0 };
      await put(storage, COUNTERS, { counterId: `k${i}`, value: i });
      await putAll(storage, PEOPLE, [ann, bob]);
      if (i > 1) await remove(storage, COUNTERS, `k${i - 2}`);
      storage = await context.reopen();
      assertEquals(await storage.list(SAMPLES, { limit: 9 }), samples);
      assertEquals(await listKeys(storage, COUNTERS), i > 0 ? [`k${i - 1}`, `k${i}`] : ["k0"]);
      const active = await storage.list(PEOPLE, { index: "active", limit: 9 });
      assertEquals(active, bob.active ? [ann, bob] : [ann]);
    }
  });

  testShared("a change is seen through another instance", async ({ storage, another }) => {
    const other = await another();
    const seen = async (reader: Storage) => [
      await reader.get(SAMPLES, "a"),
      await reader.list(SAMPLES, { limit: 9 }),
      await reader.list(SAMPLES, { index: "done", limit: 9 }),
    ];
    for (const [writer, reader] of [[storage, other], [other, storage]]) {
      // Reads the absent records first, so that a cache knows of their absence.
      assertEquals(await seen(reader), [undefined, [], []]);
      for (const record of [sample("a"), sample("a", { doneAt: minute(4) })]) {
        await put(writer, SAMPLES, record);
        assertEquals(await seen(reader), [record, [record], [record]]);
      }
      await remove(writer, SAMPLES, "a");
      assertEquals(await seen(reader), [undefined, [], []]);
    }
  });

  testShared("a transaction never decides by a late read", async ({ storage, another }) => {
    const other = await another();
    for (let uses = 1; uses <= 10; uses++) {
      await other.get(TOKENS, "a");
      await put(storage, TOKENS, { tokenId: "a", uses, dueAt: minute(uses) });
      const refs = { token: { kind: TOKENS, key: "a" } };
      assertEquals(await other.transact(refs, ({ token }) => ({ answer: token?.uses })), uses);
    }
  });

  testShared("a late read is not later than its kind allows", async ({ storage, another }) => {
    const other = await another();
    const seen = async () => [
      await other.get(TOKENS, "a"),
      ...await other.list(TOKENS, { limit: 9 }),
      ...await other.list(TOKENS, { index: "byDue", limit: 9 }),
    ];
    for (const token of [{ tokenId: "a", uses: 1, dueAt: minute(1) }, undefined]) {
      await seen();
      if (token === undefined) await remove(storage, TOKENS, "a");
      else await put(storage, TOKENS, token);
      const end = performance.now() + TOKENS.staleMs;
      // These reads must not prolong the life of cached results.
      while (performance.now() <= end) await Promise.all([seen(), macrotask(5)]);
      assertEquals(await seen(), token === undefined ? [undefined] : [token, token, token]);
    }
  });

  test("no read is late after a change through the same instance", async ({ storage }) => {
    for (let uses = 1; uses <= 10; uses++) {
      const before = storage.get(TOKENS, "a");
      const token = { tokenId: "a", uses, dueAt: minute(uses) };
      await put(storage, TOKENS, token);
      assertEquals(await storage.get(TOKENS, "a"), token);
      assertEquals(await storage.list(TOKENS, { index: "byDue", limit: 9 }), [token]);
      await before;
      assertEquals(await storage.get(TOKENS, "a"), token);
    }
    await remove(storage, TOKENS, "a");
    assertEquals(await storage.get(TOKENS, "a"), undefined);
  });
}
