import { addMs } from "../values/time.ts";

const DAY_MS = 24 * 3_600_000;
/** Number of days that are counted. */
export const COUNTED_DAYS = 28;

/** Counts times by their day, for the last 28 days in a time zone. */
export function createDayCounts(
  { now, timeZone }: { readonly now: string; readonly timeZone: string },
): {
  /** Adds a time (RFC 3339, UTC, milliseconds); ignores one that lies outside these days. */
  readonly add: (at: string) => void;
  /** Returns the number of times of each day, oldest day first. */
  readonly list: () => readonly { readonly day: string; readonly votes: number }[];
} {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const today = Date.parse(format.format(Date.parse(now)));
  const counts = new Map<string, number>(
    Array.from({ length: COUNTED_DAYS }, (_, index) => {
      const dayMs = today - (COUNTED_DAYS - 1 - index) * DAY_MS;
      return [new Date(dayMs).toISOString().slice(0, 10), 0] as const;
    }),
  );
  // Most votes of a post are older, and a comparison of texts takes less time than a format.
  const before = addMs(now, -(COUNTED_DAYS + 1) * DAY_MS);
  return {
    add(at) {
      if (at < before) return;
      const day = format.format(Date.parse(at));
      const count = counts.get(day);
      if (count !== undefined) counts.set(day, count + 1);
    },
    list: () => [...counts].map(([day, votes]) => ({ day, votes })),
  };
}
