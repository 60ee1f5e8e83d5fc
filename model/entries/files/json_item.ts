/** An object of JSON, of whose members none can be relied on. */
export type JsonItem = Readonly<Record<string, unknown>>;

/** Returns a text, or an empty one for anything else. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the objects of an array; none for anything else. */
export function objectsOf(value: unknown): readonly JsonItem[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is JsonItem =>
    typeof item === "object" && item !== null && !Array.isArray(item)
  );
}
