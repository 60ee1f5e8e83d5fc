import type { ApiKey } from "../../model/api_key.ts";
import type { Board } from "../../model/board.ts";
import type { Subscription } from "../../model/subscription.ts";
import type { RecordChange } from "../_tables.ts";

/** The name of a table, as it stands in the files. */
export type TableName = RecordChange["table"];

/** The tables, in the order in which a snapshot holds them. */
export const TABLE_NAMES: readonly TableName[] = ["boards", "apiKeys", "subscriptions"];

/** Tells whether a text is the name of a table. */
export function isTableName(text: string): text is TableName {
  return (TABLE_NAMES as readonly string[]).includes(text);
}

/** Makes the change that stores a record read from a file. */
export function toStoreChange(table: TableName, record: object): RecordChange {
  switch (table) {
    case "boards": {
      const next = record as Board;
      return { table, key: next.boardId, next };
    }
    case "apiKeys": {
      const next = record as ApiKey;
      return { table, key: next.keyId, next };
    }
    case "subscriptions": {
      const next = record as Subscription;
      // Most were never changed: one string serves as both times.
      return next.createdAt === next.updatedAt
        ? { table, key: next.userEmail, next: { ...next, updatedAt: next.createdAt } }
        : { table, key: next.userEmail, next };
    }
  }
}
