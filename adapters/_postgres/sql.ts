import type { AnyKind, FieldType, Item } from "../storage.ts";
import { freeze } from "../records.ts";

/**
 * A tagged template without its parameters; the same text is always the same object, because the
 * driver caches each object.
 */
export type Statement = TemplateStringsArray;
/** A parameter of a statement. */
export type Parameter = string | number;
/** A statement with its parameters. */
export type Bound = readonly [Statement, ...Parameter[]];
/** A selected row, by the names of its fields. */
export type Row = Record<string, unknown>;

/** The SQL names of a kind's table. */
export interface Table {
  readonly name: string;
  /** The column of the key. */
  readonly key: string;
  /** All columns, separated by commas. */
  readonly columns: string;
  /** The select list that reads a record from the table `t`, by the names of its fields. */
  readonly fields: string;
  /** The names of the fields, as columns of a recordset. */
  readonly names: string;
  /** The field names with their types. */
  readonly types: string;
  /** The assignments of an update from a recordset called `record`. */
  readonly sets: string;
  toRecord(row: Row): Item;
}

/** Begins a transaction in which each statement sees all earlier commits of others. */
export const BEGIN: Statement = toStatement("begin isolation level read committed");
/** Ends a transaction, and makes its changes durable. */
export const COMMIT: Statement = toStatement("commit");
/** Ends a transaction, and drops its changes. */
export const ROLLBACK: Statement = toStatement("rollback");

const TYPES: Readonly<Record<string, string>> = {
  text: "text",
  boolean: "boolean",
  integer: "bigint",
  time: "timestamptz",
  texts: "text[]",
  json: "json",
};

/** Turns a text into a statement. The text contains $1, $2, … in this order, each once. */
export function toStatement(text: string): Statement {
  const parts = text.split(/\$\d+/);
  return Object.assign(parts, { raw: parts });
}

/** Returns a function that turns texts into statements, always the same one for the same text. */
export function createStatementCache(): (text: string) => Statement {
  const made = new Map<string, Statement>();
  return function make(text) {
    let statement = made.get(text);
    if (statement === undefined) made.set(text, statement = toStatement(text));
    return statement;
  };
}

/**
 * Writes keys as the text of an array (PostgreSQL, section 8.15.2); texts are quoted as in JSON.
 */
export function toArray(keys: Iterable<string>): string {
  return `{${Array.from(keys, (key) => JSON.stringify(key)).join()}}`;
}

/** Describes the table of a kind. */
export function tableOf(kind: AnyKind, schema: string): Table {
  const { fields } = kind;
  const names = Object.keys(fields);
  const key = toIdentifier(kind.key);
  const others = names.filter((name) => name !== kind.key);
  const changing = others.length > 0 ? others : [kind.key];
  const isTime = names.map((name) => baseOf(fields[name]) === "time");
  return {
    name: `"${schema}".${toIdentifier(kind.name)}`,
    key,
    columns: names.map(toIdentifier).join(", "),
    fields: names.map((name) => readAs(name, baseOf(fields[name]))).join(", "),
    names: names.map((name) => `"${name}"`).join(", "),
    types: names.map((name) => `"${name}" ${TYPES[baseOf(fields[name])]}`).join(", "),
    sets: changing.map((name) => `${toIdentifier(name)} = record."${name}"`).join(", "),
    toRecord(row) {
      const record: Record<string, unknown> = {};
      for (const [i, name] of names.entries()) {
        const value = row[name];
        record[name] = isTime[i] && typeof value === "number"
          ? new Date(value).toISOString()
          : freeze(value);
      }
      return Object.freeze(record);
    },
  };
}

function readAs(name: string, type: string): string {
  const column = `t.${toIdentifier(name)}`;
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

/** Formats a text, number or boolean as a literal; escapes quotes, backslashes and dollars. */
export function toLiteral(value: unknown): string {
  const text = String(value).replace(/['\\$]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16)}`);
  return typeof value === "string" ? `E'${text}'` : text;
}

/** Returns the name of a table or column, in snake_case and quoted. */
export function toIdentifier(name: string): string {
  return `"${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`;
}

/** Returns a type without its question mark. */
export function baseOf(type: FieldType): string {
  return type.replace("?", "");
}
