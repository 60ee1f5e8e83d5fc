import type { AnyKind, Item } from "../storage.ts";
import { createListing, type Listing } from "./listing.ts";
import {
  type Bound,
  createStatementCache,
  type Parameter,
  type Row,
  type Statement,
  tableOf,
  toArray,
  toStatement,
} from "./sql.ts";

/** Which row of a table holds a record: where it is, and which transaction of the server wrote it. */
export interface Version {
  readonly ctid: string;
  readonly xmin: string;
}

/** A record to be stored, and the version that it replaces; `undefined` where it replaces none. */
export interface VersionedPut {
  readonly record: Item;
  readonly version: Version | undefined;
}

/** The changes of one table. Records that are replaced or removed are locked before. */
export interface TableChanges {
  readonly replaced: readonly Item[];
  readonly created: readonly Item[];
  /** Keys. */
  readonly removed: readonly string[];
}

/** The statements for the table of one kind. */
export interface Statements extends Listing {
  /** Selects the records with some keys (`toArray`). */
  readonly find: Statement;
  /** The same, each with its version: the `xmin` that the server gave it. */
  readonly findVersions: Statement;
  /**
   * Selects and locks, until the transaction ends, the records with some keys (`toArray`). Of one that
   * another transaction has locked, there is a row that has only its `its key`.
   */
  readonly lock: Statement;
  /** Keeps others from creating records until the transaction ends: see `leavesAbsent`. */
  readonly holdCreation: Statement;
  /**
   * Stores records whose versions are still the newest, and that no other transaction has locked.
   * Selects as `count` how many it stored and, unless it stored all, as `keys` which ones.
   */
  writeVersions(puts: readonly VersionedPut[]): Bound;
  /** Makes changes within a transaction. Selects how many it made, as `count`. */
  write(changes: TableChanges): Bound;
  toRecord(row: Row): Item;
}

// How long to wait for a change by another process, as those beside it in the batch wait, too.
const PATIENCE = "set_config('lock_timeout', '10ms', true)";

/** Creates the statements for the table of a kind. The server finds every record by its key. */
export function createStatements(kind: AnyKind, schema: string): Statements {
  const table = tableOf(kind, schema);
  const { name, key, columns, fields, names, types, sets, updates } = table;
  const field = `"${kind.key}"`;
  const creation = `hashtextextended('boardcast.creation.${schema}.${kind.name}', 0)`;
  const insert = `insert into ${name} (${columns}) select ${names} from`;
  const create = (source: string, ...first: string[]) =>
    `created as (
       ${insert} ${source} where ${once(`pg_advisory_xact_lock_shared(${creation})`, ...first)}
       on conflict (${key}) do nothing returning ${key} as key
     )`;
  const make = createStatementCache();

  /** Adds records as a parameter, and returns them as a recordset that is called `record`. */
  function bind(parameters: Parameter[], records: readonly Item[], more = ""): string {
    // In one order, as two processes that write the same records wait for each other.
    const sorted = records.toSorted((a, b) => String(a[kind.key]) < String(b[kind.key]) ? -1 : 1);
    return `json_to_recordset($${parameters.push(JSON.stringify(sorted))}::text::json)
      as record (${more}${types})`;
  }

  return {
    find: toStatement(`select ${fields} from ${name} as t where t.${key} = any($1::text[])`),
    findVersions: toStatement(
      `select t.ctid, t.xmin, ${fields} from ${name} as t where t.${key} = any($1::text[])`,
    ),
    lock: toStatement(
      `with wanted as materialized (select $1::text[] as keys),
       locked as materialized (
         select ${fields} from ${name} as t
         where t.${key} = any((select keys from wanted)::text[])
         for no key update skip locked
       )
       select t.${key} as "its key", locked.* from ${name} as t
         left join locked on locked.${field} = t.${key}
         where t.${key} = any((select keys from wanted)::text[])`,
    ),
    holdCreation: toStatement(`select pg_advisory_xact_lock(${creation})`),
    ...createListing(kind, table, schema),
    writeVersions(puts) {
      const parts: string[] = [];
      const parameters: Parameter[] = [];
      const results: string[] = [];
      const replaced: Item[] = [];
      const created: Item[] = [];
      for (const { record, version } of puts) {
        if (version === undefined) created.push(record);
        else replaced.push({ ...record, ...version });
      }
      if (replaced.length > 0) {
        results.push("select key from replaced");
        // By the place of its row. With `=`, a plan that was made while the table was empty might go
        // through the whole index of the key for each batch.
        parts.push(
          `replaced as (
             update ${name} as t set ${sets}
             from ${bind(parameters, replaced, "ctid tid, xmin xid, ")}
             where t.ctid = record.ctid and t.xmin = record.xmin
               and t.${key} is not distinct from record.${field} and ${once(PATIENCE)}
             returning t.${key} as key
           )`,
        );
      }
      if (created.length > 0) {
        results.push("select key from created");
        parts.push(create(bind(parameters, created), PATIENCE));
      }
      const total = `$${parameters.push(puts.length)}::int`;
      const statement = make(
        `with ${parts.join(", ")}
         select count(*)::int as count, case when count(*) < ${total} then json_agg(key) end as keys
         from (${results.join(" union all ")}) as stored`,
      );
      return [statement, ...parameters];
    },
    write({ replaced, created, removed }) {
      const parts: string[] = [];
      const parameters: Parameter[] = [];
      if (replaced.length > 0) {
        parts.push(
          `replaced as (
             ${insert} ${bind(parameters, replaced)}
             on conflict (${key}) do update set ${updates} returning ${key}
           )`,
        );
      }
      if (created.length > 0) parts.push(create(bind(parameters, created)));
      if (removed.length > 0) {
        const keys = `$${parameters.push(toArray(removed))}::text[]`;
        parts.push(`removed as (delete from ${name} where ${key} = any(${keys}) returning ${key})`);
      }
      const counts = parts.map((part) => `(select count(*) from ${part.split(" ", 1)})`);
      const total = `select (${counts.join(" + ")})::int as count`;
      return [make(`with ${parts.join(", ")} ${total}`), ...parameters];
    },
    toRecord: table.toRecord,
  };
}

/** Returns a condition that is always true, and calls functions once, before the first row. */
function once(...calls: readonly string[]): string {
  return calls.map((call) => `(select ${call}) is not null`).join(" and ");
}
