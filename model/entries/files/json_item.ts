/** A JSON object whose members are unchecked. */
export type JsonItem = Readonly<Record<string, unknown>>;

/** Returns a value that is a text; an empty text for any other value. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the objects in an array; nothing for any other value. */
export function objectsOf(value: unknown): readonly JsonItem[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is JsonItem =>
    typeof item === "object" && item !== null && !Array.isArray(item)
  );
}

/** Limit of unused members that a report names. */
const MAX_UNUSED = 100;

/** Adds the names of an object's members that are not used. */
export function addUnused(names: Set<string>, item: object, used: ReadonlySet<string>): void {
  for (const name of Object.keys(item)) {
    if (names.size < MAX_UNUSED && !used.has(name)) names.add(name);
  }
}
