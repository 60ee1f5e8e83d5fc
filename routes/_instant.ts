import type { Instant } from "./_credentials.ts";

let lastInstant: Instant = { ms: NaN, text: "" };

/** Returns the instant of a number of milliseconds since 1970; throws a `RangeError` for a bad one. */
export function instant(ms: number): Instant {
  // Under load many requests fall into one millisecond.
  if (ms === lastInstant.ms) return lastInstant;
  const text = new Date(ms).toISOString();
  // RFC 3339 has the years 0000 to 9999 only, and times are compared as text.
  if (text.length !== 24) {
    throw new RangeError(`The clock gave ${ms}: give milliseconds since 1970`);
  }
  return lastInstant = { ms, text };
}
