import { tablesOf } from "../../adapters/_postgres/changes.ts";
import type { AnyKind } from "../../adapters/storage.ts";

/**
 * Returns the SQL that makes the tables of kinds in a schema. They lack the comments by which
 * Boardcast knows its own tables, so that it leaves them alone.
 */
export function sqlOfTables(kinds: readonly AnyKind[], schema: string): string {
  const statements = tablesOf(kinds).filter((text) => !text.startsWith("comment"));
  return statements.join(";\n").replaceAll("$schema", schema);
}
