import {
  type AnyKind,
  boundsOf,
  type Change,
  createDecider,
  type Decide,
  freeze,
  indexEntries,
  isKey,
  type Item,
  type ListQuery,
  type Position,
  type Refs,
  type Storage,
  StorageError,
} from "@boardcast/boardcast";
import { Redis } from "ioredis";
import process from "node:process";

// A kind is a hash of its records, and a sorted set for each index; the one without a name has all
// keys. Redis runs one script at a time: nothing changes between what it reads and what it writes.
const LIST = `local found = redis.call('ZRANGE', KEYS[2], unpack(ARGV))
  if #found == 0 then return {} end
  for i, member in ipairs(found) do found[i] = string.match(member, '[^%z]*$') end
  return redis.call('HMGET', KEYS[1], unpack(found))`;
const COMPARE_AND_SET = `local job = cjson.decode(ARGV[1])
  for _, read in ipairs(job.reads) do
    if redis.call('HGET', read[1], read[2]) ~= read[3] then return 0 end
  end
  for _, command in ipairs(job.commands) do redis.call(unpack(command)) end
  return 1`;

const hashOf = ({ name }: AnyKind) => `boardcast:${name}`;
const setOf = (kind: AnyKind, index: string) => `${hashOf(kind)}:${index}`;
const memberOf = ({ by, key }: Position) => by === undefined ? key : `${by}\0${key}`;

/**
 * Opens storage in a Redis server, 6.2 or later, that is no cluster. What it acknowledges survives
 * the loss of power only where the server has `appendonly yes` and `appendfsync always`.
 */
export function openRedisStorage(url: string, { timeoutMs = 2_000 } = {}): Storage {
  const redis = new Redis(url, {
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  });
  redis.on("error", () => {}); // Each call that meets it fails.
  const pending = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;

  function run<T>(operation: () => Promise<T>): Promise<T> {
    if (closing) return Promise.reject(new StorageError("closed", "Cannot use what was closed"));
    const call = operation();
    const end = call.then(() => {}, () => {}).finally(() => pending.delete(end));
    pending.add(end);
    return call;
  }

  async function list<T>(kind: AnyKind, query: ListQuery): Promise<readonly T[]> {
    const { above, below } = boundsOf(kind, query);
    const { index = "", limit, reverse = false } = query;
    const first = above === undefined ? "-" : `(${memberOf(above)}`;
    const last = below === undefined ? "+" : `(${memberOf(below)}`;
    const ends = reverse ? [last, first] : [first, last];
    const range = [...ends, "BYLEX", "LIMIT", 0, limit, ...reverse ? ["REV"] : []];
    const keys = [hashOf(kind), setOf(kind, index)];
    const found = await redis.eval(LIST, 2, ...keys, ...range).catch(fail);
    return (found as string[]).map<T>(parse);
  }

  async function transact<R extends Refs, A>(refs: R, decide: Decide<R, A>): Promise<A> {
    const decider = createDecider(refs, decide);
    for (const end = performance.now() + timeoutMs; performance.now() < end;) {
      const all = Object.values(decider.refs).filter(({ key }) => isKey(key))
        .map(({ kind, key }) => [hashOf(kind), key] as const);
      const multi = redis.multi();
      for (const place of all) multi.hget(...place);
      const texts = (await multi.exec().catch(fail))?.map(([, text]) => text) ?? [];
      const found = new Map(all.map((place, i) => [place.join(), parse(texts[i])]));
      const read = (kind: AnyKind, key: string): Item | undefined =>
        found.get([hashOf(kind), key].join());
      const outcome = decider.decide(({ kind, key }) => read(kind, key));
      if (outcome === undefined) continue; // It needs more records: decider.refs names them now.
      const { answer, changes } = outcome;
      const reads = all.map((place, i) => [...place, texts[i] ?? false]);
      const commands = changes.flatMap((one) => toCommands(one, read(one.kind, one.key)));
      const job = JSON.stringify({ reads, commands });
      if (await redis.eval(COMPARE_AND_SET, 0, job).catch(fail) === 1) return answer;
      // A random while, so that those who met don't meet again.
      await new Promise((resolve) => setTimeout(resolve, 20 * Math.random()));
    }
    throw new StorageError("unavailable", "Others kept changing the same records");
  }

  return {
    get: (kind, key) => run(async () => parse(await redis.hget(hashOf(kind), key).catch(fail))),
    list: (kind, query) => run(() => list(kind, query)),
    transact: (refs, decide) => run(() => transact(refs, decide)),
    ping: () => run(async () => void await redis.set("boardcast", "").catch(fail)),
    close: () => closing ??= Promise.all(pending).then(() => redis.disconnect()),
  };
}

function toCommands({ kind, key, next }: Change, previous: Item | undefined): string[][] {
  const placesOf = (record: Item | undefined) =>
    record ? [["", { key }] as const, ...indexEntries(kind, record)] : [];
  return [
    ...placesOf(previous).map(([name, place]) => ["ZREM", setOf(kind, name), memberOf(place)]),
    ...placesOf(next).map(([name, place]) => ["ZADD", setOf(kind, name), "0", memberOf(place)]),
    next ? ["HSET", hashOf(kind), key, JSON.stringify(next)] : ["HDEL", hashOf(kind), key],
  ];
}

// JSON.parse returns `any`, so the caller gets the type that it asks for without a cast.
function parse(text: unknown) {
  return typeof text === "string" ? freeze(JSON.parse(text)) : undefined;
}

function fail(cause: unknown): never {
  throw new StorageError("unavailable", "Redis can't be used", { cause });
}

/** Opens storage for `--storage module:…`. */
export default (): Storage => openRedisStorage(process.env.REDIS_URL ?? "redis://127.0.0.1");
