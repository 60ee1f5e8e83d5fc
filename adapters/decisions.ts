import { copyRecord } from "./records.ts";
import {
  type AnyKind,
  type Decide,
  type Found,
  type Item,
  MAX_CREATED,
  MAX_CREATED_BYTES,
  MAX_REFS,
  type NewRecord,
  type Ref,
  type Refs,
} from "./storage.ts";

/** The change of one record; `next` is `undefined` if the record is removed. */
export interface Change {
  /** The kind of the record. */
  readonly kind: AnyKind;
  /** The key of the record. */
  readonly key: string;
  /** The record to store, frozen. */
  readonly next: Item | undefined;
  /** Whether the decision creates it: no ref names it, and storage has no record with its key. */
  readonly isNew?: boolean | undefined;
}

/** The result of a decision. */
export interface TransactionOutcome<A> {
  /** The value that `transact` resolves to, once the changes are durable. */
  readonly answer: A;
  /** The changes to make, all of them or none. */
  readonly changes: readonly Change[];
}

const encoder = new TextEncoder();

/**
 * Calls `decide` with the records that `read` finds, and checks the decision. Throws what `decide`
 * throws, a `TypeError` for a change of a record that `refs` do not name or for a record that its
 * kind does not allow, and a `RangeError` if the decision creates too much.
 */
export function runDecide<R extends Refs, A>(
  refs: R,
  decide: Decide<R, A>,
  read: (ref: Ref) => Item | undefined,
): TransactionOutcome<A> {
  const found: Record<string, Item | undefined> = {};
  for (const name in refs) found[name] = read(refs[name]);
  const { answer, put, remove, create } = decide(found as Found<R>);
  const changes: Change[] = [];
  for (const name in put) {
    const next: unknown = put[name];
    if (next === undefined || next === found[name]) continue;
    const { kind, key } = refOf(refs, name);
    const record = copyRecord(kind, next, found[name]);
    if (record[kind.key] !== key) throw new TypeError(`Cannot store "${name}" under another key`);
    changes.push({ kind, key, next: record });
  }
  for (const name of remove === undefined ? [] : new Set(remove.map(String))) {
    const { kind, key } = refOf(refs, name);
    if (put?.[name] !== undefined) throw new TypeError(`Cannot both store and remove "${name}"`);
    if (found[name] !== undefined) changes.push({ kind, key, next: undefined });
  }
  if (create !== undefined && create.length > 0) changes.push(...copyCreated(create, refs));
  return { answer, changes };
}

/** Checks and copies the records that a decision creates. */
function copyCreated(create: readonly NewRecord[], refs: Refs): readonly Change[] {
  if (create.length > MAX_CREATED) {
    throw new RangeError(`Cannot create ${create.length} records: at most ${MAX_CREATED}`);
  }
  const taken = new Set(Object.values(refs).map(nameOf));
  let bytes = 0;
  return create.map(({ kind, record }) => {
    const next = copyRecord(kind, record);
    const key = String(next[kind.key]);
    const name = nameOf({ kind, key });
    if (taken.has(name)) {
      throw new TypeError(`Cannot create a record of ${kind.name} that is named twice`);
    }
    taken.add(name);
    bytes += encoder.encode(JSON.stringify(next)).length;
    if (bytes > MAX_CREATED_BYTES) {
      throw new RangeError(`Cannot create more than ${MAX_CREATED_BYTES} bytes of records`);
    }
    return { kind, key, next, isNew: true };
  });
}

/** Returns a text that no other record has. */
function nameOf({ kind, key }: Ref): string {
  return `${kind.name} ${key}`;
}

function refOf(refs: Refs, name: string): Ref {
  if (!Object.hasOwn(refs, name)) {
    throw new TypeError(`Cannot change "${name}": refs do not name it`);
  }
  return refs[name];
}

/**
 * Throws a `RangeError` if there are too many refs, and a `TypeError` if two of them name one
 * record, as their changes could contradict each other.
 */
export function checkRefs(refs: Refs): void {
  const all = Object.values(refs);
  if (all.length > MAX_REFS) {
    throw new RangeError(`Cannot refer to ${all.length} records: at most ${MAX_REFS}`);
  }
  for (let index = 1; index < all.length; index++) {
    const { kind, key } = all[index];
    for (let other = 0; other < index; other++) {
      if (all[other].key === key && all[other].kind.name === kind.name) {
        throw new TypeError("Two refs name the same record");
      }
    }
  }
}
