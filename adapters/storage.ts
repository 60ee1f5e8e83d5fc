import type { ApiKey } from "../model/api_key.ts";
import type { Board } from "../model/board.ts";
import type { Subscription, SubscriptionChange } from "../model/subscription.ts";

/**
 * Where Boardcast keeps its records. Routes and commands know storage only by this
 * interface; `testStorage` of `@boardcast/boardcast/testing` tests that an implementation
 * keeps the promises made here.
 *
 * **Durability.** A method that changes something resolves only after the change would survive
 * whatever the storage claims to survive; a method that rejects may or may not have
 * changed something. Unless a method says otherwise, every change is seen by each call that
 * starts after it resolved, through any instance that shares the storage.
 *
 * **Atomicity.** Each call takes effect in one step, or not at all. Any number of calls
 * may be under way at once. Each pair of calls for the same record, including reads, takes
 * effect in some order; if the two are made through one instance, one after the other without
 * waiting, they take effect in the order in which they were made. A listing need not see changes
 * that had not resolved when it was called.
 *
 * **Records** are plain data that the model has already checked. The storage never changes a
 * record that was passed in or returned: a change creates a new one. What callers do to theirs
 * has no effect on what is stored. Text comes back exactly as it was given.
 *
 * **Errors.** Expected outcomes are values. Any other failure rejects with a
 * {@linkcode StorageError}; no method hangs.
 */
export interface Storage {
  /** The feedback boards. */
  readonly boards: BoardStorage;
  /** The changelog subscriptions. */
  readonly subscriptions: SubscriptionStorage;
  /** The API keys. */
  readonly apiKeys: ApiKeyStorage;
  /**
   * Resolves when the storage takes writes now; rejects with `unavailable`, `incompatible` or
   * `closed`.
   */
  ping(): Promise<void>;
  /**
   * Finishes the calls that are under way, then releases files, connections and timers.
   * Calls made later reject with `closed`; closing again does nothing.
   */
  close(): Promise<void>;
}

/** Which part of a listing to return. */
export interface PageQuery {
  /** List what comes after this key, which need not exist (any more). Absent: from the start. */
  readonly after?: string | undefined;
  /** How many records to return, at least 1; fewer are returned only if no more follow. */
  readonly limit: number;
}

/**
 * Boards by `boardId`. Changes work by comparison: a caller reads a board, decides on a change,
 * and has the board replaced only if it is still the one that was read, so that no update is
 * ever lost.
 */
export interface BoardStorage {
  /** Returns the board, or `undefined` if there is none. */
  get(boardId: string): Promise<Board | undefined>;
  /** Lists boards in ascending order of the UTF-8 bytes of `boardId`. */
  list(query: PageQuery): Promise<readonly Board[]>;
  /** Adds a board; returns `false`, and changes nothing, if its `boardId` is taken. */
  create(board: Board): Promise<boolean>;
  /**
   * Stores `next`, which has the same `boardId`, if the stored board equals `current` in every
   * field. Returns whether it did.
   */
  replace(current: Board, next: Board): Promise<boolean>;
  /** Removes the board if the stored one equals `current` in every field. Returns whether it did. */
  delete(current: Board): Promise<boolean>;
}

/** Which subscriptions to list. */
export interface SubscriptionQuery extends PageQuery {
  /** Only those in this state; absent: all. */
  readonly subscribed?: boolean | undefined;
}

/** The outcome of a change of a subscription. */
export interface SubscriptionOutcome {
  /** The state after the change. */
  readonly subscription: Subscription;
  /** The state before the change; absent if the address was new. */
  readonly previous?: Subscription | undefined;
  /** Whether the address was new, or `subscribed` or `userName` changed. */
  readonly changed: boolean;
}

/** Changelog subscriptions by `userEmail`. */
export interface SubscriptionStorage {
  /**
   * Creates or updates the subscription of one address in one atomic step, by the rule of
   * `applySubscriptionChange`, and returns the outcome. If nothing changes, nothing is written.
   */
  put(change: SubscriptionChange): Promise<SubscriptionOutcome>;
  /** Returns the subscription, or `undefined` if the address was never seen. */
  get(userEmail: string): Promise<Subscription | undefined>;
  /** Lists subscriptions in ascending order of the bytes of `userEmail`. */
  list(query: SubscriptionQuery): Promise<readonly Subscription[]>;
  /**
   * Removes everything stored about the address, including the opt-out; returns whether there
   * was anything. Storage that keeps a history soon rewrites it without the person.
   */
  erase(userEmail: string): Promise<boolean>;
}

/** How one key takes over from another. */
export interface KeyRotation {
  /** The key to end. */
  readonly keyId: string;
  /** When the rotation happens (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /**
   * Until when the old key is accepted; if it expires sooner by itself, that remains. If `until`
   * equals `at`, there is no overlap, and the old key is revoked.
   */
  readonly until: string;
  /** The key that takes over. */
  readonly successor: ApiKey;
}

/** API keys by `keyId` and by hash. Revoked and expired keys stay on record. */
export interface ApiKeyStorage {
  /** Adds a key. Rejects with `conflict` if its `keyId` or hash is taken. */
  create(key: ApiKey): Promise<void>;
  /** Returns the key with this identifier, live or not. */
  get(keyId: string): Promise<ApiKey | undefined>;
  /**
   * Returns the key with this hash, live or not. Changes made by another instance may go unseen
   * for up to 1 second.
   */
  findByHash(hash: string): Promise<ApiKey | undefined>;
  /** Lists keys in ascending order of the bytes of `keyId`. */
  list(query: PageQuery): Promise<readonly ApiKey[]>;
  /**
   * Adds `successor` and ends the old key, both or neither. Returns `false`, and changes
   * nothing, if the old key is unknown, revoked, or expired at the time of the rotation.
   * Otherwise, if the `keyId` or hash of `successor` is taken, rejects with `conflict`, and
   * changes nothing either.
   */
  rotate(rotation: KeyRotation): Promise<boolean>;
  /**
   * Revokes a key at a time (RFC 3339, UTC, milliseconds). Returns `false` if it is unknown. If it
   * was already revoked, returns `true` and keeps the time of that revocation.
   */
  revoke(keyId: string, at: string): Promise<boolean>;
  /**
   * Records the minute in which a key was accepted, by its start (RFC 3339, UTC, milliseconds). A
   * minute older than the one on record, or an unknown key, changes nothing. The record may be lost
   * in a crash, or where the key is being changed at the same time.
   */
  touch(keyId: string, minute: string): Promise<void>;
}

/**
 * Why storage failed:
 *
 * - `unavailable`: it can't be reached, takes no writes or answers too late; try again later;
 * - `closed`: it was used after `close()`;
 * - `conflict`: a record that must be new exists already;
 * - `locked`: another process holds it;
 * - `damaged`: what is stored can't be read back;
 * - `incompatible`: it was written by a newer version, needs a migration, or refuses a record
 *   that the model accepts.
 */
export type StorageErrorCode =
  | "unavailable"
  | "closed"
  | "conflict"
  | "locked"
  | "damaged"
  | "incompatible";

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
