import { type Storage, StorageError } from "../adapters/storage.ts";
import { KINDS_VERSION, SETTINGS } from "../model/kinds.ts";

/** The version of the records of a storage, which all stores on it share. */
export interface Version {
  /** Whether it is known, recently enough, and not that of a newer program. */
  isKnown(): boolean;
  /** Whether it is that of this program, too, so that records may be changed. */
  isOwn(): boolean;
  /** Finds it out. Rejects with `incompatible` for that of a newer program. */
  check(): Promise<void>;
  /** Makes it that of this program. */
  raise(): Promise<void>;
}

const REFS = { version: { kind: SETTINGS, key: "version" } };
// Another process may be a newer program at any time, from which on this one has to stop.
const CHECK_MS = 500;

/** Stands for the version in a storage that a copy has not filled yet. */
const COPYING = "copying";

/** Marks an empty storage as one that a copy is filling: until that ends, it can't be opened. */
export async function beginCopy(storage: Storage): Promise<void> {
  const version = { settingId: REFS.version.key, value: COPYING };
  await storage.transact(REFS, () => ({ answer: undefined, put: { version } }));
}

/** Gives a storage that a copy has filled the version of the source. */
export async function finishCopy(storage: Storage, source: Storage): Promise<void> {
  const version = await source.get(SETTINGS, REFS.version.key);
  await storage.transact(
    REFS,
    () => ({ answer: undefined, ...version ? { put: { version } } : { remove: ["version"] } }),
  );
}

/** Tells whether a record is the version, which a copy stores last. */
export function isVersion({ settingId }: { readonly settingId?: unknown }): boolean {
  return settingId === REFS.version.key;
}

/**
 * Returns the version of the records of a storage, 0 where there are none. Rejects with `incompatible` for
 * that of a newer program, with `damaged` for what is none.
 */
export async function readVersion(storage: Storage): Promise<number> {
  const { value = "0" } = await storage.get(SETTINGS, REFS.version.key) ?? {};
  if (value === COPYING) {
    throw new StorageError(
      "damaged",
      "Cannot use the storage: a copy into it was cut short; empty it and copy again",
    );
  }
  if (!/^\d{1,9}$/.test(value)) {
    throw new StorageError(
      "damaged",
      `Cannot use the storage: "${value}" is no version of records`,
    );
  }
  if (Number(value) <= KINDS_VERSION) return Number(value);
  throw new StorageError(
    "incompatible",
    `Cannot use the storage: its records are of version ${value}, made by a newer Boardcast; ` +
      `this program knows versions up to ${KINDS_VERSION}`,
  );
}

/** Creates what knows the version of a storage; `elapsed` is a monotonic clock, in milliseconds. */
export function createVersion(storage: Storage, elapsed: () => number): Version {
  let found: number | undefined;
  let checkedMs = 0;
  let checking: Promise<void> | undefined;
  let raising: Promise<void> | undefined;

  function isKnown(): boolean {
    if (found === undefined) return false;
    return storage.isExclusive === true || elapsed() - checkedMs < CHECK_MS;
  }

  async function read(): Promise<void> {
    const startMs = elapsed();
    found = undefined;
    found = await readVersion(storage);
    checkedMs = startMs;
  }

  function check(): Promise<void> {
    return checking ??= read().finally(() => checking = undefined);
  }

  async function raise(): Promise<void> {
    await check();
    if (found === KINDS_VERSION) return;
    await storage.transact(REFS, ({ version }) => {
      const isLower = Number(version?.value ?? 0) < KINDS_VERSION;
      const next = { settingId: REFS.version.key, value: `${KINDS_VERSION}` };
      return { answer: undefined, put: isLower ? { version: next } : {} };
    });
    await check();
  }

  return {
    isKnown,
    isOwn: () => found === KINDS_VERSION && isKnown(),
    check,
    raise: () => raising ??= raise().finally(() => raising = undefined),
  };
}
