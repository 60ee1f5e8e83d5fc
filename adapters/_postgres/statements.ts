import { checkQuery, freeze } from "../records.ts";
import type { AnyKind, FieldType, Item, ListQuery, Position } from "../storage.ts";

/** A tagged template without its parameters; always the same object, since the driver keeps each. */
export type Statement = TemplateStringsArray;
export type Parameter = string | number;
/** A selected row, by the names of its fields. */
export type Row = Record<string, unknown>;

/** The changes of one table. Records that are replaced or removed are locked before. */
export interface TableChanges {
  readonly replaced: readonly Item[];
  readonly created: readonly Item[];
  /** Keys. */
  readonly removed: readonly string[];
}

/** Adds a parameter, and returns its placeholder. */
type Bind = (value: Parameter, type: string) => string;

/** A statement with its parameters. */
export type Bound = readonly [Statement, ...Parameter[]];

/** The statements for the table of one kind. */
export interface Statements {
  /** Selects the records with some keys (`toArray`). */
  readonly find: Statement;
  /** The same, and locks them until the transaction ends; skips those that another one has locked. */
  readonly lock: Statement;
  /** Selects those of some keys (`toArray`) that have a record, as `key`. */
  readonly exist: Statement;
  /** Keeps others from creating records until the transaction ends. */
  readonly lockCreation: Statement;
  /** Has to be sent before records are created: waits for those who have sent `lockCreation`. */
  readonly shareCreation: Statement;
  /** Throws as {@linkcode checkQuery} does. */
  list(query: ListQuery): Bound;
  /** Selects how many records are in an index, as `count`. Throws as {@linkcode checkQuery} does. */
  count(index: string): Statement;
  /** Fails where it can't make all changes, and outside of a transaction that `BEGIN` began. */
  write(changes: TableChanges): Bound;
  toRecord(row: Row): Item;
}

// `deferrable` has no effect at this level: it only shows `write` that its transaction is open, since the
// driver may send a statement again, or on a new connection, after the transaction was rolled back.
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

/** Makes a statement of a text in which $1, $2, … stand in this order, each of them once. */
export function toStatement(text: string): Statement {
  const parts = text.split(/\$\d+/);
  return Object.assign(parts, { raw: parts });
}

/** Writes keys as the text of an array (PostgreSQL, section 8.15.2); texts are quoted as in JSON. */
export function toArray(keys: Iterable<string>): string {
  return `{${Array.from(keys, (key) => JSON.stringify(key)).join()}}`;
}

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
  // A lock on the table itself would wait for a vacuum.
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
    count(index) {
      const { where = {}, by } = checkQuery(kind, { index, limit: 1 });
      if (kind.counted) {
        const name = toLiteral(`${kind.name}.${index}`);
        return make(
          `select coalesce(sum(value), 0)::float8 as count from "${schema}".counts
           where name = ${name}`,
        );
      }
      const conditions = conditionsOf(where);
      if (by !== undefined) conditions.push(`${toIdentifier(by)} is not null`);
      return make(
        `select count(*)::float8 as count from ${table} where ${
          conditions.join(" and ") || "true"
        }`,
      );
    },
    list(query) {
      const { where = {}, by } = checkQuery(kind, query);
      const { after, limit, reverse = false } = query;
      const parameters: Parameter[] = [];
      const bind: Bind = (value, type) => `$${parameters.push(value)}::${type}`;
      const conditions = conditionsOf(where);
      // With its table, since a selected field may have the name of its column, but another form.
      const order = (by === undefined ? [kind.key] : [by, kind.key])
        .map((name) => `t.${toIdentifier(name)}`);
      if (by !== undefined) conditions.push(`${order[0]} is not null`);
      if (after !== undefined) {
        const position = by === undefined
          ? [bind(after.key, "text")]
          : baseOf(fields[by]) === "time"
          ? bindPosition(after, bind)
          : [bind(after.by ?? "", "text"), bind(after.key, "text")];
        conditions.push(`(${order.join(", ")}) ${reverse ? "<" : ">"} (${position.join(", ")})`);
      }
      const condition = conditions.length > 0 ? `where ${conditions.join(" and ")}` : "";
      const direction = reverse ? " desc" : "";
      const statement = make(
        `${select} from ${table} as t ${condition}
         order by ${order.map((column) => column + direction).join(", ")} limit ${limit}`,
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

/** Writes values as literals, like the limit: a generic plan of the server would use no partial index. */
function conditionsOf(where: Item): string[] {
  return Object.entries(where).map(([name, value]) =>
    `${toIdentifier(name)} ${value === null ? "is null" : `= ${toLiteral(value)}`}`
  );
}

/**
 * Binds a position in the order of a time. A text that is not a time is the position before the first
 * time whose text comes after it.
 */
function bindPosition({ key, by = "" }: Position, bind: Bind): readonly string[] {
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

/** Writes a text, number or boolean, escaping quotes, backslashes and dollars. */
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
