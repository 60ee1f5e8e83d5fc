import type { ApiKey, Scope } from "../../model/api_key.ts";
import { createBatcher, createFinder } from "./batch.ts";
import type { Call, Calls } from "./calls.ts";
import { createKeyCache } from "./key_cache.ts";
import { createOrder, type OrderKind } from "./order.ts";
import type { Database } from "./database.ts";
import { errorCode, isRefusal } from "./errors.ts";
import { createListing, type Parameter, type Statement, toStatement } from "./statement.ts";
import {
  msOf,
  readNullableTime,
  readText,
  readTime,
  type Row,
  timeOf,
  toArray,
  toMs,
} from "./values.ts";
import { type ApiKeyStorage, type KeyRotation, StorageError } from "../storage.ts";

/** What is selected of an API key. */
export const COLUMNS = "key_id, hash, name, hint, array_to_string(scopes, ' '), " +
  ["created_at", "expires_at", "revoked_at", "last_used_at"].map(msOf).join(", ");
const UNIQUE_VIOLATION = "23505";
// Look-ups go by the hash and rotations change two keys, so there is one order over all of them.
const ALL_KEYS = "";

/** That a key was used. */
interface Note {
  readonly keyId: string;
  /** The minute, in milliseconds since 1970. */
  readonly usedMs: number;
}

/**
 * Keys in the table `api_keys`. A key that was looked up is remembered for half a second, and
 * for no longer than until this instance writes a key.
 */
export function createApiKeyStorage(
  database: Database,
  schema: string,
  { calls, now }: { readonly calls: Calls; readonly now: () => number },
): ApiKeyStorage {
  const table = `${schema}.api_keys`;
  const order = createOrder();
  const cache = createKeyCache(now);
  const insertInto = `insert into ${table}
    (key_id, hash, name, hint, scopes, created_at, expires_at, revoked_at, last_used_at)`;
  const values = (first: number) =>
    [0, 1, 2, 3].map((i) => `$${first + i}::text`).join(", ") + `, $${first + 4}::text[], ` +
    [5, 6, 7, 8].map((i) => timeOf(`$${first + i}`)).join(", ");

  const select = toStatement(`select ${COLUMNS} from ${table} where key_id = $1`);
  const selectHashes = toStatement(`select ${COLUMNS} from ${table} where hash = any($1::text[])`);
  const list = createListing(`select ${COLUMNS} from ${table}`, "key_id");
  const insert = toStatement(`${insertInto} values (${values(1)})`);
  const revoke = toStatement(
    `update ${table} set revoked_at = coalesce(revoked_at, ${timeOf("$1")})
     where key_id = $2 returning true`,
  );
  // Nothing may wait for a note: a key that another process is changing is left out, and the
  // server does not wait for its disk, nor for its standbys.
  const touch = toStatement(
    `with asynchronous as materialized (
       select set_config('synchronous_commit', 'off', true) = 'off' as is_set
     ), stale as materialized (
       select target.key_id, ${timeOf("note.used")} as used
       from unnest($1::text[], $2::float8[]) as note (key_id, used)
         join ${table} as target on target.key_id = note.key_id
       where target.last_used_at is null or target.last_used_at < ${timeOf("note.used")}
       for no key update of target skip locked
     )
     update ${table} as target set last_used_at = stale.used
     from stale, asynchronous where target.key_id = stale.key_id and is_set`,
  );
  const rotate = toStatement(
    `with old as (
       select key_id from ${table} where key_id = $1 and revoked_at is null
         and (expires_at is null or expires_at > ${timeOf("$2")})
       for no key update
     ), successor as (
       ${insertInto} select ${values(3)} from old
     ), ended as (
       update ${table} as target
       set revoked_at = coalesce(${timeOf("$12")}, revoked_at),
         expires_at = least(expires_at, ${timeOf("$13")})
       from old where target.key_id = old.key_id
     )
     select key_id from old`,
  );

  const finds = createFinder(async (hashes) => {
    const asOf = cache.begin();
    const keys = (await database.query(selectHashes, [toArray(hashes)])).map(readKey);
    for (const key of keys) cache.add(key, asOf);
    return keys;
  }, ({ hash }) => hash);
  const touches = createBatcher(async (notes: readonly Note[]) => {
    const latest = new Map<string, number>();
    for (const { keyId, usedMs } of notes) {
      latest.set(keyId, Math.max(usedMs, latest.get(keyId) ?? usedMs));
    }
    await database.query(touch, [toArray([...latest.keys()]), toArray([...latest.values()])]);
    return notes;
  }, { isRefusal });

  function write<T>(operation: () => Promise<T>): Promise<T> {
    return change("write", operation);
  }

  function change<T>(kind: OrderKind, operation: (call: Call) => Promise<T>): Promise<T> {
    return calls.run((call) =>
      cache.whileWriting(() => order.run(ALL_KEYS, kind, call, () => operation(call)))
    );
  }

  function read<T>(operation: (call: Call) => Promise<T>): Promise<T> {
    return calls.run((call) => order.run(ALL_KEYS, "read", call, () => operation(call)));
  }

  async function insertOrConflict(
    statement: Statement,
    parameters: readonly Parameter[],
  ): Promise<readonly Row[]> {
    try {
      return await database.query(statement, parameters);
    } catch (error) {
      if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
      throw new StorageError("conflict", "Cannot create the API key: it exists already");
    }
  }

  return {
    create(key) {
      const parameters = toParameters(key);
      return write(async () => void await insertOrConflict(insert, parameters));
    },
    get: (keyId) => read(async () => (await database.query(select, [keyId])).map(readKey).at(0)),
    findByHash(hash) {
      const key = cache.get(hash);
      // Not answered at once: `calls` refuses where the storage was closed.
      if (key !== undefined) return calls.run(() => Promise.resolve(key));
      return read((call) => finds.add(call, hash));
    },
    list: ({ after = "", limit }) =>
      read(async () => (await database.query(list(limit), [after])).map(readKey)),
    rotate(rotation) {
      const parameters = toRotationParameters(rotation);
      return write(async () => (await insertOrConflict(rotate, parameters)).length > 0);
    },
    revoke: (keyId, at) =>
      write(async () => (await database.query(revoke, [toMs(at), keyId])).length > 0),
    touch: (keyId, minute) =>
      change("put", async (call) => void await touches.add(call, { keyId, usedMs: toMs(minute) })),
  };
}

function toParameters(key: ApiKey): readonly Parameter[] {
  return [
    key.keyId,
    key.hash,
    key.name,
    key.hint,
    toArray(key.scopes),
    ...[key.createdAt, key.expiresAt, key.revokedAt, key.lastUsedAt].map((time) =>
      time === null ? null : toMs(time)
    ),
  ];
}

function toRotationParameters(rotation: KeyRotation): readonly Parameter[] {
  const { keyId, at, until, successor } = rotation;
  const isImmediate = until === at;
  return [
    keyId,
    toMs(at),
    ...toParameters(successor),
    isImmediate ? toMs(at) : null,
    isImmediate ? null : toMs(until),
  ];
}

function readKey(row: Row): ApiKey {
  return Object.freeze({
    keyId: readText(row, 0),
    hash: readText(row, 1),
    name: readText(row, 2),
    hint: readText(row, 3),
    scopes: Object.freeze(readText(row, 4).split(" ") as Scope[]),
    createdAt: readTime(row, 5),
    expiresAt: readNullableTime(row, 6),
    revokedAt: readNullableTime(row, 7),
    lastUsedAt: readNullableTime(row, 8),
  });
}
