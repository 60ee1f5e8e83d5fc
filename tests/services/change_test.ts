import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../adapters/memory.ts";
import { MAX_REFS, type Refs, type Storage } from "../../adapters/storage.ts";
import { all, change } from "../../services/change.ts";
import { COUNTERS, sample, SAMPLES, TOKENS } from "../_contract/kinds.ts";
import { listKeys, put } from "../_contract/calls.ts";

/** Returns storage in which somebody else changes a counter before each decision. */
function withRival(storage: Storage): { storage: Storage; runs: () => number } {
  let runs = 0;
  return {
    runs: () => runs,
    storage: {
      ...storage,
      async transact(first, decide) {
        let refs: Refs = first;
        for (;;) {
          if (++runs < 4) await put(storage, COUNTERS, { counterId: "a", value: runs });
          const decided = await storage.transact<Refs, unknown>(refs, (found) => {
            const decision = decide(found as never);
            return "read" in decision ? { answer: decision } : decision as never;
          });
          if (!Object.hasOwn(Object(decided), "read")) return decided as never;
          refs = { ...refs, ...(decided as { readonly read: Refs }).read };
        }
      },
    },
  };
}

describe("change", () => {
  it("reads records that others name, and stores, removes and creates", async () => {
    const storage = openMemoryStorage();
    await put(storage, SAMPLES, sample("s", { note: "c" }));
    await put(storage, COUNTERS, { counterId: "c", value: 1 });
    const value = await change(storage, function* ({ read, put, remove, create }) {
      const found = yield* read(SAMPLES, "s");
      const counter = yield* read(COUNTERS, `${found?.note}`);
      put(COUNTERS, { counterId: "c", value: counter!.value + 1 });
      remove(SAMPLES, "s");
      create(COUNTERS, { counterId: "new", value: 0 });
      return (yield* read(COUNTERS, "c"))?.value;
    });
    assertEquals(value, 2);
    assertEquals(await listKeys(storage, SAMPLES), []);
    assertEquals(await storage.list(COUNTERS, { limit: 9 }), [
      { counterId: "c", value: 2 },
      { counterId: "new", value: 0 },
    ]);
  });

  it("keeps the last of several changes of a record", async () => {
    const storage = openMemoryStorage();
    await change(storage, function* ({ read, put, remove }) {
      yield* all(read(COUNTERS, "a"), read(COUNTERS, "b"));
      put(COUNTERS, { counterId: "a", value: 1 });
      put(COUNTERS, { counterId: "b", value: 1 });
      remove(COUNTERS, "a");
      assertEquals(yield* read(COUNTERS, "a"), undefined);
      remove(COUNTERS, "b");
      put(COUNTERS, { counterId: "b", value: 2 });
    });
    assertEquals(await storage.list(COUNTERS, { limit: 9 }), [{ counterId: "b", value: 2 }]);
  });

  it("reads several things with one read of the storage, also one of them twice", async () => {
    const memory = openMemoryStorage();
    const { storage, runs } = withRival(memory);
    await put(memory, COUNTERS, { counterId: "b", value: 7 });
    const found = await change(storage, function* ({ read }) {
      const b = () => read(COUNTERS, "b");
      return yield* all(b(), read(TOKENS, "a"), b(), read(COUNTERS, null));
    });
    const b = { counterId: "b", value: 7 };
    assertEquals(found, [b, undefined, b, undefined]);
    assertEquals(runs(), 1);
  });

  it("begins anew when a record has changed between its reads", async () => {
    const { storage } = withRival(openMemoryStorage());
    const values = await change(storage, function* ({ read }) {
      const first = yield* read(COUNTERS, "a");
      yield* read(TOKENS, "a");
      const second = yield* read(COUNTERS, "a");
      return [first?.value, second?.value];
    });
    assertEquals(values, [2, 2]);
  });

  it("runs its steps once when nothing has changed between its reads", async () => {
    let runs = 0;
    await change(openMemoryStorage(), function* ({ read }) {
      runs++;
      yield* read(COUNTERS, "a");
      yield* read(COUNTERS, "b");
    });
    assertEquals(runs, 1);
  });

  it("asks again when it is called again without what it asked for", async () => {
    const memory = openMemoryStorage();
    const storage: Storage = {
      ...memory,
      transact: (refs, decide) =>
        memory.transact(refs, (found) => {
          decide(found);
          return decide(found);
        }),
    };
    await put(memory, COUNTERS, { counterId: "a", value: 1 });
    const value = await change(storage, function* ({ read }) {
      const first = yield* read(COUNTERS, "a");
      yield* read(COUNTERS, "b");
      return first?.value;
    });
    assertEquals(value, 1);
  });

  it("changes nothing when a step throws after a read", async () => {
    const storage = openMemoryStorage();
    const made = change(storage, function* ({ read, put }) {
      yield* read(COUNTERS, "a");
      put(COUNTERS, { counterId: "a", value: 1 });
      yield* read(COUNTERS, "b");
      throw new RangeError("No");
    });
    await assertRejects(() => made, RangeError, "No");
    assertEquals(await listKeys(storage, COUNTERS), []);
  });

  it("refuses to change a record that it has not read", async () => {
    const storage = openMemoryStorage();
    for (const way of ["put", "remove"]) {
      const made = change(storage, function* (tools) {
        yield* tools.read(COUNTERS, "a");
        if (way === "put") tools.put(COUNTERS, { counterId: "b", value: 1 });
        else tools.remove(COUNTERS, "b");
      });
      await assertRejects(() => made, TypeError, "before reading it");
    }
  });

  it("refuses to read more records than a transaction may have", async () => {
    const made = change(openMemoryStorage(), function* ({ read }) {
      yield* all(...Array.from({ length: MAX_REFS + 1 }, (_, i) => read(COUNTERS, `k${i}`)));
    });
    await assertRejects(() => made, RangeError);
  });
});
