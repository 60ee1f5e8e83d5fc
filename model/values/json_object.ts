/** A JSON object whose members were not checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses the text of a JSON object; returns `undefined` for any other text. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? value as JsonObject : undefined;
  } catch {
    return undefined;
  }
}
