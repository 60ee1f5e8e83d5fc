import {
  type AnyKind,
  type Decide,
  type Decision,
  type Found,
  type Item,
  type Kind,
  type Refs,
  type Storage,
  StorageError,
} from "../adapters/storage.ts";
import { WEBHOOK_LISTS, WEBHOOK_MESSAGES } from "../model/kinds.ts";
import type { Counter } from "../model/metrics.ts";
import { fillIn } from "../model/steps.ts";
import { type ReadList, share, type Shared, sharedOf } from "./shared.ts";
import { createStoredVersion, type StoredVersion } from "./version.ts";

export interface StoreOptions {
  /** Called after this store has stored messages to webhooks. */
  readonly onMessages?: (() => void) | undefined;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed?: () => number;
}

/**
 * Returns a storage for services that works the same with every adapter. It adds missing fields to
 * records as their defaults, counts calls and failures, and rejects all calls with `incompatible`
 * within a second of a newer program's first change. Its first change stores the version of this
 * program.
 */
export function storeOf(
  storage: Storage,
  { onMessages, elapsed = () => performance.now() }: StoreOptions = {},
): Storage {
  const shared = sharedOf(storage);
  shared.version ??= createStoredVersion(storage, elapsed);
  const store = createStore(shared, shared.version, onMessages);
  share(shared, store);
  return store;
}

/**
 * Returns the list of webhooks, which every change needs. Returns it synchronously if this process
 * alone uses the storage and has read it before.
 */
export function readWebhookList(store: Storage): ReadList | Promise<ReadList> {
  const shared = sharedOf(store);
  if (shared.webhookList !== undefined) return shared.webhookList;
  const changes = shared.webhookListChanges;
  return store.get(WEBHOOK_LISTS, "webhooks").then((list) => {
    const read = { list };
    // Only stores notice a change of the list, and they have set the version.
    const isNewest = shared.version !== undefined && shared.webhookListChanges === changes;
    if (store.isExclusive && isNewest) shared.webhookList = read;
    return read;
  });
}

interface Counters {
  readonly calls: Counter;
  /** Counts a failure of storage, and throws it again. */
  readonly fail: (error: unknown) => never;
}

// A call costs one promise more than the adapter's own, because each promise costs a turn under
// load.
function createStore(
  shared: Shared,
  version: StoredVersion,
  onMessages: StoreOptions["onMessages"],
): Storage {
  const { storage, meter } = shared;
  const counters = (method: string): Counters => {
    const failures = meter.counter("boardcast_storage_failures_total", method);
    return {
      calls: meter.counter("boardcast_storage_calls_total", method),
      fail(error: unknown): never {
        // Compares names, because an adapter may import the class from another copy of the package.
        if ((error as Partial<Error> | null)?.name === "StorageError") failures.count++;
        throw error;
      },
    };
  };
  const gets = counters("get");
  const lists = counters("list");
  const counts = counters("count");
  const changes = counters("transact");
  const pings = counters("ping");

  function complete<T>(kind: Kind<T> | AnyKind, record: T): T {
    if (record === undefined) return record;
    if (storage.isExclusive !== true) checkFields(kind as AnyKind, record as Item);
    return fillIn(kind, record);
  }

  function completeAll<R extends Refs>(refs: Refs, found: Found<R>): Found<R> {
    let completed: Record<string, Item | undefined> | undefined;
    for (const name in found) {
      const record = complete(refs[name].kind, found[name] as Item | undefined);
      if (record !== found[name]) (completed ??= { ...found })[name] = record;
    }
    return (completed ?? found) as Found<R>;
  }

  function whenKnown<T>({ calls, fail }: Counters, call: () => Promise<T>): Promise<T> {
    calls.count++;
    return version.isKnown() ? call() : version.check().then(call, fail);
  }

  function forgetList(): void {
    shared.webhookList = undefined;
    shared.webhookListChanges++;
  }

  function transact<R extends Refs, A>(firstRefs: R, decide: Decide<R, A>): Promise<A> {
    let refs: Refs = firstRefs;
    let hasMessages = false;
    let usesList = refersToList(refs);
    if (usesList) forgetList();
    return storage.transact<R, A>(firstRefs, (found) => {
      const decision = decide(completeAll(refs, found));
      if ("read" in decision) {
        refs = { ...refs, ...decision.read as Refs };
        if (!usesList && refersToList(refs)) {
          usesList = true;
          forgetList();
        }
      } else if (onMessages !== undefined) hasMessages = storesMessages(refs, decision);
      return decision;
    }).then((result) => {
      if (usesList) forgetList();
      if (hasMessages) onMessages?.();
      return result;
    }, (error) => {
      if (usesList) forgetList();
      return changes.fail(error);
    });
  }

  return {
    isExclusive: storage.isExclusive,
    get: (kind, key) =>
      whenKnown(
        gets,
        () => storage.get(kind, key).then((record) => complete(kind, record), gets.fail),
      ),
    list: (kind, query) =>
      whenKnown(lists, () =>
        storage.list(kind, query).then(
          (page) => page.map((record) => complete(kind, record)),
          lists.fail,
        )),
    transact(refs, decide) {
      changes.calls.count++;
      return version.isOwn()
        ? transact(refs, decide)
        : version.raise().then(() => transact(refs, decide), changes.fail);
    },
    ping: () => whenKnown(pings, () => storage.ping().catch(pings.fail)),
    close: () => storage.close(),
    ...storage.count !== undefined && {
      count: (kind, index) =>
        whenKnown(counts, () => storage.count!(kind, index).catch(counts.fail)),
    },
  };
}

function refersToList(refs: Refs): boolean {
  for (const name in refs) if (refs[name].kind.name === WEBHOOK_LISTS.name) return true;
  return false;
}

function storesMessages<R extends Refs, A>(
  refs: Refs,
  { put, create = [] }: Decision<R, A>,
): boolean {
  if (create.some(({ kind }) => kind.name === WEBHOOK_MESSAGES.name)) return true;
  for (const name in put) {
    if (put[name] !== undefined && refs[name].kind.name === WEBHOOK_MESSAGES.name) return true;
  }
  return false;
}

/**
 * Throws `incompatible` for a record with a newer program's field, which this program would lose.
 */
function checkFields(kind: AnyKind, record: Item): void {
  for (const name in record) {
    if (name in kind.fields) continue;
    throw new StorageError(
      "incompatible",
      `Cannot use a record of ${kind.name}: a newer Boardcast has given it "${name}"`,
    );
  }
}
