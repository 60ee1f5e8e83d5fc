import type { AnyKind, Item, Kind } from "../model/kind.ts";

export type { AnyIndex, AnyKind, BaseFieldType, FieldOf, FieldType } from "../model/kind.ts";
export type { FieldTypeOf, FieldTypes, Index, Item, Kind } from "../model/kind.ts";
export type { Limits, RecordReference } from "../model/kind.ts";

/**
 * A small ordered store of records of any kinds.
 * `testStorage` of `@boardcast/boardcast/testing` checks that an implementation keeps the promises
 * made here.
 *
 * **Durability.** `transact` resolves only after the change would survive whatever the storage
 * claims to survive. When it rejects with `unavailable`, the change may not have been made, may
 * have been made, or may yet be made: as a whole in any case.
 *
 * **Atomicity.** A transaction takes effect as a whole or not at all, and no other change of the
 * records that it refers to, whether they exist or not, comes between its reads and its writes:
 * its reads are of one moment, even if it writes nothing.
 *
 * **Visibility.** Every call that starts after a change has resolved sees that change, through any
 * instance on the storage. A read of a kind with `staleMs` may miss changes of other instances for
 * that long. Calls that run at the same time have no defined order.
 *
 * **Records** are frozen plain data, with their fields in the order of their kind. Storage keeps a
 * copy of each record, and returns its texts unchanged; the order of members in a `json` field may
 * change. It rejects with a `TypeError` for a record whose fields are not those of its kind. A
 * record may take 256 KiB as JSON in UTF-8. `isKey` tells which texts can be keys.
 *
 * **Errors.** Expected outcomes are values. A failing backend rejects with a
 * {@linkcode StorageError}. No method hangs: each has a deadline, which covers the time in queues.
 */
export interface Storage {
  /**
   * Whether no other process can use the storage while it is open. Absent: others may.
   */
  readonly isExclusive?: boolean | undefined;
  /** Returns the record with this key, or `undefined`. */
  get<T>(kind: Kind<T>, key: string): Promise<T | undefined>;
  /**
   * Lists records in ascending order of the bytes of their keys, or in the order of an index. It
   * may or may not include changes that are made at the same time. Rejects with a `RangeError` for
   * a limit out of range or an unknown index, with a `TypeError` for a position of another index
   * or for `within` in the order of a time.
   */
  list<T>(kind: Kind<T>, query: ListQuery): Promise<readonly T[]>;
  /**
   * Reads the records that `refs` name, hands them to `decide`, and stores what it returns, all of
   * it or nothing. If `decide` asks for more records, it is called again with these as well, in the
   * same atomic step. If `decide` throws, nothing changes and the promise rejects with what was
   * thrown. Rejects with a `RangeError`, and changes nothing, if there are more than
   * {@linkcode MAX_REFS} refs, or if a decision creates more than {@linkcode MAX_CREATED} records
   * or {@linkcode MAX_CREATED_BYTES}. Rejects with a `TypeError`, and changes nothing, if two refs
   * name one record, or if a decision changes a record that refs don't name, both stores and
   * removes one, creates one that a ref names, or stores one that its kind doesn't allow. Rejects
   * with `unavailable`, and changes nothing, if `decide` asks for more records after
   * {@linkcode MAX_READS} such reads. A transaction that fails leaves those that run at the same
   * time alone.
   */
  transact<R extends Refs, A>(refs: R, decide: Decide<R, A>): Promise<A>;
  /**
   * Returns how many records are in an index. If the kind is `counted`, the cost does not grow with
   * their number. Rejects with a `RangeError` for an unknown index. Absent: callers list the
   * records to count them.
   */
  count?<T>(kind: Kind<T>, index: string): Promise<number>;
  /**
   * Resolves when the storage takes writes now; rejects with a {@linkcode StorageError} otherwise.
   */
  ping(): Promise<void>;
  /**
   * Finishes the calls under way, then releases files, connections and timers. Later calls reject
   * with `closed`; closing again does nothing.
   */
  close(): Promise<void>;
}

/** A query for records, in an order. */
export interface ListQuery {
  /** The name of the index to list. Absent: all records, by key. */
  readonly index?: string | undefined;
  /**
   * The position after which the listing begins; there need not be a record. Absent: the start.
   */
  readonly after?: Position | undefined;
  /**
   * Lists only records whose texts that the listing is ordered by begin with this: their keys or,
   * in an index with `by`, that field, which is no time.
   */
  readonly within?: string | undefined;
  /**
   * The number of records to return, from 1 to {@linkcode MAX_LIST_LIMIT}. Fewer are returned only
   * if no more follow.
   */
  readonly limit: number;
  /** Whether to list in descending order, from `after` downwards. */
  readonly reverse?: boolean | undefined;
}

