import { assertEquals } from "@std/assert";
import { openMemoryStorage } from "../../adapters/memory.ts";
import type { Decide, ListQuery, Storage } from "../../adapters/storage.ts";
import type { ContractTests } from "./context.ts";
import { createRandom } from "./calls.ts";
import { COUNTERS, minute, type Sample, sample, SAMPLES } from "./kinds.ts";

const STEPS = 150;
const KEYS = 8;

type Pick = (count: number) => number;

/** Compares all that is read with storage in memory, over random sequences of calls. */
export function testSequences({ test, testReopened, testShared }: ContractTests): void {
  test("a store answers as storage in memory does", async ({ storage }) => {
    await runSequence(1, [storage]);
  });

  testShared("two instances answer as storage in memory does", async ({ storage, another }) => {
    await runSequence(2, [storage, await another()]);
  });

  testReopened("a store answers as before when it is opened again", async (context) => {
    const model = await runSequence(3, [context.storage]);
    await runSequence(4, [await context.reopen()], model);
  });
}

async function runSequence(
  seed: number,
  instances: readonly Storage[],
  model = openMemoryStorage(),
): Promise<Storage> {
  const random = createRandom(seed);
  const pick = (count: number) => Math.floor(random() * count);
  for (let step = 1; step <= STEPS; step++) {
    const storage = instances[pick(instances.length)];
    const call = pick(3) > 0 ? randomChange(pick) : randomReads(pick);
    assertEquals(await call(storage), await call(model), `step ${step} of sequence ${seed}`);
  }
  return model;
}

/** Stores and removes some records in one transaction, which also counts changes of each key. */
function randomChange(pick: Pick): (storage: Storage) => Promise<unknown> {
  const one = pick(KEYS);
  const keys = [`k${one}`, `k${(one + 1 + pick(KEYS - 1)) % KEYS}`];
  const [first, second] = keys.map((key) => randomSample(key, pick));
  const how = pick(4);
  const refs = {
    first: { kind: SAMPLES, key: keys[0] },
    second: { kind: SAMPLES, key: keys[1] },
    counter: { kind: COUNTERS, key: keys[0] },
  };
  const decide: Decide<typeof refs, unknown> = (found) => {
    const counter = { counterId: keys[0], value: (found.counter?.value ?? 0) + 1 };
    const answer = { ...found };
    if (how === 0) return { answer, put: { counter }, remove: ["first"] };
    if (how === 1) return { answer, put: { counter, first } };
    if (how === 2) return { answer, put: { counter, second }, remove: ["first"] };
    return { answer, put: { counter, first, second } };
  };
  return (storage) => storage.transact(refs, decide);
}

function randomSample(sampleId: string, pick: Pick): Sample {
  return sample(sampleId, {
    title: ["a", "A", "b", "a-b"][pick(4)],
    note: pick(2) ? "seven" : null,
    count: pick(2) ? 7 : pick(100),
    size: pick(2) ? null : pick(100),
    done: pick(2) === 0,
    approved: [true, false, null][pick(3)],
    dueAt: minute(pick(4)),
    doneAt: pick(2) ? null : minute(pick(4)),
  });
}

/** Reads a record, and a page of a listing. */
function randomReads(pick: Pick): (storage: Storage) => Promise<unknown> {
  const key = `k${pick(KEYS)}`;
  const index = [undefined, ...Object.keys(SAMPLES.indexes!)][pick(7)];
  const by = SAMPLES.indexes?.[index ?? ""]?.by;
  const position = by === undefined
    ? { key }
    : { key, by: by === "title" ? ["", "A", "a", "~"][pick(4)] : minute(pick(4)) };
  const query: ListQuery = {
    index,
    after: pick(2) ? position : undefined,
    limit: pick(2) ? 1_000 : 1 + pick(4),
    reverse: pick(2) === 0,
  };
  return (storage) => Promise.all([storage.get(SAMPLES, key), storage.list(SAMPLES, query)]);
}
