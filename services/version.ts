import { type Storage, StorageError } from "../adapters/storage.ts";
import { KINDS_VERSION, SETTINGS } from "../model/kinds.ts";
import { isMigrating, moveAll, needsSteps, requireReadable } from "./migration.ts";

/** The record version of a storage; all stores on the storage share it. */
export interface StoredVersion {
  /** Whether a recent check found no newer program's version. */
  isKnown(): boolean;
  /** Whether it is also this program's version, so that records may change. */
  isOwn(): boolean;
  /** Whether nothing was stored yet when the version was last read. */
  isFresh(): boolean;
  /**
   * Reads the version; moves the records of an earlier one, if steps have to. Rejects with
   * `incompatible` if a newer program stored it, or one from before version 1.
   */
  check(): Promise<void>;
  /** Stores this program's version. */
  raise(): Promise<void>;
}

const REFS = { version: { kind: SETTINGS, key: "version" } };
// A newer program may start at any time; this program then has to stop.
const CHECK_MS = 500;

/** The record of this program's version. */
const OWN = { settingId: REFS.version.key, value: `${KINDS_VERSION}` };

/** The version value of a storage that a copy has not finished. */
const COPYING = "copying";

/** Marks an empty storage as the target of a copy: until the copy ends, it can't be opened. */
export async function beginCopy(storage: Storage): Promise<void> {
  const version = { settingId: REFS.version.key, value: COPYING };
  await storage.transact(REFS, () => ({ answer: undefined, put: { version } }));
}

/** Gives the target of a copy this program's version, or none if the source has none. */
export async function finishCopy(storage: Storage, source: Storage): Promise<void> {
  const hasVersion = await source.get(SETTINGS, REFS.version.key) !== undefined;
  await storage.transact(
    REFS,
    () => ({
      answer: undefined,
      ...hasVersion ? { put: { version: OWN } } : { remove: ["version"] },
    }),
  );
}

/** Tells whether a record is the version; a copy stores it last. */
export function isVersion({ settingId }: { readonly settingId?: unknown }): boolean {
  return settingId === REFS.version.key;
}

/**
 * Returns the version of the records of a storage, 0 if there are none. Rejects with `incompatible`
 * for a newer program's version, and with `damaged` for an invalid value.
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

/**
 * Rejects with `incompatible` unless this program can read the records of a storage as they are.
 * Changes nothing.
 */
export async function requireOwnRecords(storage: Storage): Promise<void> {
  const version = await readVersion(storage);
  await requireReadable(storage, version);
  if (!needsSteps(version) && !await isMigrating(storage)) return;
  throw new StorageError(
    "incompatible",
    `Cannot use the storage: its records are of version ${version}, and have to be migrated to ` +
      `${KINDS_VERSION}: start a server of this version on it`,
  );
}

/** Brings the records of a storage to this program's version, and stores it, if they are older. */
export async function bringToOwnVersion(storage: Storage): Promise<void> {
  const version = createStoredVersion(storage, () => performance.now());
  await version.check();
  if (!version.isFresh()) await version.raise();
}

/**
 * Creates the {@linkcode StoredVersion} of a storage; `elapsed` is a monotonic clock, in
 * milliseconds.
 */
export function createStoredVersion(storage: Storage, elapsed: () => number): StoredVersion {
  let found: number | undefined;
  // Whether no record is older than the version allows.
  let areMoved = false;
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
    const version = await readVersion(storage);
    if (!areMoved) await moveOlder(version);
    areMoved = true;
    found = needsSteps(version) ? KINDS_VERSION : version;
    checkedMs = startMs;
  }

  async function moveOlder(version: number): Promise<void> {
    await requireReadable(storage, version);
    if (needsSteps(version) || await isMigrating(storage)) await moveAll(storage, version);
  }

  function check(): Promise<void> {
    return checking ??= read().finally(() => checking = undefined);
  }

  async function raise(): Promise<void> {
    await check();
    if (found === KINDS_VERSION) return;
    await storage.transact(REFS, ({ version }) => {
      const isLower = Number(version?.value ?? 0) < KINDS_VERSION;
      return { answer: undefined, put: isLower ? { version: OWN } : {} };
    });
    await check();
  }

  return {
    isKnown,
    isFresh: () => found === 0,
    isOwn: () => found === KINDS_VERSION && isKnown(),
    check,
    raise: () => raising ??= raise().finally(() => raising = undefined),
  };
}