/**
 * A position in a listing; there need not be a record. Its texts have the characters of keys, and
 * any length.
 */
export interface Position {
  /** A text that is compared with the keys of records; an empty one comes before every key. */
  readonly key: string;
  /**
   * A text that is compared with the field that the index is ordered by, even if that is a time.
   * Absent in the order of keys.
   */
  readonly by?: string | undefined;
}

/** The greatest `limit` of a listing. */
export const MAX_LIST_LIMIT = 1_000;

/** The greatest number of refs of a transaction, with those that `decide` asks for. */
export const MAX_REFS = 100;

/** The greatest number of times that the `decide` of one transaction may ask for more records. */
export const MAX_READS = 10;

/** The greatest number of records that one decision creates. */
export const MAX_CREATED = 100;

/** The greatest size of all records that one decision creates, as JSON in UTF-8. */
export const MAX_CREATED_BYTES: number = 700 * 1_024;

/** The name of a record: its kind and its key. */
export interface Ref<K extends AnyKind = AnyKind> {
  /** The kind of the record. */
  readonly kind: K;
  /** The key of the record; the record need not exist. */
  readonly key: string;
}

/**
 * Up to {@linkcode MAX_REFS} records that a transaction reads and may change, by names that the
 * caller chooses.
 */
export interface Refs {
  /** One record. */
  readonly [name: string]: Ref;
}

/** The record that a {@linkcode Ref} names. */
export type RecordOf<F> = F extends { readonly kind: Kind<infer T> } ? T : Item;

/** The records by the names of their {@linkcode Refs}; `undefined` stands for a missing record. */
export type Found<R extends Refs> = {
  readonly [N in keyof R]: RecordOf<NonNullable<R[N]>> | undefined;
};

/**
 * Decides on a change, or asks for more records. It must be pure and synchronous, as storage calls
 * it again with newer records until the decision can be stored. Each call begins anew: its records
 * are of one moment, or the call comes to nothing.
 */
export type Decide<R extends Refs, A> = (found: Found<R>) => Decision<R, A> | FurtherReads<R>;

/** The records that a decision needs as well. */
export interface FurtherReads<R extends Refs = Refs> {
  /**
   * Their refs, at least one. The names must be new: a name stands for one record throughout the
   * transaction. From now on `found` has these names, and the decision may change these records.
   */
  readonly read: { readonly [N in keyof R]?: R[N] | undefined };
}

/** The changes that a transaction makes, and the value that it resolves to. */
export interface Decision<R extends Refs, A> {
  /** The value that `transact` resolves to. */
  readonly answer: A;
  /**
   * The records to store, by the names of their refs; each has the key of its ref. `undefined`
   * stores nothing.
   */
  readonly put?:
    | { readonly [N in keyof R]?: RecordOf<NonNullable<R[N]>> | undefined }
    | undefined;
  /** The names of the refs whose records are removed, if they exist. */
  readonly remove?: readonly (keyof R)[] | undefined;
  /**
   * New records, which no ref names. Their keys are random and were generated before the call, so
   * that `decide` stays pure; storage may rely on no record having such a key.
   */
  readonly create?: readonly NewRecord[] | undefined;
}

/** A record that a decision creates. */
export interface NewRecord {
  /** The kind of the record. */
  readonly kind: AnyKind;
  /** The record, which has its key. */
  readonly record: Item;
}

/**
 * Why storage failed:
 *
 * - `unavailable`: it can't be reached, takes no writes, or answers too late: try again later;
 * - `closed`: it was used after `close()`;
 * - `locked`: another process holds it;
 * - `damaged`: stored data can't be read back;
 * - `incompatible`: a newer version wrote it, it needs a migration, or it refuses a record that the
 *   model accepts.
 */
export type StorageErrorCode = "unavailable" | "closed" | "locked" | "damaged" | "incompatible";

/**
 * A storage failure. The message is for operators and contains neither personal data nor secrets.
 */
export class StorageError extends Error {
  /**
   * Always `StorageError`. Recognise the error by this name, as several copies of the class may be
   * loaded.
   */
  override readonly name = "StorageError";
  /** Why storage failed. */
  readonly code: StorageErrorCode;

  /** Creates an error; `options.cause` is the error of the backend. */
  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
