import type { AnyKind } from "../../adapters/storage.ts";

const TYPES: Readonly<Record<string, string>> = {
  text: 'text collate "C"',
  boolean: "boolean",
  integer: "bigint",
  time: "timestamptz(3)",
  texts: "text[]",
  json: "json",
};

/**
 * Returns the statement that makes the table of a kind, as docs/postgres.md says that it has to be.
 */
export function createTableOf(kind: AnyKind, schema: string): string {
  const columns = Object.entries(kind.fields).map(([name, type]) =>
    `"${toSnakeCase(name)}" ${TYPES[type.replace("?", "")]} ` +
    (name === kind.key ? "primary key" : type.endsWith("?") ? "null" : "not null")
  );
  return `create table ${schema}.${toSnakeCase(kind.name)} (${columns})`;
}

/** Returns the name of a table or column. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
