import { Refusal } from "../values/refusal.ts";
import { fromLocalMs, toLocalMs } from "../values/time_zone.ts";

/** The time of a week at which its mail is due. */
export interface WeeklySchedule {
  /** 0 for Sunday, to 6. */
  readonly weekday: number;
  /** Minutes since midnight. */
  readonly minute: number;
}

/** A week with the time at which its mail is due. */
export interface Week {
  /** The week in the form of ISO 8601, like `2026-W48`. */
  readonly week: string;
  /** The week after it. */
  readonly nextWeek: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly dueAt: string;
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const DAY_MS = 86_400_000;
const SCHEDULE = /^([A-Z][a-z]{2}) ([01]\d|2[0-3]):([0-5]\d)$/;

/** Reads a schedule like `Mon 08:00`, or `off`, which is `false`. */
export function readWeekly(text: string): WeeklySchedule | false | Refusal {
  if (text === "off") return false;
  const [, day = "", hour, minute] = SCHEDULE.exec(text) ?? [];
  const weekday = DAYS.indexOf(day);
  if (weekday < 0) return new Refusal("invalid_value", "is not off, nor a time like Mon 08:00");
  return { weekday, minute: 60 * Number(hour) + Number(minute) };
}

/**
 * Returns the last week whose mail is due by a time, in milliseconds since 1970. Uses the local
 * time of a time zone, including daylight-saving changes.
 */
export function lastWeek(
  { weekday, minute }: WeeklySchedule,
  nowMs: number,
  timeZone: string,
): Week {
  const localNowMs = toLocalMs(nowMs, timeZone);
  const today = Math.floor(localNowMs / DAY_MS) * DAY_MS;
  const sinceDays = (new Date(localNowMs).getUTCDay() - weekday + 7) % 7;
  const thisWeekMs = today - sinceDays * DAY_MS + minute * 60_000;
  const isDue = fromLocalMs(thisWeekMs, timeZone) <= nowMs;
  const localMs = isDue ? thisWeekMs : thisWeekMs - 7 * DAY_MS;
  return {
    week: weekOf(localMs),
    nextWeek: weekOf(localMs + 7 * DAY_MS),
    dueAt: new Date(fromLocalMs(localMs, timeZone)).toISOString(),
  };
}

function weekOf(ms: number): string {
  const weekday = (new Date(ms).getUTCDay() + 6) % 7;
  // The year of an ISO week is that of its Thursday.
  const thursday = new Date(ms + (3 - weekday) * DAY_MS);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS));
  return `${year}-W${`${week}`.padStart(2, "0")}`;
}
