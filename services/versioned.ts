import {
  type AnyKind,
  type Decide,
  type Found,
  type Item,
  type Kind,
  type ListQuery,
  type Refs,
  type Storage,
  StorageError,
} from "../adapters/storage.ts";
import { KINDS_VERSION, SETTINGS } from "../model/kinds.ts";
import { type Meter, meterOf, shareMeter } from "./meter.ts";
import { upgradeRecords } from "./upgrade.ts";

const VERSION = { kind: SETTINGS, key: "version" } as const;

const known = new WeakMap<Storage, Storage>();

/**
 * Returns storage that keeps the version of the kinds, whatever its adapter. All calls reject with
 * `incompatible` where a newer program has written the records. In those of an older one, a field that
 * they lack reads as its default; the first change or read, but for a listing by key, brings them up to
 * date and records the version of this program.
 */
export function versioned(storage: Storage): Storage {
  let current = known.get(storage);
  if (current === undefined) {
    current = create(storage);
    known.set(storage, current).set(current, current);
    shareMeter(storage, current);
  }
  return current;
}

function create(raw: Storage): Storage {
  const storage = completed(metered(raw, meterOf(raw)));
  let stored: number | undefined;
  let raising: Promise<void> | undefined;

  async function checkVersion(): Promise<void> {
    const found = Number((await storage.get(VERSION.kind, VERSION.key))?.value ?? 0);
    if (found > KINDS_VERSION) {
      throw new StorageError(
        "incompatible",
        `Cannot use the storage: its records are of version ${found}, made by a newer Boardcast; ` +
          `this program knows versions up to ${KINDS_VERSION}`,
      );
    }
    stored = found;
  }

  async function raiseVersion(): Promise<void> {
    await checkVersion();
    if (stored === KINDS_VERSION) return;
    // Without a version there are no records yet.
    if (stored !== undefined && stored > 0) await upgradeRecords(storage, stored);
    await storage.transact({ version: VERSION }, ({ version }) => {
      const isNewer = Number(version?.value ?? 0) > KINDS_VERSION;
      const next = { settingId: VERSION.key, value: `${KINDS_VERSION}` };
      return { answer: undefined, put: isNewer ? {} : { version: next } };
    });
    await checkVersion();
  }

  function raiseOnce(): Promise<void> {
    return raising ??= raiseVersion().finally(() => raising = undefined);
  }

  /** Has what is older brought up to date. Storage without a version holds nothing yet. */
  async function prepareRead(): Promise<void> {
    if (stored === undefined) await checkVersion();
    if (stored !== 0 && stored !== KINDS_VERSION) await raiseOnce();
  }

  // No async functions: that the storage is up to date must not cost each call a turn.
  return {
    ...storage,
    ...storage.count !== undefined && {
      count: (kind, index) =>
        stored === KINDS_VERSION
          ? storage.count!(kind, index)
          : prepareRead().then(() => storage.count!(kind, index)),
    },
    get: (kind, key) =>
      stored === KINDS_VERSION
        ? storage.get(kind, key)
        : prepareRead().then(() => storage.get(kind, key)),
    async list<T>(kind: Kind<T>, query: ListQuery) {
      // A copy, which lists by key, leaves its source as it is.
      if (stored === undefined && query.index === undefined) await checkVersion();
      if (stored !== KINDS_VERSION && query.index !== undefined) await prepareRead();
      return await storage.list(kind, query);
    },
    transact: (refs, decide) =>
      stored === KINDS_VERSION
        ? storage.transact(refs, decide)
        : raiseOnce().then(() => storage.transact(refs, decide)),
  };
}

/** Returns storage whose records have all fields of their kinds. */
export function completed(storage: Storage): Storage {
  return {
    ...storage,
    get: (kind, key) => storage.get(kind, key).then((record) => complete(kind, record)),
    async list<T>(kind: Kind<T>, query: ListQuery) {
      const page = await storage.list(kind, query);
      return page.map((record) => complete(kind, record));
    },
    transact: <R extends Refs, A>(refs: R, decide: Decide<R, A>) =>
      storage.transact(refs, (found: Found<R>) => decide(completeAll(refs, found))),
  };
}

/** Counts the calls of a storage, and those that fail. */
function metered(storage: Storage, meter: Meter): Storage {
  function call<T>(method: string, calling: Promise<T>): Promise<T> {
    meter.count("boardcast_storage_calls_total", method);
    calling.catch((error) => {
      // By its name, as an adapter may have it from another copy of the package.
      if ((error as Partial<Error> | null)?.name === "StorageError") {
        meter.count("boardcast_storage_failures_total", method);
      }
    });
    return calling;
  }
  const count: Storage["count"] = (kind, index) => call("count", storage.count!(kind, index));
  return {
    isExclusive: storage.isExclusive,
    get: (kind, key) => call("get", storage.get(kind, key)),
    list: (kind, query) => call("list", storage.list(kind, query)),
    transact: (refs, decide) => call("transact", storage.transact(refs, decide)),
    ping: () => call("ping", storage.ping()),
    close: () => storage.close(),
    ...storage.count === undefined ? {} : { count },
  };
}

function completeAll<R extends Refs>(refs: R, found: Found<R>): Found<R> {
  let completed: Record<string, Item | undefined> | undefined;
  for (const name in refs) {
    const record = complete(refs[name].kind, found[name] as Item | undefined);
    if (record !== found[name]) (completed ??= { ...found })[name] = record;
  }
  return (completed ?? found) as Found<R>;
}

/** Returns a record with all fields of its kind. */
function complete<T>(kind: Kind<T> | AnyKind, record: T): T {
  if (record === undefined) return record;
  const { fields, defaults = {} } = kind as AnyKind;
  for (const name in fields) {
    if ((record as Item)[name] === undefined) {
      const names = Object.keys(fields);
      const all = names.map((name) => [name, (record as Item)[name] ?? defaults[name]]);
      return Object.freeze(Object.fromEntries(all)) as T;
    }
  }
  return record;
}
