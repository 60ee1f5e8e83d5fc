import { openTables } from "../../adapters/_tables.ts";
import { changeCalls, type Fault, type Faults, turn } from "./fault.ts";

/** A record of any kind. */
export type AnyRecord = Readonly<Record<string, unknown>>;

interface Query {
  readonly after?: string;
  readonly limit: number;
  readonly subscribed?: boolean;
}

type List<Answer> = (query: Query) => Answer;
type Page = readonly AnyRecord[];

/** What identifies a record. */
export function keyOf(record: AnyRecord): string {
  return (record.boardId ?? record.userEmail ?? record.keyId) as string;
}

/** A fault of all listings, made of those that answer at once. */
function inLists(change: (sound: List<Page>) => List<Page | Promise<Page>>): Fault {
  return (tables) =>
    changeCalls(openTables(tables), (call, name) => {
      if (!name.endsWith(".list")) return call;
      const { list } = tables[name.split(".")[0] as "boards"];
      const changed = change(list as unknown as List<Page>);
      return async (query) => {
        const isOpen = call(query);
        const found = changed(query as Query);
        await isOpen;
        return found;
      };
    });
}

/** Listings in an order of their own. */
function inOrder(compare: (a: string, b: string) => number): Fault {
  return inLists((list) => ({ after, limit, subscribed }) => {
    const all = list({ subscribed, limit: Infinity });
    return all.toSorted((a, b) => compare(keyOf(a), keyOf(b)))
      .filter((record) => after === undefined || compare(keyOf(record), after) > 0)
      .slice(0, limit);
  });
}

/** Faults of listings of every kind. */
export const LISTING_FAULTS: Faults = {
  "lists in the order of a language": inOrder(new Intl.Collator("en").compare),

  "lists numbers by their value": inOrder(new Intl.Collator("en", { numeric: true }).compare),

  "lists in the order in which records were made": inLists((list) => {
    const order: string[] = [];
    return ({ after, limit, subscribed }) => {
      const all = list({ subscribed, limit: Infinity });
      for (const key of all.map(keyOf)) if (!order.includes(key)) order.unshift(key);
      return all.toSorted((a, b) => order.indexOf(keyOf(a)) - order.indexOf(keyOf(b)))
        .slice(after === undefined ? 0 : order.indexOf(after) + 1).slice(0, limit);
    };
  }),

  "repeats the last record of a page in the next one": inLists((list) => (query) => {
    const all = list({ ...query, after: undefined, limit: Infinity });
    return all.filter((record) => keyOf(record) >= (query.after ?? "")).slice(0, query.limit);
  }),

  "passes over a record between two pages": inLists((list) => ({ limit, ...query }) => {
    const found = list({ ...query, limit: limit + 1 });
    return query.after ? found.slice(1) : found.slice(0, limit);
  }),

  "starts again after a key that is not there": inLists((list) => ({ after, ...query }) => {
    const all = list({ limit: Infinity });
    return list({ ...query, after: all.some((record) => keyOf(record) === after) ? after : "" });
  }),

  "ends after a key that is not there": inLists((list) => (query) => {
    const { after } = query;
    const all = list({ limit: Infinity });
    return !after || all.some((record) => keyOf(record) === after) ? list(query) : [];
  }),

  "counts how far a listing came": inLists((list) => {
    const positions = new Map<string | undefined, number>();
    return ({ after, limit, subscribed }) => {
      const all = list({ subscribed, limit: Infinity });
      const known = positions.get(after);
      const start = known ?? all.filter((record) => keyOf(record) <= (after ?? "")).length;
      const found = all.slice(start, start + limit);
      found.forEach((record, i) => positions.set(keyOf(record), start + i + 1));
      return found;
    };
  }),

  "lists 100 records at most": inLists((list) => (query) =>
    list({ ...query, limit: Math.min(query.limit, 100) })
  ),

  "lists one record less than it is asked for": inLists((list) => (query) =>
    (list(query)).slice(0, Math.max(1, query.limit - 1))
  ),

  "lists all records whatever the limit": inLists((list) => (query) =>
    list({ ...query, limit: Infinity })
  ),

  "reads a page in two parts": inLists((list) => async (query) => {
    const half = (list(query)).slice(0, query.limit / 2);
    await turn();
    return [...half, ...(list(query)).slice(half.length)];
  }),
};
