import { refuseArray } from "./file_kind.ts";
import type { JsonObject } from "./json_object.ts";
import type { TextRecord } from "./record_splitter.ts";
import { Refusal } from "./refusal.ts";

/** The parts of a reader of NDJSON that differ by what its lines are. */
export interface ObjectOptions<R> {
  /** The members that are used, or that follow from others. */
  readonly known: ReadonlySet<string>;
  readonly readObject: (value: JsonObject, record: TextRecord) => R;
  /** Refuses a line as a whole. */
  readonly refuse: (record: TextRecord, refusal: Refusal) => R;
  /** The maximum length of a line, in UTF-16 code units. */
  readonly maxLength?: number;
}

/** A reader of NDJSON: one object per line. */
export interface ObjectReader<R> {
  readonly quoting: false;
  readonly maxLength?: number;
  /** The members that are not used, so far. */
  readonly unusedColumns: readonly string[];
  /** Reads a line; returns nothing for an empty one, and a refusal for an unusable file. */
  read(record: TextRecord): R | Refusal | undefined;
  end(): undefined;
}

/** Creates a reader of NDJSON from a reader of its objects. */
export function createObjectReader<R>(
  { known, readObject, refuse, ...limits }: ObjectOptions<R>,
): ObjectReader<R> {
  const unused = new Set<string>();
  let isFirst = true;
  return {
    quoting: false,
    ...limits,
    get unusedColumns() {
      return [...unused];
    },
    end: () => undefined,
    read(record) {
      const { text, fault } = record;
      if (fault !== undefined) return refuse(record, fault);
      if (text.trim() === "") return undefined;
      const array = isFirst ? refuseArray(text) : undefined;
      isFirst = false;
      if (array !== undefined) return array;
      const value = parse(text);
      if (value instanceof Refusal) return refuse(record, value);
      addUnused(unused, value, known);
      return readObject(value, record);
    },
  };
}

function parse(text: string): JsonObject | Refusal {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as JsonObject
      : new Refusal("invalid_type", "is not a JSON object");
  } catch {
    return new Refusal("invalid_value", "is not JSON");
  }
}

/** Limit of unused members that a report names. */
const MAX_UNUSED = 100;

/** Adds the names of an object's members that are not used. */
export function addUnused(names: Set<string>, item: object, used: ReadonlySet<string>): void {
  for (const name of Object.keys(item)) {
    if (names.size < MAX_UNUSED && !used.has(name)) names.add(name);
  }
}
