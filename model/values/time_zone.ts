import { nearest } from "./nearest.ts";
import { Refusal } from "./refusal.ts";

/** The time zone of days unless another one is given. */
export const DEFAULT_TIME_ZONE = "UTC";

const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const DAY_MS = 86_400_000;
const clocks = new Map<string, Intl.DateTimeFormat>();

/** Accepts the name of a time zone like `Europe/Berlin` (IANA); refuses with `invalid_value`. */
export function parseTimeZone(text: string): string | Refusal {
  try {
    if (NAME.test(text)) return new Intl.DateTimeFormat("en", { timeZone: text }) && text;
  } catch {
    // An unknown name is a `RangeError`.
  }
  const meant = nearest(text, Intl.supportedValuesOf("timeZone"));
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return new Refusal("invalid_value", `is no time zone like Europe/Berlin${hint}`);
}

/**
 * Returns the time on the clocks of a zone, as milliseconds of a clock in UTC that shows the same.
 */
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
 * Returns when clocks of a zone show a time, in milliseconds since 1970: the first of two times
 * where they are set back, and as much later as they are set forward where they skip it.
 */
export function fromLocalMs(localMs: number, timeZone: string): number {
  const offsets = [localMs - DAY_MS, localMs + DAY_MS].map((ms) => toLocalMs(ms, timeZone) - ms);
  const found = offsets.map((offset) => localMs - offset)
    .filter((ms) => toLocalMs(ms, timeZone) === localMs);
  return found.length > 0 ? Math.min(...found) : localMs - offsets[0];
}

/** Returns when a day like `2026-11-25` begins in a zone (RFC 3339, UTC, milliseconds). */
export function startOfDay(day: string, timeZone: string): string {
  return new Date(fromLocalMs(Date.parse(`${day}T00:00:00Z`), timeZone)).toISOString();
}
