import { checkQuery, freeze } from "../records.ts";
import type { AnyKind, FieldType, Item, ListQuery, Position } from "../storage.ts";

/** A statement without its parameters: the same object each time, as for a tagged template. */
export type Statement = TemplateStringsArray;
/** A parameter of a statement. */
export type Parameter = string | number;
/** A row that was selected, by the names of its fields. */
export type Row = Record<string, unknown>;

/** What a transaction changes in the table of one kind. */
export interface TableChanges {
  /** The records that take the place of others, which are locked. */
  readonly replaced: readonly Item[];
  /** The records of keys that had none. */
  readonly created: readonly Item[];
  /** The keys of the records that are removed, which are locked. */
  readonly removed: readonly string[];
}

/** Adds a parameter, and returns what stands for it. */
type Bind = (value: Parameter, type: string) => string;

/** A statement with its parameters. */
export type Bound = readonly [Statement, ...Parameter[]];

/** The statements for the table of one kind. */
export interface Statements {
  /** Selects the records with some keys (`toArray`). */
  readonly find: Statement;
  /** The same, locked until the transaction ends; but those that another one has locked. */
  readonly lock: Statement;
  /** Selects the keys (`toArray`) of which there are records, as `key`. */
  readonly exist: Statement;
  /** Keeps others from creating records until the transaction ends. */
  readonly lockCreation: Statement;
  /** Waits for others who do so; sent before records are created. */
  readonly shareCreation: Statement;
  /** Returns the statement of a listing. Throws as {@linkcode checkQuery} does. */
  list(query: ListQuery): Bound;
  /**
   * Returns the statement that makes changes. It fails where it can't make all of them, and outside of
   * a transaction that `BEGIN` began.
   */
  write(changes: TableChanges): Bound;
  /** Makes a record of a row. */
  toRecord(row: Row): Item;
}

// Deferrable does nothing at this level: it is the mark that shows `write` its transaction. The driver
// may send a statement anew, or on a new connection, after the transaction was rolled back.
export const BEGIN: Statement = toStatement("begin isolation level read committed, deferrable");
export const COMMIT: Statement = toStatement("commit");
export const ROLLBACK: Statement = toStatement("rollback");

const TYPES: Readonly<Record<string, string>> = {
  text: "text",
  boolean: "boolean",
  integer: "bigint",
  time: "timestamptz",
  texts: "text[]",
  json: "json",
};
const MAX_TIME = Date.parse("9999-12-31T23:59:59.999Z");
const MIN_TIME = Date.parse("0000-01-01T00:00:00.000Z");

/** Makes a statement of a text with the parameters $1, $2, … in this order, each of them once. */
export function toStatement(text: string): Statement {
  const parts = text.split(/\$\d+/);
  return Object.assign(parts, { raw: parts });
}

/** Writes keys as the text of an array (PostgreSQL, section 8.15.2); texts are quoted as in JSON. */
export function toArray(keys: Iterable<string>): string {
  return `{${Array.from(keys, (key) => JSON.stringify(key)).join()}}`;
}

