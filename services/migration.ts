import {
  type AnyKind,
  type Item,
  MAX_REFS,
  type NewRecord,
  type Refs,
  type Storage,
  StorageError,
} from "../adapters/storage.ts";
import { LAYOUT, SETTINGS } from "../model/kinds.ts";
import {
  type KindRecord,
  type Layout,
  missingIn,
  moveRecord,
  refusalOfOlder,
  type Step,
  stepsFrom,
} from "../model/steps.ts";
import { readPages } from "./records.ts";

/** Options of a migration; tests give their own. */
export interface MigrationOptions {
  readonly layout?: Layout;
  /** Waits until other processes have noticed the version. */
  readonly pause?: (ms: number) => Promise<void>;
}

/** The progress of a migration, in a setting. */
interface Progress {
  /** The version of records that were not moved yet. */
  readonly from: number;
  /** The number of kinds whose records were all moved. */
  readonly kinds: number;
  /** The key of the last record that was moved. */
  readonly after: string;
}

const REFS = {
  version: { kind: SETTINGS, key: "version" },
  migration: { kind: SETTINGS, key: "migration" },
};
// A process of the earlier version notices the new one within 500 ms, and its last calls take up to
// the deadline of an adapter.
const NOTICE_MS = 6_000;
// The records of one transaction, which Deno KV and others limit.
const MAX_BYTES = 200 << 10;
const verified = new WeakSet<Storage>();

/**
 * Rejects with `incompatible` if a storage of version 1 has a record from before that version.
 * Changes nothing.
 */
export async function requireReadable(
  storage: Storage,
  version: number,
  { kinds, first }: Layout = LAYOUT,
): Promise<void> {
  if (version !== 1 || verified.has(storage)) return;
  for (const kind of kinds.filter(({ name }) => name in first.fields)) {
    for await (const page of readPages<Item>(storage, kind)) {
      const sign = page.map((record) => missingIn(first, kind, record)).find(Boolean);
      if (sign === undefined) continue;
      const what = `${kind.name} without ${sign}`;
      throw new StorageError("incompatible", refusalOfOlder("storage", what));
    }
  }
  verified.add(storage);
}

/** Tells whether steps have to move the records of a version before this program can use them. */
export function needsSteps(version: number, layout: Layout = LAYOUT): boolean {
  return version > 0 && stepsFrom(version, layout).length > 0;
}

/** Tells whether an earlier migration has not ended. */
export async function isMigrating(storage: Storage): Promise<boolean> {
  if (LAYOUT.steps.length === 0) return false;
  return await storage.get(SETTINGS, REFS.migration.key) !== undefined;
}

/**
 * Moves the records of a storage to the version of a layout, in transactions of a few records. The
 * first raises the version, so that earlier programs stop. A migration that was interrupted goes on
 * where it ended; several processes may work on it.
 */
export async function moveAll(
  storage: Storage,
  version: number,
  { layout = LAYOUT, pause = sleep }: MigrationOptions = {},
): Promise<void> {
  await requireReadable(storage, version, layout);
  await tryAll(storage, version, layout);
  const start: Progress = { from: version, kinds: 0, after: "" };
  await storage.transact(REFS, ({ version: current }) => {
    if (Number(current?.value) !== version || version === layout.version) {
      return { answer: undefined };
    }
    const next = { settingId: REFS.version.key, value: `${layout.version}` };
    return { answer: undefined, put: { version: next, migration: settingOf(start) } };
  });
  if (storage.isExclusive !== true) await pause(NOTICE_MS);
  while (await movePage(storage, layout));
}

/** Applies the steps to all records and stores nothing, so that a failing step changes nothing. */
async function tryAll(storage: Storage, version: number, layout: Layout): Promise<void> {
  const steps = stepsFrom(version, layout);
  for (const kind of movedKinds(steps, layout)) {
    for await (const page of readPages<Item>(storage, kind)) {
      for (const record of page) moveRecord(steps, { kind, record });
    }
  }
}

/** Returns the kinds whose records steps move; a kind that is gone in its earlier form. */
function movedKinds(steps: readonly Step[], { kinds }: Layout): readonly AnyKind[] {
  const byName = new Map(steps.map(({ kind }) => [kind.name, kind]));
  return [...byName].map(([name, earlier]) => kinds.find((kind) => kind.name === name) ?? earlier);
}

/** Moves a few records; returns whether there may be more. */
async function movePage(storage: Storage, layout: Layout): Promise<boolean> {
  const setting = await storage.get(SETTINGS, REFS.migration.key);
  if (setting === undefined) return false;
  const { from, kinds: done, after }: Progress = JSON.parse(setting.value);
  const steps = stepsFrom(from, layout);
  const kinds = movedKinds(steps, layout);
  const kind: AnyKind | undefined = kinds[done];
  const records = kind === undefined
    ? []
    : await storage.list(kind, { after: { key: after }, limit: MAX_REFS });
  const page: Page = { refs: {}, put: {}, remove: [], bytes: 0, after };
  for (const record of records) {
    if (!addTo(page, { kind, record }, steps)) break;
  }
  const isLast = records.length === 0;
  const next = isLast
    ? { from, kinds: done + 1, after: "" }
    : { from, kinds: done, after: page.after };
  const isOver = kind === undefined;
  const refs: Refs = { ...page.refs, migration: REFS.migration };
  return await storage.transact(refs, ({ migration }) => {
    // Another process was first.
    if ((migration as Item | undefined)?.value !== setting.value) return { answer: true };
    const put = isOver ? page.put : { ...page.put, migration: settingOf(next) };
    const remove = isOver ? [...page.remove, "migration"] : page.remove;
    return { answer: !isOver, put, remove };
  });
}

/** The changes of one transaction. */
interface Page {
  readonly refs: Record<string, NewRecordRef>;
  readonly put: Record<string, Item>;
  readonly remove: string[];
  bytes: number;
  after: string;
}

type NewRecordRef = Refs[string];

/** Adds the results of moving a record to a page; returns `false` if it has no room for them. */
function addTo(page: Page, { kind, record }: KindRecord, steps: readonly Step[]): boolean {
  const key = String(record[kind.key]);
  const moved = moveRecord(steps, { kind, record });
  const bytes = JSON.stringify([record, moved.map(({ record }) => record)]).length;
  const isFull = Object.keys(page.refs).length + moved.length + 2 > MAX_REFS ||
    page.bytes + bytes > MAX_BYTES;
  if (isFull && page.bytes > 0) return false;
  const own = nameOf({ kind, record });
  page.refs[own] = { kind, key };
  for (const next of moved) {
    page.refs[nameOf(next)] = { kind: next.kind, key: String(next.record[next.kind.key]) };
    page.put[nameOf(next)] = next.record;
  }
  if (!(own in page.put)) page.remove.push(own);
  page.bytes += bytes;
  page.after = key;
  return true;
}

function nameOf({ kind, record }: NewRecord): string {
  return `${kind.name} ${String(record[kind.key])}`;
}

function settingOf(progress: Progress) {
  return { settingId: REFS.migration.key, value: JSON.stringify(progress) };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
