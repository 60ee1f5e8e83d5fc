import type { AnyKind, Item } from "../storage.ts";
import { createListing, type Listing } from "./listing.ts";
import {
  type Bound,
  createStatementCache,
  type Parameter,
  type Row,
  type Statement,
  tableOf,
  toStatement,
} from "./sql.ts";

/** The version of a row: its position in the table, and the server's transaction that wrote it. */
export interface Version {
  readonly ctid: string;
  readonly xmin: string;
}

/** A record in the table, with its version. */
export type VersionedItem = Item & Version;

/** The changes of one table. */
export interface TableChanges {
  readonly replaced: readonly VersionedItem[];
  readonly created: readonly Item[];
  /** The records to remove; only their keys are read. */
  readonly removed: readonly VersionedItem[];
}

/** The statements for the table of one kind. */
export interface Statements extends Listing {
  /** Selects the records with some keys (`toArray`). */
  readonly find: Statement;
  /** Like `find`, with each record's version: the server's `xmin`. */
  readonly findVersions: Statement;
  /**
   * Like `find`, and locks the records until the transaction ends. For a record that another
   * transaction has locked, the row contains only its key.
   */
  readonly lock: Statement;
  /** Keeps other transactions from creating records until this one ends: see `leavesAbsent`. */
  readonly holdCreation: Statement;
  /**
   * Writes changes of records whose versions are still current. Waits for another transaction's
   * lock only if `isPatient`, as for records locked before. Selects the number of changes made as
   * `count` and, unless all were made, their keys as `keys`.
   */
  write(changes: TableChanges, options: { readonly isPatient: boolean }): Bound;
  /**
   * Inserts records whose keys nobody else knows. Selects the number of inserted ones as `count`.
   */
  create(records: readonly Item[]): Bound;
  toRecord(row: Row): Item;
}

// The wait for another process's change is short, because the whole batch waits with it.
const IMPATIENCE = "set_config('lock_timeout', '10ms', true)";

/** Creates the statements for a kind's table. The server finds every record by its key. */
export function createStatements(kind: AnyKind, schema: string): Statements {
  const table = tableOf(kind, schema);
  const { name, key, columns, fields, names, types, sets } = table;
  const field = `"${kind.key}"`;
  const creation = `hashtextextended('boardcast.creation.${schema}.${kind.name}', 0)`;
  const make = createStatementCache();

  /** Adds records as a parameter, and returns them as a recordset named `record`. */
  function bind(parameters: Parameter[], records: readonly Item[], more = ""): string {
    // All processes use one order, because those that write the same records wait for each other.
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
         select t.ctid, t.xmin, ${fields} from ${name} as t
         where t.${key} = any((select keys from wanted)::text[])
         for no key update skip locked
       )
       select t.${key} as "its key", locked.* from ${name} as t
         left join locked on locked.${field} = t.${key}
         where t.${key} = any((select keys from wanted)::text[])`,
    ),
    holdCreation: toStatement(`select pg_advisory_xact_lock(${creation})`),
    ...createListing(kind, table, schema),
    write({ replaced, created, removed }, { isPatient }) {
      const calls = isPatient ? [] : [once(IMPATIENCE)];
      const parts: string[] = [];
      const parameters: Parameter[] = [];
      // Matches rows by position. With `=`, a plan made for an empty table might scan the whole key
      // index for each batch.
      const matching = (records: readonly VersionedItem[]) => {
        const isSame = `t.${key} is not distinct from record.${field}`;
        const isHere = ["t.ctid = record.ctid", "t.xmin = record.xmin", isSame, ...calls];
        return `${bind(parameters, records, "ctid tid, xmin xid, ")}
          where ${isHere.join(" and ")} returning t.${key} as key`;
      };
      if (replaced.length > 0) {
        parts.push(`replaced as (update ${name} as t set ${sets} from ${matching(replaced)})`);
      }
      if (removed.length > 0) {
        parts.push(`removed as (delete from ${name} as t using ${matching(removed)})`);
      }
      if (created.length > 0) {
        const first = [once(`pg_advisory_xact_lock_shared(${creation})`), ...calls];
        parts.push(
          `created as (
             insert into ${name} (${columns}) select ${names} from ${bind(parameters, created)}
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
           insert into ${name} (${columns}) select ${names} from ${bind(parameters, records)}
           returning 1
         )
         select count(*)::int as count from created`,
      );
      return [statement, ...parameters];
    },
    toRecord: table.toRecord,
  };
}

/** Returns a condition that is always true; it calls a function once, before the first row. */
function once(call: string): string {
  return `(select ${call}) is not null`;
}
