import type { ApiKey } from "../model/api_key.ts";
import type { Board } from "../model/board.ts";
import type { Subscription, SubscriptionChange } from "../model/subscription.ts";

/**
 * Where Boardcast keeps its records. Routes and commands know storage by this interface
 * alone; `testStorage` of `@boardcast/boardcast/testing` proves that an implementation
 * keeps what is promised here.
 *
 * **Durability.** A method that changes something resolves only after the change survives
 * whatever the storage claims to survive; a method that rejects may or may not have
 * changed something. Every change is seen by each call that starts after it resolved,
 * through whichever instance that shares the storage.
 *
 * **Atomicity.** Each call takes effect in one step, or not at all. Any number of calls
 * may be under way at once; each pair of calls for the same record, reads included, takes
 * effect in some order, and those made one after the other without waiting, through one
 * instance, take effect in the order in which they were made. A listing need not see changes
 * that had not resolved when it was called.
 *
 * **Records** are plain data that the model has already checked. A record that was given
 * or handed out is never changed afterwards: a change makes a new one. Text comes back
 * exactly as it was given.
 *
 * **Errors.** Expected outcomes are values. Whatever else goes wrong rejects with a
 * {@linkcode StorageError}; no method hangs.
 */
export interface Storage {
  /** The feedback boards. */
  readonly boards: BoardStorage;
  /** The changelog subscriptions. */
  readonly subscriptions: SubscriptionStorage;
  /** The API keys. */
  readonly apiKeys: ApiKeyStorage;
  /** Resolves when the storage takes writes now; rejects with `unavailable` or `closed`. */
  ping(): Promise<void>;
  /**
   * Finishes the calls that are under way, then lets go of files, connections and timers.
   * Calls made later reject with `closed`; closing again does nothing.
   */
  close(): Promise<void>;
}

/** One stretch of a listing. */
export interface PageQuery {
  /** List what comes after this key; it need not exist (any more). Absent: from the start. */
  readonly after?: string | undefined;
  /** How many records to return, at least 1; fewer only where no more follow. */
  readonly limit: number;
}

/**
 * Boards by `boardId`. Change is by comparison: a caller reads a board, decides on it, and
 * has it replaced only if it is still what was read, so that no update is ever lost.
 */
export interface BoardStorage {
  /** Returns the board, or `undefined` if there is none. */
  get(boardId: string): Promise<Board | undefined>;
  /** Lists boards in ascending order of the UTF-8 bytes of `boardId`. */
  list(query: PageQuery): Promise<readonly Board[]>;
  /** Adds a board; returns `false`, and changes nothing, where its `boardId` is taken. */
  create(board: Board): Promise<boolean>;
  /**
   * Stores `next`, of the same `boardId`, if what is stored equals `current` in every field.
   * Returns whether it did.
   */
  replace(current: Board, next: Board): Promise<boolean>;
  /** Removes the board if what is stored equals `current` in every field. Returns whether it did. */
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
  /** The state before the change; absent where the address was new. */
  readonly previous?: Subscription | undefined;
  /** Whether the address was new, or `subscribed` or `userName` changed. */
  readonly changed: boolean;
}

/** Changelog subscriptions by `userEmail`. */
export interface SubscriptionStorage {
  /**
   * Creates or updates the subscription of one address in one atomic step, by the rule of
   * `applySubscriptionChange`, and returns what came of it. Where nothing changes, nothing
   * is written.
   */
  put(change: SubscriptionChange): Promise<SubscriptionOutcome>;
  /** Returns the subscription, or `undefined` if the address was never seen. */
  get(userEmail: string): Promise<Subscription | undefined>;
  /** Lists subscriptions in ascending order of the bytes of `userEmail`. */
  list(query: SubscriptionQuery): Promise<readonly Subscription[]>;
  /**
   * Removes all that is stored of the address, opt-out included; returns whether there was
   * anything. Storage that keeps a history soon rewrites it without the person.
   */
  erase(userEmail: string): Promise<boolean>;
}

/** How one key takes over from another. */
export interface KeyRotation {
  /** The key that is to end. */
  readonly keyId: string;
  /** When the rotation happens (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /**
   * Until when the old key is accepted; a sooner expiry of its own stands. Where it equals
   * `at` there is no overlap, and the old key is revoked.
   */
  readonly until: string;
  /** The key that takes over. */
  readonly successor: ApiKey;
}

/** API keys by `keyId` and by hash. Revoked and expired keys stay on record. */
export interface ApiKeyStorage {
  /** Adds a key. Its `keyId` and hash are new; if not, rejects with `conflict`. */
  create(key: ApiKey): Promise<void>;
  /** Returns the key of this identifier, live or not. */
  get(keyId: string): Promise<ApiKey | undefined>;
  /**
   * Returns the key of this hash, live or not. What another instance changed may go unseen
   * for up to 1 second.
   */
  findByHash(hash: string): Promise<ApiKey | undefined>;
  /** Lists keys in ascending order of the bytes of `keyId`. */
  list(query: PageQuery): Promise<readonly ApiKey[]>;
  /**
   * Adds `successor` and ends the old key, both or neither. Returns `false`, and changes
   * nothing, where the old key is unknown, revoked, or expired at the time of the rotation.
   * Where it is none of these and the `keyId` or hash of `successor` is taken, rejects with
   * `conflict`, and changes nothing either.
   */
  rotate(rotation: KeyRotation): Promise<boolean>;
  /**
   * Revokes a key. Returns `false` where it is unknown, and `true` where it was revoked before,
   * which stands with its time.
   */
  revoke(keyId: string, at: string): Promise<boolean>;
  /**
   * Notes the minute in which a key was accepted; an older minute than the one on record, or
   * an unknown key, changes nothing. The note may be lost in a crash.
   */
  touch(keyId: string, minute: string): Promise<void>;
}

/**
 * Why storage failed:
 *
 * - `unavailable`: it can't be reached, takes no writes or answers too late; try again later;
 * - `closed`: it was used after `close()`;
 * - `conflict`: a record that had to be new exists;
 * - `locked`: another process holds it;
 * - `damaged`: what is stored can't be read back;
 * - `incompatible`: it was written by a newer version, or needs a migration.
 */
export type StorageErrorCode =
  | "unavailable"
  | "closed"
  | "conflict"
  | "locked"
  | "damaged"
  | "incompatible";

/** A failing backend. The message is for operators and names neither people nor secrets. */
export class StorageError extends Error {
  /** Always `StorageError`: by this it is told, as there may be several copies of the class. */
  override readonly name = "StorageError";
  /** Why storage failed. */
  readonly code: StorageErrorCode;

  /** Creates an error; `options.cause` is what the backend threw. */
  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
