import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../adapters/memory.ts";
import { MAX_LIST_LIMIT, type Storage } from "../../adapters/storage.ts";
import { putAll, remove } from "../_contract/calls.ts";
import { minute, type Sample, sample, SAMPLES } from "../_contract/kinds.ts";

const COUNT = 5_000;

/** Returns a function that tells whether the event loop has turned since this call. */
function watchTurns(): () => boolean {
  let hasTurned = false;
  setTimeout(() => hasTurned = true, 0);
  return () => hasTurned;
}

function record(at: number, fields: Partial<Sample> = {}): Sample {
  // The records are stored neither in the order of keys nor in the order of time.
  const key = (at * 7_919 % COUNT).toString(36).padStart(3, "0");
  return sample(key, { dueAt: minute(at * 4_933 % COUNT), done: at % 3 === 0, ...fields });
}

async function filled(): Promise<Storage> {
  const storage = openMemoryStorage();
  await putAll(storage, SAMPLES, Array.from({ length: COUNT }, (_, at) => record(at)));
  return storage;
}

async function listAll(storage: Storage, index?: string): Promise<readonly Sample[]> {
  const all: Sample[] = [];
  for (let page: readonly Sample[] = [];;) {
    const last = page.at(-1);
    const after = last && { key: last.sampleId, by: index && last.dueAt };
    page = await storage.list(SAMPLES, { index, after, limit: MAX_LIST_LIMIT });
    all.push(...page);
    if (page.length < MAX_LIST_LIMIT) return all;
  }
}

describe("the order of many records in memory", () => {
  it("is made with turns between, so that nobody waits for all of it", async () => {
    const storage = await filled();
    for (const index of [undefined, "byDue", "open"]) {
      const hasTurned = watchTurns();
      await storage.list(SAMPLES, { index, limit: 1 });
      assertEquals(hasTurned(), true, index);
    }
  });

  it("has the changes that were made while it was built", async () => {
    for (const index of [undefined, "byDue"]) {
      const storage = await filled();
      const listing = storage.list(SAMPLES, { index, limit: 1 });
      await remove(storage, SAMPLES, record(1).sampleId);
      await putAll(storage, SAMPLES, [
        record(2, { dueAt: minute(COUNT + 1) }),
        record(COUNT - 1, { dueAt: minute(COUNT + 2) }),
        sample("~", { dueAt: minute(COUNT + 3) }),
      ]);
      await remove(storage, SAMPLES, record(3).sampleId);
      await putAll(storage, SAMPLES, [record(3, { dueAt: minute(COUNT + 4) })]);
      await listing;
      const listed = await listAll(storage, index);
      const sortKeyOf = ({ dueAt, sampleId }: Sample) => index ? `${dueAt} ${sampleId}` : sampleId;
      const keys = listed.map(sortKeyOf);
      assertEquals(keys, keys.toSorted());
      assertEquals(new Set(listed.map(({ sampleId }) => sampleId)).size, COUNT);
      assertEquals(listed.length, COUNT);
    }
  });
});

describe("the number of many records in memory", () => {
  it("is counted in pieces, and has the changes that were made meanwhile", async () => {
    const storage = await filled();
    const hasTurned = watchTurns();
    const counting = storage.count!(SAMPLES, "open");
    await remove(storage, SAMPLES, record(1).sampleId);
    await putAll(storage, SAMPLES, [record(2, { done: true }), record(3, { done: false })]);
    await counting;
    assertEquals(hasTurned(), true);
    const open = (await listAll(storage)).filter(({ done }) => !done);
    assertEquals(await storage.count!(SAMPLES, "open"), open.length);
  });
});
