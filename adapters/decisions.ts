import { copyRecord } from "./records.ts";
import {
  type AnyKind,
  type Decide,
  type Decision,
  type Found,
  type Item,
  MAX_CREATED,
  MAX_CREATED_BYTES,
  MAX_READS,
  MAX_REFS,
  type NewRecord,
  type Ref,
  type Refs,
  StorageError,
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
  /** All refs, with those that `decide` asked for. */
  readonly refs: Refs;
}

const encoder = new TextEncoder();

/** A transaction whose `decide` may ask for more records than its first refs name. */
export interface Decider<A> {
  /** All refs so far. */
  readonly refs: Refs;
  /**
   * Calls `decide` with the records that `read` finds. Returns `undefined` if it needs more: then
   * {@linkcode Decider.refs} names these, too. Throws as {@linkcode runDecide} does.
   */
  decide(read: (ref: Ref) => Item | undefined): TransactionOutcome<A> | undefined;
}

/**
 * Creates a decider, for stores that can't read in the middle of a decision: read all records that
 * its `refs` name, call its `decide`, and begin again if that returns `undefined`. Throws what
 * {@linkcode checkRefs} throws.
 */
export function createDecider<R extends Refs, A>(first: R, decide: Decide<R, A>): Decider<A> {
  // The caller may change its object while the transaction waits.
  let refs: Refs = { ...first };
  let reads = 0;
  checkRefs(refs);
  return {
    get refs() {
      return refs;
    },
    decide(read) {
      const found: Record<string, Item | undefined> = {};
      for (const name in refs) found[name] = read(refs[name]);
      const decision = decide(found as Found<R>);
      if (!("read" in decision)) return outcomeOf(decision, refs, found);
      if (++reads > MAX_READS) {
        throw new StorageError("unavailable", `A decision asked for records ${reads} times`);
      }
      refs = withFurther(refs, decision.read as Refs);
      return undefined;
    },
  };
}

/**
 * Calls `decide` with the records that `read` finds, until it asks for no more, and checks the
 * decision. Throws what {@linkcode checkRefs} and `decide` throw, a `TypeError` for a change of a
 * record that no ref names or for a record that its kind does not allow, and a `RangeError` if the
 * decision creates too much.
 */
export function runDecide<R extends Refs, A>(
  refs: R,
  decide: Decide<R, A>,
  read: (ref: Ref) => Item | undefined,
): TransactionOutcome<A> {
  const decider = createDecider(refs, decide);
  for (;;) {
    const outcome = decider.decide(read);
    if (outcome !== undefined) return outcome;
  }
}

/** Adds the refs that a decision asks for. Throws a `TypeError` unless all their names are new. */
function withFurther(refs: Refs, further: Refs): Refs {
  const names = Object.keys(further).filter((name) => further[name] !== undefined);
  if (names.length === 0 || names.some((name) => Object.hasOwn(refs, name))) {
    throw new TypeError("A decision that asks for more records must give each a new name");
  }
  const all = { ...refs };
  for (const name of names) all[name] = further[name];
  checkRefs(all);
  return all;
}

/** Checks a decision, and copies the records that it stores. */
function outcomeOf<R extends Refs, A>(
  { answer, put, remove, create }: Decision<R, A>,
  refs: Refs,
  found: Readonly<Record<string, Item | undefined>>,
): TransactionOutcome<A> {
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
  return { answer, changes, refs };
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