/** Makes the statements for the table of a kind in a schema. */
export function createStatements(kind: AnyKind, schema: string): Statements {
  const { fields } = kind;
  const names = Object.keys(fields);
  const table = `"${schema}".${toIdentifier(kind.name)}`;
  const key = toIdentifier(kind.key);
  const columns = names.map(toIdentifier).join(", ");
  const select = `select ${names.map((name) => readAs(name, baseOf(fields[name]))).join(", ")}`;
  const times = names.filter((name) => baseOf(fields[name]) === "time");
  const others = names.filter((name) => name !== kind.key).map(toIdentifier);
  const updates = (others.length > 0 ? others : [key]).map((column) =>
    `${column} = excluded.${column}`
  );
  const insert = `insert into ${table} (${columns})
    select ${names.map((name) => `"${name}"`).join(", ")} from json_to_recordset($1::text::json)
      as record (${names.map((name) => `"${name}" ${TYPES[baseOf(fields[name])]}`).join(", ")})`;
  // Not a lock on the table, which would wait for a vacuum.
  const creation = `hashtextextended('boardcast.creation.${schema}.${kind.name}', 0)`;
  const made = new Map<string, Statement>();

  function make(text: string): Statement {
    let statement = made.get(text);
    if (statement === undefined) made.set(text, statement = toStatement(text));
    return statement;
  }

  return {
    find: toStatement(`${select} from ${table} where ${key} = any($1::text[])`),
    lock: toStatement(
      `${select} from ${table} as t where ${key} = any($1::text[]) order by t.${key}
       for no key update skip locked`,
    ),
    exist: toStatement(`select ${key} as key from ${table} where ${key} = any($1::text[])`),
    lockCreation: toStatement(`select pg_advisory_xact_lock(${creation})`),
    shareCreation: toStatement(`select pg_advisory_xact_lock_shared(${creation})`),
    list(query) {
      const { where = {}, by } = checkQuery(kind, query);
      const { after, limit, reverse = false } = query;
      const parameters: Parameter[] = [];
      const bind: Bind = (value, type) => `$${parameters.push(value)}::${type}`;
      // As literals, like the limit: the server's generic plan would use no index of some rows.
      const conditions = Object.entries(where).map(([name, value]) =>
        `${toIdentifier(name)} ${value === null ? "is null" : `= ${toLiteral(value)}`}`
      );
      // A field may have the name of its column, and show it in another form.
      const order = (by === undefined ? [kind.key] : [by, kind.key])
        .map((name) => `t.${toIdentifier(name)}`);
      if (by !== undefined) conditions.push(`${order[0]} is not null`);
      if (after !== undefined) {
        const place = by === undefined
          ? [bind(after.key, "text")]
          : baseOf(fields[by]) === "time"
          ? bindPlace(after, bind)
          : [bind(after.by ?? "", "text"), bind(after.key, "text")];
        conditions.push(`(${order.join(", ")}) ${reverse ? "<" : ">"} (${place.join(", ")})`);
      }
      const condition = conditions.length > 0 ? `where ${conditions.join(" and ")}` : "";
      const way = reverse ? " desc" : "";
      const statement = make(
        `${select} from ${table} as t ${condition}
         order by ${order.map((column) => column + way).join(", ")} limit ${limit}`,
      );
      return [statement, ...parameters];
    },
    write({ replaced, created, removed }) {
      const parts: string[] = [];
      const parameters: Parameter[] = [];
      const add = (text: string, parameter: string) => {
        parameters.push(parameter);
        parts.push(`${text.replace("$1", `$${parameters.length}`)} returning 1`);
      };
      if (replaced.length > 0) {
        add(
          `${insert} on conflict (${key}) do update set ${updates.join(", ")}`,
          JSON.stringify(replaced),
        );
      }
      if (created.length > 0) add(insert, JSON.stringify(created));
      if (removed.length > 0) {
        add(`delete from ${table} where ${key} = any($1::text[])`, toArray(removed));
      }
      const counts = parts.map((_, i) => `(select count(*) from part${i})`).join(" + ");
      const statement = make(
        `with ${parts.map((part, i) => `part${i} as (${part})`).join(", ")}
         select 1 / (${counts} = $${parameters.length + 1}::int
           and current_setting('transaction_deferrable')::boolean)::int`,
      );
      return [statement, ...parameters, replaced.length + created.length + removed.length];
    },
    toRecord(row) {
      for (const name of times) {
        const value = row[name];
        if (typeof value === "number") row[name] = new Date(value).toISOString();
      }
      return freeze(row);
    },
  };
}

/**
 * Binds a place among times. One that is no time is the place before the first time whose text comes
 * after it.
 */
function bindPlace({ key, by = "" }: Position, bind: Bind): readonly string[] {
  let ms = Date.parse(by);
  const isTime = !Number.isNaN(ms) && new Date(ms).toISOString() === by;
  if (!isTime) {
    let end = MAX_TIME + 1;
    for (ms = MIN_TIME; ms < end;) {
      const middle = Math.floor((ms + end) / 2);
      if (new Date(middle).toISOString() > by) end = middle;
      else ms = middle + 1;
    }
  }
  // Rounded, as columns are: a float8 is not always exact to the microsecond.
  const time = `to_timestamp(${bind(ms, "float8")} / 1000)::timestamptz(3)`;
  return [time, bind(isTime ? key : "", "text")];
}

function readAs(name: string, type: string): string {
  const column = toIdentifier(name);
  switch (type) {
    case "time":
      return `round(date_part('epoch', ${column}) * 1000) as "${name}"`;
    case "integer":
      return `${column}::float8 as "${name}"`;
    case "texts":
    case "json":
      return `to_json(${column}) as "${name}"`;
    default:
      return `${column} as "${name}"`;
  }
}

/** Writes a text, number or boolean without quotes, backslashes and dollars, which mean something. */
function toLiteral(value: unknown): string {
  const text = String(value).replace(/['\\$]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16)}`);
  return typeof value === "string" ? `E'${text}'` : text;
}

/** Returns the name of a table or column, in snake_case and quoted. */
function toIdentifier(name: string): string {
  return `"${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`;
}

function baseOf(type: FieldType): string {
  return type.replace("?", "");
}
