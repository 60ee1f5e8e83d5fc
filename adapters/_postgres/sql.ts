import type { AnyKind, FieldType, Item } from "../storage.ts";
import { freeze } from "../records.ts";

/**
 * A tagged template without its parameters. The driver keeps every template, so the same statement
 * must always be the same object.
 */
export type Statement = TemplateStringsArray;
export type Parameter = string | number;
export type Bound = readonly [Statement, ...Parameter[]];
/** A selected row, by field name. */
export type Row = Record<string, unknown>;

/** A field of a recordset whose values are passed as one array, and the type of its elements. */
export interface Source {
  readonly field: string;
  readonly type: string;
}

/** The parts of SQL statements for the table of a kind. */
export interface Table {
  readonly name: string;
  /** The key column. */
  readonly key: string;
  /** All columns, separated by commas. */
  readonly columns: string;
  /** Expressions that select a record from the table `t`, each named after its field. */
  readonly fields: string;
  /** Expressions for all columns, from a recordset named `record`. */
  readonly values: string;
  readonly sources: readonly Source[];
  /**
   * Returns assignments that update fields of a row from a recordset named `record`; of none, they
   * leave the row as it is.
   */
  set(names: readonly string[]): string;
  toRecord(row: Row): Item;
}

/** Begins a transaction whose statements each see everything committed before. */
export const BEGIN: Statement = toStatement("begin isolation level read committed");
export const COMMIT: Statement = toStatement("commit");
export const ROLLBACK: Statement = toStatement("rollback");

const TYPES: Readonly<Record<string, string>> = {
  text: "text",
  boolean: "boolean",
  integer: "bigint",
  time: "timestamptz",
  // The text of an array: an array of arrays would have to have equal lengths.
  texts: "text",
  json: "json",
};

/** Creates a statement from a text that contains $1, $2, … in this order, each once. */
export function toStatement(text: string): Statement {
  const parts = text.split(/\$\d+/);
  return Object.assign(parts, { raw: parts });
}

/** Creates a function that returns the same statement for the same text. */
export function createStatementCache(): (text: string) => Statement {
  const made = new Map<string, Statement>();
  return function make(text) {
    let statement = made.get(text);
    if (statement === undefined) made.set(text, statement = toStatement(text));
    return statement;
  };
}

/** Formats keys as a PostgreSQL array (section 8.15.2), quoted as in JSON. */
export function toArray(keys: Iterable<string>): string {
  return `{${Array.from(keys, (key) => JSON.stringify(key)).join()}}`;
}

/** Formats values of a column as a PostgreSQL array, by their type as a {@linkcode Source}. */
export function toColumn(values: readonly unknown[], type: string): string {
  return `{${values.map((value) => toElement(value, type)).join()}}`;
}

function toElement(value: unknown, type: string): string {
  if (value === null || value === undefined) return "NULL";
  if (type === "json") return quote(JSON.stringify(value));
  if (Array.isArray(value)) return quote(`{${value.map(quote)}}`);
  return typeof value === "string" ? quote(value) : String(value);
}

/** Quotes an element of an array, in which a backslash makes any character an ordinary one. */
function quote(text: string): string {
  if (!/["\\]/.test(text)) return `"${text}"`;
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

export function tableOfKind(kind: AnyKind, schema: string): Table {
  const { fields } = kind;
  const names = Object.keys(fields);
  const key = toIdentifier(kind.key);
  const valueOf = (name: string) =>
    `record."${name}"${typeWithoutNull(fields[name]) === "texts" ? "::text[]" : ""}`;
  const isTime = names.map((name) => typeWithoutNull(fields[name]) === "time");
  return {
    name: `"${schema}".${toIdentifier(kind.name)}`,
    key,
    columns: names.map(toIdentifier).join(", "),
    fields: names.map((name) => readAs(name, typeWithoutNull(fields[name]))).join(", "),
    values: names.map(valueOf).join(", "),
    sources: names.map((field) => ({ field, type: TYPES[typeWithoutNull(fields[field])] })),
    set: (names) =>
      (names.length > 0 ? names : [kind.key])
        .map((name) => `${toIdentifier(name)} = ${valueOf(name)}`).join(", "),
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

/**
 * Formats a text, number or boolean as a literal, and escapes quotes, backslashes and dollar signs.
 */
export function toLiteral(value: unknown): string {
  const text = String(value).replace(/['\\$]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16)}`);
  return typeof value === "string" ? `E'${text}'` : text;
}

/** Returns the quoted name of a table or column, in snake_case. */
export function toIdentifier(name: string): string {
  return `"${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`;
}

/** Returns a type without its question mark. */
export function typeWithoutNull(type: FieldType): string {
  return type.replace("?", "");
}
