import { moveRecord, type Step } from "../../model/steps.ts";
import type { AnyKind, FieldType, Item } from "../storage.ts";
import { type Catalogue, readCatalogue } from "./catalogue.ts";
import type { Send } from "./client.ts";
import { tableOfKind, toStatement } from "./sql.ts";
import { toName } from "./shape.ts";
import { createStatements, type VersionedItem } from "./statements.ts";

const PAGE_SIZE = 500;
const TYPES: readonly (readonly [column: string, type: FieldType])[] = [
  ["text[]", "texts"],
  ["text", "text"],
  ["boolean", "boolean"],
  ["bigint", "integer"],
  ["timestamp(3) with time zone", "time"],
  ["json", "json"],
];

/** Applies steps to the records of a database whose tables have room for the results. */
export async function moveRecords(
  send: Send,
  steps: readonly Step[],
  { schema, kinds }: { readonly schema: string; readonly kinds: readonly AnyKind[] },
): Promise<void> {
  if (steps.length === 0) return;
  const catalogue = await readCatalogue(send, schema);
  for (const name of new Set(steps.map(({ kind }) => kind.name))) {
    const { kind } = steps.find((step) => step.kind.name === name)!;
    const present = kinds.find((kind) => kind.name === name) ?? kind;
    const stored = storedKind(kind, catalogue);
    const table = tableOfKind(stored, schema);
    const versions = new Map<string, VersionedItem>();
    const next = toStatement(
      `select t.ctid, t.xmin, ${table.fields} from ${table.name} as t where t.${table.key} > $1
       order by t.${table.key} limit ${PAGE_SIZE}`,
    );
    for (let after = "";;) {
      const page = await send(next, after);
      if (page.length === 0) break;
      versions.clear();
      const replaced: VersionedItem[] = [];
      const created = new Map<AnyKind, Item[]>();
      for (const row of page) {
        const record = table.toRecord(row);
        const key = String(record[kind.key]);
        const version = { [kind.key]: key, ctid: String(row.ctid), xmin: String(row.xmin) };
        versions.set(key, version);
        for (const moved of moveRecord(steps, { kind: present, record })) {
          if (moved.kind.name === name) {
            replaced.push({ ...moved.record, ...version });
            versions.delete(key);
          } else created.set(moved.kind, [...created.get(moved.kind) ?? [], moved.record]);
        }
        after = key;
      }
      const removed = [...versions.values()];
      if (replaced.length + removed.length > 0) {
        const changed = new Set(Object.keys(present.fields));
        const changes = { replaced, changed, removed, created: [] };
        await send(...createStatements(present, schema).write(changes, { isPatient: true }));
      }
      for (const [kind, records] of created) {
        await send(...createStatements(kind, schema).create(records));
      }
    }
  }
}

/** Returns a kind with all the fields that its table has, those that are gone included. */
function storedKind(kind: AnyKind, catalogue: Catalogue): AnyKind {
  const { columns } = catalogue.get(toName(kind.name))!;
  const fields = Object.entries(columns).flatMap(([column, found]) => {
    const type = TYPES.find(([start]) => found.startsWith(start));
    const name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return type === undefined ? [] : [[name, type[1]]];
  });
  return { name: kind.name, key: kind.key, fields: Object.fromEntries(fields) };
}
