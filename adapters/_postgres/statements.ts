import type { AnyKind, Item } from "../storage.ts";
import { createListing, type Listing } from "./listing.ts";
import {
  type Bound,
  createStatementCache,
  type Parameter,
  type Row,
  type Source,
  type Statement,
  tableOfKind,
  toColumn,
  toStatement,
} from "./sql.ts";

/** The version of a row: its location, and the transaction that wrote it. */
export interface RowVersion {
  readonly ctid: string;
  readonly xmin: string;
}

/** A stored record with its version. */
export type VersionedItem = Item & RowVersion;

export interface TableChanges {
  readonly replaced: readonly VersionedItem[];
  /** The fields in which any of these differs from its row. */
  readonly changed: ReadonlySet<string>;
  readonly created: readonly Item[];
  /** Only the keys and versions matter. */
  readonly removed: readonly VersionedItem[];
}

/** The statements for the table of one kind. */
export interface Statements extends Listing {
  /** Selects the records with some keys (see `toArray`). */
  readonly find: Statement;
  /** Selects the records with some keys, and their versions. */
  readonly findVersions: Statement;
  /**
   * Selects the records with some keys, and locks them until the transaction ends. For a record
   * that another transaction has locked, returns a row with only `its key`.
   */
  readonly lock: Statement;
  /** Keeps others from creating records with some keys (see `toLocks`) until the end. */
  readonly holdKeys: Statement;
  /**
   * Changes the records whose versions are still the newest. Unless `isPatient`, gives up quickly
   * when another transaction has locked a record. Selects the number of changes as `count` and,
   * unless it made all of them, their keys as `keys`.
   */
  write(changes: TableChanges, options: { readonly isPatient: boolean }): Bound;
  /** Inserts records with new random keys. Selects the number of inserted records as `count`. */
  create(records: readonly Item[]): Bound;
  toRecord(row: Row): Item;
}

// The limit on waiting for another process's change, since the rest of the batch waits too.
const IMPATIENCE = "set_config('lock_timeout', '10ms', true)";

// Keys share this many locks: many more would fill the server's table of locks, and a lock for each
// key would cost 8 % of the rate of insertions.
const LOCKS = 64;

// Each set of changed fields has a prepared statement of its own.
const MAX_SETS = 32;

const VERSION: readonly Source[] = [{ field: "ctid", type: "tid" }, { field: "xmin", type: "xid" }];

/**
 * Creates the statements for the table of a kind. Each finds records through the index of the key.
 */
