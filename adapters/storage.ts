import type { AnyKind, Item, Kind } from "../model/kind.ts";

export type { AnyIndex, AnyKind, BaseFieldType, FieldOf, FieldType } from "../model/kind.ts";
export type { FieldTypeOf, FieldTypes, Index, Item, Kind } from "../model/kind.ts";

/**
 * A small ordered store: where Boardcast keeps its records, of whatever kinds there are.
 * `testStorage` of `@boardcast/boardcast/testing` checks that an implementation keeps the promises
 * made here.
 *
 * **Durability.** `transact` resolves only after the change would survive whatever the storage
 * claims to survive. When it rejects with `unavailable`, the change may not have been made, may have
 * been made, or may yet be made: as a whole in any case.
 *
 * **Atomicity.** A transaction takes effect as a whole or not at all, and no other change of the
 * records that it refers to, whether they exist or not, comes between its reads and its writes: what
 * it reads is what there was at one moment, even if it writes nothing.
 *
 * **Visibility.** What resolved is seen by every call that starts later, through any instance that
 * shares the storage; reads of a kind with `staleMs` may be that old where another instance made
 * the change. The order of calls that run at the same time is not promised.
 *
 * **Records** are frozen plain data, with their fields in the order of their kind. Storage keeps a copy
 * of what it is given, returns text exactly as it was given (but not the order of what is in a `json`
 * field), and rejects with a `TypeError` for a record whose fields are not those of its kind. A record
 * may take 256 KiB as JSON in UTF-8. Keys are what `isKey` allows; no record has another.
 *
 * **Errors.** Expected outcomes are values. A failing backend rejects with a
 * {@linkcode StorageError}. No method hangs: each has a deadline, which includes the time in queues.
 */
export interface Storage {
  /**
   * Whether no other process uses the storage as long as it is open, so that whatever another one was
   * doing has ended. Absent: there may be others.
   */
  readonly isExclusive?: boolean | undefined;
  /** Returns the record with this key, or `undefined`. */
  get<T>(kind: Kind<T>, key: string): Promise<T | undefined>;
  /**
   * Lists records in ascending order of the bytes of their keys, or in the order of an index. Changes
   * that are under way at the same time may or may not be seen. Rejects with a `RangeError` for a limit
   * out of range or an unknown index, with a `TypeError` for a position that is none of the index.
   */
  list<T>(kind: Kind<T>, query: ListQuery): Promise<readonly T[]>;
  /**
   * Reads the records that `refs` name, hands them to `decide`, and stores what it returns, all of
   * it or nothing. If `decide` throws, nothing changes and the promise rejects with what was thrown.
   * Rejects with a `RangeError`, and changes nothing, if there are more than {@linkcode MAX_REFS}
   * refs, or if a decision creates more than {@linkcode MAX_CREATED} records or
   * {@linkcode MAX_CREATED_BYTES}. Rejects with a `TypeError`, and changes nothing, if two refs name
   * one record, or if a decision changes a record that refs don't name, both stores and removes one,
   * creates one that a ref names, or stores one that its kind doesn't allow. A transaction that fails
   * leaves those that run at the same time alone.
   */
  transact<R extends Refs, A>(refs: R, decide: Decide<R, A>): Promise<A>;
  /**
   * Returns how many records are in an index: those that a listing would have. Where the kind is
   * `counted`, this costs nothing that grows with their number. Rejects with a `RangeError` for an
   * unknown index. Absent: who asks lists them all.
   */
  count?<T>(kind: Kind<T>, index: string): Promise<number>;
  /** Resolves when the storage takes writes now; rejects with a {@linkcode StorageError} otherwise. */
  ping(): Promise<void>;
  /**
   * Finishes the calls under way, then releases files, connections and timers. Later calls reject
   * with `closed`; closing again does nothing.
   */
  close(): Promise<void>;
}

/** Which records to list. */
export interface ListQuery {
  /** The name of the index whose records are listed in its order. Absent: all, by key. */
  readonly index?: string | undefined;
  /** List what comes after this position, which need not be that of a record. Absent: from the start. */
  readonly after?: Position | undefined;
  /** How many records to return, from 1 to {@linkcode MAX_LIST_LIMIT}; fewer only if no more follow. */
  readonly limit: number;
  /** Whether to list in descending order; `after` is then what comes before it. */
  readonly reverse?: boolean | undefined;
}

/**
 * A position in a listing, where there may or may not be a record. Its texts have the characters that
 * keys may have, but any length.
 */
export interface Position {
  /** What is compared with the keys of records; an empty text comes before every key. */
  readonly key: string;
  /**
   * What is compared with the field that the index is ordered by, as text even where that is a time.
   * Absent where the order is that of keys.
   */
  readonly by?: string | undefined;
}

/** The greatest `limit` of a listing. */
export const MAX_LIST_LIMIT = 1_000;

/** The greatest number of refs of a transaction. */
export const MAX_REFS = 100;

/** The greatest number of records that one decision creates. */
export const MAX_CREATED = 100;

/** The greatest size of all records that one decision creates, as JSON in UTF-8. */
export const MAX_CREATED_BYTES: number = 700 * 1_024;

/** The name of a record: its kind and its key. */
export interface Ref<K extends AnyKind = AnyKind> {
  /** The kind of the record. */
  readonly kind: K;
  /** The key of the record, which need not exist. */
  readonly key: string;
}

/** Up to {@linkcode MAX_REFS} records that a transaction reads and may change, each under a name of the caller's choice. */
export interface Refs {
  /** One record. */
  readonly [name: string]: Ref;
}

/** The record that a {@linkcode Ref} names. */
export type RecordOf<F> = F extends { readonly kind: Kind<infer T> } ? T : Item;

/** The records that were found, by the names of their {@linkcode Refs}. */
export type Found<R extends Refs> = { readonly [N in keyof R]: RecordOf<R[N]> | undefined };

/**
 * Decides on a change. Pure and synchronous, as it may be called several times: with the records as
 * they are then, until what it decided could be stored.
 */
export type Decide<R extends Refs, A> = (found: Found<R>) => Decision<R, A>;

/** What a transaction does, and what it resolves to. */
export interface Decision<R extends Refs, A> {
  /** What `transact` resolves to. */
  readonly answer: A;
  /** The records to store, by the names of their refs, with the keys of these; `undefined` is none. */
  readonly put?: { readonly [N in keyof R]?: RecordOf<R[N]> | undefined } | undefined;
  /** The names of the refs whose records are removed, if they exist. */
  readonly remove?: readonly (keyof R)[] | undefined;
  /**
   * New records, which no ref names. Their keys are random and were generated before the call, so that
   * `decide` stays pure; storage may rely on no record having such a key.
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
 * - `unavailable`: it can't be reached, takes no writes or answers too late; try again later;
 * - `closed`: it was used after `close()`;
 * - `locked`: another process holds it;
 * - `damaged`: what is stored can't be read back;
 * - `incompatible`: it was written by a newer version, needs a migration, or refuses a record
 *   that the model accepts.
 */
export type StorageErrorCode = "unavailable" | "closed" | "locked" | "damaged" | "incompatible";

/** A storage failure. The message is for operators and contains neither personal data nor secrets. */
export class StorageError extends Error {
  /** Always `StorageError`: recognise it by this, as there may be several copies of the class. */
  override readonly name = "StorageError";
  /** Why storage failed. */
  readonly code: StorageErrorCode;

  /** Creates an error; `options.cause` is what the backend threw. */
  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
