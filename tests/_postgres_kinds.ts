import type { AnyKind } from "../adapters/storage.ts";
import type { Board } from "../model/board.ts";
import type { Subscription } from "../model/subscription.ts";

const AT = "2026-11-21T10:00:00.000Z";

const TYPES: Readonly<Record<string, string>> = {
  text: 'text collate "C"',
  boolean: "boolean",
  integer: "bigint",
  time: "timestamptz(3)",
  texts: "text[]",
  json: "json",
};

/** Returns the statement that makes the table of a kind, as docs/postgres.md says that it has to be. */
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

/** Returns a board. */
export function boardOf(boardId: string, name = "A board"): Board {
  return { boardId, name, description: null, url: null, createdAt: AT, updatedAt: AT };
}

/** Returns the record of somebody who is subscribed. */
export function subscriptionOf(userEmail: string, rest: Partial<Subscription> = {}): Subscription {
  const base = { userEmail, userName: null, subscribed: true, source: "api" } as const;
  return { ...base, createdAt: AT, updatedAt: AT, ...rest };
}
