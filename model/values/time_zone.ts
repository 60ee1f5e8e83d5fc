import { nearest } from "./nearest.ts";
import { Refusal } from "./refusal.ts";

/** The default time zone of days. */
export const DEFAULT_TIME_ZONE = "UTC";

const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const DAY_MS = 86_400_000;
const clocks = new Map<string, Intl.DateTimeFormat>();

/** Accepts the name of an IANA time zone such as `Europe/Berlin`; refuses with `invalid_value`. */
export function parseTimeZone(text: string): string | Refusal {
  // Creating the first `DateTimeFormat` of a process takes 12 ms of each start.
  if (text === DEFAULT_TIME_ZONE) return text;
  try {
    if (NAME.test(text)) return new Intl.DateTimeFormat("en", { timeZone: text }) && text;
  } catch {
    // An unknown name is a `RangeError`.
  }
  const meant = nearest(text, Intl.supportedValuesOf("timeZone"));
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return new Refusal("invalid_value", `is no time zone like Europe/Berlin${hint}`);
}

/** Returns the local time in a zone, as milliseconds of a UTC clock that shows the same. */
export function toLocalMs(ms: number, timeZone: string): number {
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    clock = new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    clocks.set(timeZone, clock);
  }
  const parts = Object.fromEntries(
    clock.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
  );
  const { year, month, day, hour, minute, second } = parts;
  const wholeSeconds = Date.UTC(year, month - 1, day, hour, minute, second);
  return wholeSeconds + (ms % 1_000 + 1_000) % 1_000;
}

/**
 * Returns the instant of a local time in a zone, in milliseconds since 1970. Of a repeated local
 * time, returns the first instant; a skipped one moves forward by the length of the gap.
 */
export function fromLocalMs(localMs: number, timeZone: string): number {
  const offsets = [localMs - DAY_MS, localMs + DAY_MS].map((ms) => toLocalMs(ms, timeZone) - ms);
  const found = offsets.map((offset) => localMs - offset)
    .filter((ms) => toLocalMs(ms, timeZone) === localMs);
  return found.length > 0 ? Math.min(...found) : localMs - offsets[0];
}

/** Returns the start of a day such as `2026-11-25` in a zone (RFC 3339, UTC, milliseconds). */
export function startOfDay(day: string, timeZone: string): string {
  return new Date(fromLocalMs(Date.parse(`${day}T00:00:00Z`), timeZone)).toISOString();
}
