import type { AnyIndex, AnyKind } from "../storage.ts";
import type { Limits } from "../../model/kind.ts";
import { toIdentifier, toLiteral, typeWithoutNull } from "./sql.ts";

/**
 * The shape of a table, as parts of SQL statements by name. The comment of a table has it as JSON,
 * so that a later version finds what this one made, and leaves alone what others added.
 */
export interface Shape {
  /** The type of each column, as the catalogue shows it. */
  readonly columns: Readonly<Record<string, string>>;
  readonly key: string;
  /** The conditions of checks. */
  readonly checks: Readonly<Record<string, string>>;
  /** The columns and the condition of indexes. */
  readonly indexes: Readonly<Record<string, string>>;
  /** Settings of the table, each of which ends `alter table …`. */
  readonly settings: readonly string[];
  /** The condition of each index whose records are counted. */
  readonly counts: Readonly<Record<string, string>>;
}

const TYPES: Readonly<Record<string, string>> = {
  // In the order of bytes, which no update of the system changes.
  text: 'text collate "C"',
  boolean: "boolean",
  integer: "bigint",
  time: "timestamp(3) with time zone",
  texts: "text[]",
  json: "json",
};

/** Returns the name of a table, column or index, in snake_case. */
export function toName(name: string): string {
  return toIdentifier(name).slice(1, -1);
}

/** Returns the shape of the table for a kind. */
export function shapeOf(kind: AnyKind): Shape {
  const { name, fields, indexes = {}, limits = {}, counted, changesOften, compressed = [] } = kind;
  const table = toName(name);
  const columns = Object.entries(fields).map(([field, type]) => {
    return [toName(field), TYPES[typeWithoutNull(type)] + (type.endsWith("?") ? "" : " not null")];
  });
  const checks = Object.entries<Limits | undefined>(limits).map(([field, limit]) => {
    return [`${table}_${toName(field)}_check`, conditionsOf(toIdentifier(field), limit ?? {})];
  });
  const orders = Object.entries(indexes).map(([index, { by, ...rest }]) => {
    const order = by === undefined ? [kind.key] : [by, kind.key];
    const condition = conditionOf(kind, { by, ...rest });
    return [
      `${table}_${toName(index)}`,
      `(${order.map(toIdentifier).join(", ")})${condition && ` where ${condition}`}`,
    ];
  });
  const counts = Object.entries(counted ? indexes : {}).map(([index, definition]) => {
    return [`${name}.${index}`, conditionOf(kind, definition) || "true"];
  });
  return {
    columns: Object.fromEntries(columns),
    key: toName(kind.key),
    checks: Object.fromEntries(checks),
    indexes: Object.fromEntries(orders),
    settings: [
      ...changesOften ? ["set (fillfactor = 80)"] : [],
      ...compressed.map((field) => `alter column ${toIdentifier(field)} set storage external`),
    ],
    counts: Object.fromEntries(counts),
  };
}

/** Returns the condition of the records in an index; empty if it has all of them. */
function conditionOf({ fields }: AnyKind, { where = {}, by }: AnyIndex): string {
  const conditions = Object.entries(where).map(([field, value]) =>
    value === null
      ? `${toIdentifier(field)} is null`
      : typeof value === "boolean"
      ? `${value ? "" : "not "}${toIdentifier(field)}`
      : `${toIdentifier(field)} = ${toLiteral(value)}`
  );
  if (by !== undefined && fields[by].endsWith("?")) {
    conditions.push(`${toIdentifier(by)} is not null`);
  }
  return conditions.join(" and ");
}

/** Returns the condition of a check. */
function conditionsOf(column: string, limits: Limits): string {
  const { minLength, maxLength, maxBytes, pattern, minItems, maxItems, minimum } = limits;
  return [
    ...rangeOf(`char_length(${column})`, minLength, maxLength),
    ...rangeOf(`octet_length(${column})`, undefined, maxBytes),
    ...pattern === undefined ? [] : [`${column} ~ '${pattern.replaceAll("'", "''")}'`],
    ...rangeOf(`cardinality(${column})`, minItems, maxItems),
    ...rangeOf(column, minimum, undefined),
  ].join(" and ");
}

function rangeOf(value: string, from: number | undefined, to: number | undefined): string[] {
  if (from !== undefined && to !== undefined) return [`${value} between ${from} and ${to}`];
  if (from !== undefined) return [`${value} >= ${from}`];
  return to === undefined ? [] : [`${value} <= ${to}`];
}
