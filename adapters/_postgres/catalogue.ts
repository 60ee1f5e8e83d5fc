import type { Send } from "./client.ts";
import type { Shape } from "./shape.ts";
import { toStatement } from "./sql.ts";

export interface FoundTable {
  readonly columns: Readonly<Record<string, string>>;
  /** The names of its checks. */
  readonly checks: readonly string[];
  /** The names of its indexes, without that of the key. */
  readonly indexes: readonly string[];
  /** The shape that it was given last; `undefined` in a database of version 1. */
  readonly shape: Shape | undefined;
}

/** The tables of a schema by name. */
export type Catalogue = ReadonlyMap<string, FoundTable>;

/** Reads the tables of a schema from the catalogue. */
export async function readCatalogue(send: Send, schema: string): Promise<Catalogue> {
  const rows = await send(toStatement(
    `select c.relname as name, obj_description(c.oid, 'pg_class') as comment,
       (select json_object_agg(a.attname,
            format_type(a.atttypid, a.atttypmod) ||
            case when a.attcollation = 950 then ' collate "C"' else '' end ||
            case when a.attnotnull then ' not null' else '' end)
          from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       ) as columns,
       (select coalesce(json_agg(k.conname), '[]') from pg_constraint k
          where k.conrelid = c.oid and k.contype = 'c') as checks,
       (select coalesce(json_agg(i.relname), '[]')
          from pg_index x join pg_class i on i.oid = x.indexrelid
          where x.indrelid = c.oid and not x.indisprimary) as indexes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = '${schema}' and c.relkind in ('r', 'p') order by 1`,
  ));
  return new Map(rows.map(({ name, comment, columns, checks, indexes }) => [`${name}`, {
    columns: columns ?? {},
    checks,
    indexes,
    shape: readShape(comment),
  } as FoundTable]));
}

function readShape(comment: unknown): Shape | undefined {
  try {
    return JSON.parse(`${comment ?? ""}`);
  } catch {
    return undefined;
  }
}
