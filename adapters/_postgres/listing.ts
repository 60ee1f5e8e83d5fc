import { boundsOf, checkQuery } from "../positions.ts";
import {
  type AnyKind,
  type Item,
  type ListQuery,
  MAX_LIST_LIMIT,
  type Position,
} from "../storage.ts";
import {
  type Bound,
  createStatementCache,
  type Parameter,
  type Statement,
  type Table,
  toIdentifier,
  toLiteral,
  typeWithoutNull,
} from "./sql.ts";

/** Adds a parameter, and returns its placeholder. */
type Bind = (value: Parameter, type: string) => string;

// Each limit has a prepared statement of its own: with a bound limit, the planner would sort the
// table.
const LIMITS = [1, 2, 5, 10, 26, 50, 101, 250, MAX_LIST_LIMIT];
const MAX_TIME = Date.parse("9999-12-31T23:59:59.999Z");
const MIN_TIME = Date.parse("0000-01-01T00:00:00.000Z");

/** Creates statements that read along an index. They throw like {@linkcode checkQuery}. */
export interface Listing {
  /** Selects the records, and possibly more records after them. */
  list(query: ListQuery): Bound;
  /** Selects the number of records in an index, as `count`. */
  count(index: string): Statement;
}

/** Creates the statements that list records of a kind in a schema. */
export function createListing(kind: AnyKind, table: Table, schema: string): Listing {
  const make = createStatementCache();

  function list(query: ListQuery): Bound {
    const { where = {}, by } = checkQuery(kind, query);
    const { limit, reverse = false } = query;
    const { above, below } = boundsOf(kind, query);
    const parameters: Parameter[] = [];
    const bind: Bind = (value, type) => `$${parameters.push(value)}::${type}`;
    const conditions = conditionsOf(where);
    // Columns are qualified, because a selected field may have the name of its column but another
    // format.
    const order = (by === undefined ? [kind.key] : [by, kind.key])
      .map((name) => `t.${toIdentifier(name)}`);
    if (by !== undefined) conditions.push(`${order[0]} is not null`);
    for (const [sign, position] of [[">", above], ["<", below]] as const) {
      if (position === undefined) continue;
      const bound = by === undefined
        ? [bind(position.key, "text")]
        : typeWithoutNull(kind.fields[by]) === "time"
        ? bindPosition(position, bind)
        : [bind(position.by ?? "", "text"), bind(position.key, "text")];
      conditions.push(`(${order.join(", ")}) ${sign} (${bound.join(", ")})`);
    }
    const condition = conditions.length > 0 ? `where ${conditions.join(" and ")}` : "";
    const direction = reverse ? " desc" : "";
    const statement = make(
      `select ${table.fields} from ${table.name} as t ${condition}
       order by ${order.map((column) => column + direction).join(", ")} limit ${
        LIMITS.find((known) => known >= limit)
      }`,
    );
    return [statement, ...parameters];
  }

  function count(index: string): Statement {
    const { where = {}, by } = checkQuery(kind, { index, limit: 1 });
    if (kind.counted) {
      const name = toLiteral(`${kind.name}.${index}`);
      return make(
        `select coalesce(sum(value), 0)::float8 as count from "${schema}".counts
         where name = ${name}`,
      );
    }
    const conditions = conditionsOf(where);
    if (by !== undefined) conditions.push(`${toIdentifier(by)} is not null`);
    const condition = conditions.join(" and ") || "true";
    return make(`select count(*)::float8 as count from ${table.name} where ${condition}`);
  }

  return { list, count };
}

/**
 * Writes conditions with literals: the server's generic plan for parameters would not use partial
 * indexes.
 */
function conditionsOf(where: Item): string[] {
  return Object.entries(where).map(([name, value]) =>
    `${toIdentifier(name)} ${value === null ? "is null" : `= ${toLiteral(value)}`}`
  );
}

/**
 * Binds a position in the order of a time field. For a text that is not a time, binds the first
 * time whose text sorts after it.
 */
function bindPosition({ key, by = "" }: Position, bind: Bind): readonly string[] {
  let ms = Date.parse(by);
  const isTime = !Number.isNaN(ms) && new Date(ms).toISOString() === by;
  if (!isTime) {
    let end = MAX_TIME + 1;
    for (ms = MIN_TIME; ms < end;) {
      const middle = Math.floor((ms + end) / 2);
      if (new Date(middle).toISOString() > by) end = middle;
      else ms = middle + 1;
    }
  }
  // Rounded like the columns, because a float8 is not always exact to the microsecond.
  const time = `to_timestamp(${bind(ms, "float8")} / 1000)::timestamptz(3)`;
  return [time, bind(isTime ? key : "", "text")];
}
