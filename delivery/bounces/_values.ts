/** A JSON object with unknown members. */
export type Json = Readonly<Record<string, unknown>>;

// Larger numbers are milliseconds: as seconds, this one would be in the year 5138.
const MIN_MS = 1e11;

/** Returns a value if it is an object, else one without members. */
export function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Json : {};
}

/** Returns a value if it is a list, else an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Returns the first number or non-empty text among some values, as a text; empty if there is none.
 */
export function asText(...values: readonly unknown[]): string {
  const found = values.find((value) =>
    typeof value === "string" && value !== "" || typeof value === "number"
  );
  return found === undefined ? "" : `${found}`;
}

/**
 * Reads the first valid time among some values: a date, or seconds or milliseconds since 1970.
 * Returns it as RFC 3339 (UTC, milliseconds), or `null`.
 */
export function asTime(...values: readonly unknown[]): string | null {
  for (const value of values) {
    const text = asText(value).trim();
    if (text === "") continue;
    const count = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
    // Brackets in the date of a mail hold a comment, such as the name of the time zone.
    const ms = count === undefined
      ? Date.parse(text.replace(/\([^()]*\)/g, ""))
      : count < MIN_MS
      ? count * 1_000
      : count;
    const date = new Date(Math.round(ms));
    if (date.getUTCFullYear() >= 1970 && date.getUTCFullYear() <= 9999) return date.toISOString();
  }
  return null;
}
