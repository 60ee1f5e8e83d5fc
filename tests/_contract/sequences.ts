import { assertEquals } from "@std/assert";
import type { AnyIndex } from "../../model/kind.ts";
import type { ListQuery, Storage } from "../../adapters/storage.ts";
import type { ContractTests } from "./context.ts";
import { createRandom } from "./calls.ts";
import { COUNTERS, minute, type Sample, sample, SAMPLES } from "./kinds.ts";

const STEPS = 120;
const KEYS = 8;

type Pick = (count: number) => number;

/** What a store has in it, kept in the simplest way. */
interface Model {
  readonly samples: Map<string, Sample>;
  readonly values: Map<string, number>;
}

/** Compares all that is read with a simple model, over random sequences of calls. */
export function testSequences({ test, testReopened, testShared }: ContractTests): void {
  for (const seed of [1, 2]) {
    test(`a store answers as a model does over sequence ${seed}`, async ({ storage }) => {
      await runSequence(seed, { instances: [storage] });
    });
  }

  testShared("two instances answer as one model does", async ({ storage, another }) => {
    await runSequence(3, { instances: [storage, await another()] });
  });

  testReopened("a store is what the model is when it is opened again", async (context) => {
    const model = await runSequence(4, { instances: [context.storage] });
    await runSequence(5, { instances: [await context.reopen()], model });
  });
}

async function runSequence(seed: number, { instances, model = emptyModel() }: {
  readonly instances: readonly Storage[];
  readonly model?: Model;
}): Promise<Model> {
  const random = createRandom(seed);
  const pick = (count: number) => Math.floor(random() * count);
  for (let step = 1; step <= STEPS; step++) {
    const storage = instances[pick(instances.length)];
    try {
      if (pick(3) > 0) await change(storage, model, pick);
      else await compare(storage, model, pick);
    } catch (error) {
      throw new Error(`Step ${step} of sequence ${seed}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
  return model;
}

function emptyModel(): Model {
  return { samples: new Map(), values: new Map() };
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

/** Stores and removes some records in one transaction, which also counts changes of each key. */
async function change(storage: Storage, model: Model, pick: Pick): Promise<void> {
  const [one, two] = [pick(KEYS), pick(KEYS - 1)];
  const keys = [`k${one}`, `k${(one + 1 + two) % KEYS}`];
  const next = keys.map((key) => randomSample(key, pick));
  const how = pick(4);
  const refs = {
    first: { kind: SAMPLES, key: keys[0] },
    second: { kind: SAMPLES, key: keys[1] },
    counter: { kind: COUNTERS, key: keys[0] },
  };
  const value = (model.values.get(keys[0]) ?? 0) + 1;
  const answer = await storage.transact(refs, (found) => {
    const counter = { counterId: keys[0], value: (found.counter?.value ?? 0) + 1 };
    const answer = { first: found.first, second: found.second, value: counter.value };
    if (how === 0) return { answer, put: { counter }, remove: ["first"] };
    if (how === 1) return { answer, put: { counter, first: next[0] } };
    if (how === 2) return { answer, put: { counter, second: next[1] }, remove: ["first"] };
    return { answer, put: { counter, first: next[0], second: next[1] } };
  });
  const [first, second] = keys.map((key) => model.samples.get(key));
  assertEquals(answer, { first, second, value });
  model.values.set(keys[0], value);
  if (how === 0 || how === 2) model.samples.delete(keys[0]);
  else model.samples.set(keys[0], next[0]);
  if (how > 1) model.samples.set(keys[1], next[1]);
}

/** Compares a record, and a page of a listing, with those of the model. */
async function compare(storage: Storage, model: Model, pick: Pick): Promise<void> {
  const key = `k${pick(KEYS)}`;
  assertEquals(await storage.get(SAMPLES, key), model.samples.get(key));
  const value = model.values.get(key);
  assertEquals(await storage.get(COUNTERS, key), value && { counterId: key, value });
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
  assertEquals(await storage.list(SAMPLES, query), expectedOf(model, query), JSON.stringify(query));
}

/** Lists records of the model. */
function expectedOf(model: Model, { index, after, limit, reverse }: ListQuery): Sample[] {
  const { where = {}, by }: AnyIndex = SAMPLES.indexes?.[index ?? ""] ?? {};
  const entryOf = (record: { readonly [field: string]: unknown }): [string, string] => [
    by === undefined ? "" : String(record[by]),
    String(record.sampleId),
  ];
  const compareEntries = (a: [string, string], b: [string, string]) =>
    (reverse ? -1 : 1) * (a[0] === b[0] ? order(a[1], b[1]) : order(a[0], b[0]));
  return [...model.samples.values()]
    .filter((record) => Object.entries(where).every(([f, v]) => ({ ...record })[f] === v))
    .filter((record) => by === undefined || ({ ...record })[by] !== null)
    .filter((record) =>
      after === undefined ||
      compareEntries(entryOf({ ...record }), [after.by ?? "", after.key]) > 0
    )
    .sort((a, b) => compareEntries(entryOf({ ...a }), entryOf({ ...b })))
    .slice(0, limit);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
