import type { FirstLayout, Layout } from "../../model/steps.ts";
import type { AnyKind } from "../storage.ts";
import type { Catalogue, FoundTable } from "./catalogue.ts";
import { countingOf, COUNTS_TABLE } from "./counting.ts";
import { type Shape, shapeOf, toName } from "./shape.ts";
import { toColumn, toLiteral, typeWithoutNull } from "./sql.ts";

/** Statements that bring a database to a layout; `$schema` stands for the quoted schema. */
export interface SchemaChanges {
  /** Make room for new records, before steps move data. */
  readonly before: readonly string[];
  /** Remove what is gone, and make checks and indexes, afterwards. */
  readonly after: readonly string[];
}

/** Returns the statements that bring the tables of a schema to those of a layout. */
export function changesOf(catalogue: Catalogue, layout: Layout, version: number): SchemaChanges {
  const { kinds, first } = layout;
  const before: string[] = [];
  const after: string[] = [];
  for (const kind of kinds) {
    const name = toName(kind.name);
    const found = catalogue.get(name);
    const shape = shapeOf(kind);
    if (found === undefined) {
      before.push(createTable(name, shape));
      after.push(...finishTable(name, shape, undefined));
    } else if (!isSame(found, shape)) {
      const earlier = found.shape ?? (version === 1 ? firstShape(kind.name, found, first) : NONE);
      const changes = changeTable(kind, { found, shape, earlier });
      before.push(...changes.before);
      after.push(...changes.after, ...finishTable(name, shape, { ...found, shape: earlier }));
    }
  }
  if (kinds.some(({ counted }) => counted) && !catalogue.has("counts")) {
    before.unshift(COUNTS_TABLE);
  }
  const names = new Set(kinds.map((kind) => toName(kind.name)));
  const firstNames = version === 1 ? Object.keys(first.fields).map(toName) : [];
  for (const [name, { shape }] of catalogue) {
    const isOwn = shape !== undefined || firstNames.includes(name);
    if (isOwn && !names.has(name)) after.push(`drop table $schema."${name}"`);
  }
  return { before, after };
}

/** Returns the statements that make the tables of kinds. */
export function tablesOf(kinds: readonly AnyKind[]): readonly string[] {
  const first = { fields: {}, indexes: [] };
  const { before, after } = changesOf(new Map(), { version: 1, kinds, steps: [], first }, 0);
  return [...before, ...after];
}

/** Returns the first field of version 1 that a database of this version lacks. */
export function missingInDatabase(catalogue: Catalogue, first: FirstLayout): string | undefined {
  for (const [kind, fields] of Object.entries(first.fields)) {
    const found = catalogue.get(toName(kind));
    if (found === undefined) return kind;
    const field = fields.split(" ").find((name) => !(toName(name) in found.columns));
    if (field !== undefined) return `${kind}.${field}`;
  }
}

const NONE: Shape = { columns: {}, key: "", checks: {}, indexes: {}, settings: [], counts: {} };

/** Returns the shape of a table of version 1, which it does not have as a comment. */
function firstShape(name: string, found: FoundTable, { fields, indexes }: FirstLayout): Shape {
  const columns = (fields[name] ?? "").split(" ").map((field) => [toName(field), ""]);
  const own = found.indexes.filter((index) => indexes.includes(index)).map((index) => [index, ""]);
  return { ...NONE, columns: Object.fromEntries(columns), indexes: Object.fromEntries(own) };
}

function isSame({ shape, columns, indexes, checks }: FoundTable, next: Shape): boolean {
  return JSON.stringify(shape) === JSON.stringify(next) &&
    Object.entries(next.columns).every(([name, type]) => columns[name] === type) &&
    Object.keys(next.indexes).every((name) => indexes.includes(name)) &&
    Object.keys(next.checks).every((name) => checks.includes(name));
}

function createTable(name: string, { columns, key }: Shape): string {
  const lines = Object.entries(columns).map(([column, type]) =>
    `  "${column}" ${column === key ? type.replace(" not null", " primary key") : type}`
  );
  return `create table $schema."${name}" (\n${lines.join(",\n")}\n)`;
}