export function createStatements(kind: AnyKind, schema: string): Statements {
  const table = tableOfKind(kind, schema);
  const { name, key, columns, fields, values } = table;
  const field = `"${kind.key}"`;
  const lockKeys = (lock: string, locks: string) =>
    `select count(*) from (
       select ${lock}(hashtext('boardcast.${schema}.${kind.name}'), number)
       from unnest(${locks}::int[]) as number
     ) as locks`;
  const make = createStatementCache();
  const keySource = table.sources.filter(({ field }) => field === kind.key);
  const otherSources = table.sources.filter(({ field }) => field !== kind.key);
  const sets = new Set<string>();

  /** Returns the columns to update: those that changed or, if there are too many sets, all. */
  function toUpdate(changed: ReadonlySet<string>): readonly Source[] {
    const sources = otherSources.filter(({ field }) => changed.has(field));
    const names = sources.map(({ field }) => field).join();
    if (sets.size < MAX_SETS) sets.add(names);
    return sets.has(names) ? sources : otherSources;
  }

  /**
   * Adds records as parameters, an array for each column, and returns a recordset named `record`.
   * From one JSON text, the server would make rows at two thirds of the rate.
   */
  function bind(
    parameters: Parameter[],
    records: readonly Item[],
    sources: readonly Source[] = table.sources,
  ): string {
    // A fixed order, so that two processes that write the same records do not deadlock.
    const sorted = records.toSorted((a, b) => String(a[kind.key]) < String(b[kind.key]) ? -1 : 1);
    const arrays = sources.map(({ field, type }) => {
      const array = toColumn(sorted.map((record) => record[field]), type);
      return `$${parameters.push(array)}::${type}[]`;
    });
    return `unnest(${arrays}) as record (${sources.map(({ field }) => `"${field}"`)})`;
  }

  return {
    find: toStatement(`select ${fields} from ${name} as t where t.${key} = any($1::text[])`),
    findVersions: toStatement(
      `select t.ctid, t.xmin, ${fields} from ${name} as t where t.${key} = any($1::text[])`,
    ),
    lock: toStatement(
      `with wanted as materialized (select $1::text[] as keys),
       locked as materialized (
         select t.ctid, t.xmin, ${fields} from ${name} as t
         where t.${key} = any((select keys from wanted)::text[])
         for no key update skip locked
       )
       select t.${key} as "its key", locked.* from ${name} as t
         left join locked on locked.${field} = t.${key}
         where t.${key} = any((select keys from wanted)::text[])`,
    ),
    holdKeys: toStatement(lockKeys("pg_advisory_xact_lock", "$1")),
    ...createListing(kind, table, schema),
    write({ replaced, changed, created, removed }, { isPatient }) {
      const calls = isPatient ? [] : [once(IMPATIENCE)];
      const parts: string[] = [];
      const parameters: Parameter[] = [];
      // Rows are found by location. With `=`, a plan made while the table was empty might scan the
      // whole index of the key for each batch.
      const matching = (records: readonly VersionedItem[], sources: readonly Source[] = []) => {
        const isSame = `t.${key} is not distinct from record.${field}`;
        const isHere = ["t.ctid = record.ctid", "t.xmin = record.xmin", isSame, ...calls];
        return `${bind(parameters, records, [...VERSION, ...keySource, ...sources])}
          where ${isHere.join(" and ")} returning t.${key} as key`;
      };
      if (replaced.length > 0) {
        const sources = toUpdate(changed);
        const sets = table.set(sources.map(({ field }) => field));
        parts.push(
          `replaced as (update ${name} as t set ${sets} from ${matching(replaced, sources)})`,
        );
      }
      if (removed.length > 0) {
        parts.push(`removed as (delete from ${name} as t using ${matching(removed)})`);
      }
      if (created.length > 0) {
        const records = bind(parameters, created);
        const array = toLocks(created.map((record) => String(record[kind.key])));
        const locks = lockKeys("pg_advisory_xact_lock_shared", `$${parameters.push(array)}`);
        const first = [`(${locks}) is not null`, ...calls];
        parts.push(
          `created as (
             insert into ${name} (${columns}) select ${values} from ${records}
             where ${first.join(" and ")} on conflict (${key}) do nothing returning ${key} as key
           )`,
        );
      }
      const made = parts.map((part) => `select key from ${part.split(" ", 1)}`).join(" union all ");
      const count = replaced.length + removed.length + created.length;
      const total = `$${parameters.push(count)}::int`;
      const statement = make(
        `with ${parts.join(", ")}
         select count(*)::int as count, case when count(*) < ${total} then json_agg(key) end as keys
         from (${made}) as made`,
      );
      return [statement, ...parameters];
    },
    create(records) {
      const parameters: Parameter[] = [];
      const statement = make(
        `with created as (
           insert into ${name} (${columns}) select ${values} from ${bind(parameters, records)}
           returning 1
         )
         select count(*)::int as count from created`,
      );
      return [statement, ...parameters];
    },
    toRecord: table.toRecord,
  };
}

/**
 * Formats the numbers of the locks of some keys, in an order that lets no two processes deadlock.
 */
export function toLocks(keys: Iterable<string>): string {
  const numbers = new Set<number>();
  for (const key of keys) {
    let hash = 0;
    for (let at = 0; at < key.length; at++) hash = Math.imul(hash, 31) + key.charCodeAt(at) | 0;
    numbers.add(hash & (LOCKS - 1));
  }
  return `{${[...numbers].sort((a, b) => a - b)}}`;
}

/** Returns a condition that is always true, and calls a function once before the first row. */
function once(call: string): string {
  return `(select ${call}) is not null`;
}
