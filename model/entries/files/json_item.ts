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