interface Change {
  readonly found: FoundTable;
  readonly shape: Shape;
  readonly earlier: Shape;
}

/** Returns the statements that change the columns of a table. */
function changeTable(kind: AnyKind, { found, shape, earlier }: Change): SchemaChanges {
  const table = `alter table $schema."${toName(kind.name)}"`;
  const before: string[] = [];
  const after: string[] = [];
  // A check of the earlier version may refuse what steps store.
  for (const check of found.checks) {
    const isReplaced = check in shape.checks && shape.checks[check] !== earlier.checks[check];
    const isGone = check in earlier.checks && !(check in shape.checks);
    if (isReplaced || isGone) before.push(`${table} drop constraint "${check}"`);
  }
  for (const [field, type] of Object.entries(kind.fields)) {
    const column = toName(field);
    const next = shape.columns[column];
    const now = found.columns[column];
    const value = kind.defaults?.[field];
    const literal = value === undefined || value === null ? undefined : literalOf(value, type);
    if (now === undefined) {
      const isFilled = literal !== undefined;
      before.push(
        `${table} add column "${column}" ${
          isFilled ? `${next} default ${literal}` : optional(next)
        }`,
      );
      if (isFilled) before.push(`${table} alter column "${column}" drop default`);
      if (isFilled || next === optional(next)) continue;
    } else if (now === next) continue;
    else {
      if (now !== optional(now)) before.push(`${table} alter column "${column}" drop not null`);
      if (optional(now) !== optional(next)) {
        before.push(`${table} alter column "${column}" type ${optional(next)}`);
      }
    }
    if (next === optional(next)) continue;
    if (literal !== undefined) {
      after.push(
        `update $schema."${
          toName(kind.name)
        }" set "${column}" = ${literal} where "${column}" is null`,
      );
    }
    after.push(`${table} alter column "${column}" set not null`);
  }
  for (const column in earlier.columns) {
    if (column in shape.columns || !(column in found.columns)) continue;
    before.push(`${table} alter column "${column}" drop not null`);
    after.push(`${table} drop column "${column}"`);
  }
  return { before, after };
}

/** Returns the statements that make all of a table but its columns. */
function finishTable(name: string, shape: Shape, found: FoundTable | undefined): string[] {
  const table = `$schema."${name}"`;
  const statements: string[] = [];
  const earlier = found?.shape ?? NONE;
  const hasIndex = (index: string) => found?.indexes.includes(index) ?? false;
  for (const index in earlier.indexes) {
    const isKept = shape.indexes[index] === earlier.indexes[index];
    if (hasIndex(index) && !isKept) statements.push(`drop index if exists $schema."${index}"`);
  }
  for (const [check, condition] of Object.entries(shape.checks)) {
    const isKept = found?.checks.includes(check) && earlier.checks[check] === condition;
    if (!isKept) {
      statements.push(`alter table ${table} add constraint "${check}" check (${condition})`);
    }
  }
  for (const setting of shape.settings) {
    if (!earlier.settings.includes(setting)) statements.push(`alter table ${table} ${setting}`);
  }
  for (const [index, definition] of Object.entries(shape.indexes)) {
    const isKept = hasIndex(index) && earlier.indexes[index] === definition;
    if (isKept) continue;
    // One of version 1 has a name, and no known definition.
    if (hasIndex(index)) statements.push(`drop index if exists $schema."${index}"`);
    statements.push(`create index "${index}" on ${table} ${definition}`);
  }
  const isCounted = Object.keys(shape.counts).length > 0;
  if (isCounted && JSON.stringify(shape.counts) !== JSON.stringify(earlier.counts)) {
    statements.push(...countingOf(name, shape.counts));
  }
  const comment = JSON.stringify(shape).replaceAll("'", "''");
  return [...statements, `comment on table ${table} is '${comment}'`];
}

function optional(type: string): string {
  return type.replace(" not null", "");
}

function literalOf(value: unknown, type: string): string {
  const base = typeWithoutNull(type as "text");
  if (base === "json") return `${toLiteral(JSON.stringify(value))}::json`;
  return Array.isArray(value) ? `${toLiteral(toColumn(value, "text"))}::text[]` : toLiteral(value);
}
