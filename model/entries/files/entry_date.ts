import { parseListTime } from "../../values/time.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const NAMES =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const MONTH = `(?<month>${NAMES})\\.?`;
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th)?";
const WEEKDAY = "(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\\.?,? +)?";
const TIME =
  "(?:(?:T|,? +(?:at +)?)(?<clock>\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?) ?(?<zone>Z\\b|UTC\\b|GMT\\b|[+-]\\d\\d:?\\d\\d)?(?! ?[ap]\\.?m))?";
// In these forms, day and month can't be confused: the year comes first, the month is a word, or
// dots follow the day.
const FORMS = [
  "(?<![\\d.])(?<year>\\d{4})(?<gap>[-./‐‑–])(?<number>\\d{1,2})\\k<gap>(?<day>\\d{1,2})(?![\\d.]\\d|\\d)",
  `\\b${MONTH} ${DAY},? (?<year>\\d{4})`,
  `(?<!\\d)${DAY}(?: of|-)? ?-?${MONTH},?[ -](?<year>\\d{4})`,
  "(?<![\\d.])(?<day>\\d{1,2})\\. ?(?<number>\\d{1,2})\\. ?(?<year>(?:19|20)\\d\\d)(?![\\d.]\\d|\\d)",
].map((form) => new RegExp(`${WEEKDAY}${form}${TIME}`, "i"));

/** The publication time of an entry in a file. */
export interface EntryTime {
  /** The time, or the start of the day, in UTC (RFC 3339, milliseconds); absent if unknown. */
  readonly publishedAt: string | undefined;
  /** Whether the file contains only a day without a time. */
  readonly isDay: boolean;
}

const DAY_ALONE = /^\s*\d{4}-\d\d-\d\d\s*$/;

/** Reads a time in the formats that programs write. */
export function readTime(text: string): EntryTime {
  return { publishedAt: parseListTime(text), isDay: DAY_ALONE.test(text) };
}

/** A date in a text. */
export interface FoundDate {
  /** The time, or the start of the day, in UTC (RFC 3339, milliseconds). */
  readonly at: string;
  /** Whether the text contains only a day without a time. */
  readonly isDay: boolean;
  /** The position of the date, and its original text. */
  readonly index: number;
  readonly written: string;
  /** The text without the date. */
  readonly rest: string;
}

/** Finds a date in the formats that people write, except where day and month could be confused. */
export function findDate(text: string): FoundDate | undefined {
  for (const form of FORMS) {
    const match = form.exec(text);
    if (match === null) continue;
    const { year, month, number, day, clock = "", zone = "" } = match.groups ?? {};
    const ordinal = number ?? `${MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1}`;
    const date = `${year}-${ordinal.padStart(2, "0")}-${day.padStart(2, "0")}`;
    const time = clock === "" ? "" : ` ${clock} ${zone.toUpperCase().replace("GMT", "UTC")}`;
    const exact = time === "" ? undefined : parseListTime(date + time);
    const at = exact ?? parseListTime(date);
    if (at === undefined) continue;
    const { 0: written, index } = match;
    const rest = `${text.slice(0, index)} ${text.slice(index + written.length)}`;
    return { at, isDay: exact === undefined, index, written, rest };
  }
}

// Matches the words that may surround the date in a line below a heading.
const WORDS =
  /^[^\p{L}\p{N}]*(?:(?:released?|dated?|published|tagged|on|of|at|in|the|day)\b[^\p{L}\p{N}]*)*$/iu;
const MAX_LINE_LENGTH = 100;

/** Reads a line that contains only a date, with any markup around it. */
export function readDateLine(line: string): FoundDate | undefined {
  if (line.length > MAX_LINE_LENGTH) return undefined;
  const date = findDate(line.replace(/[*_`]/g, " "));
  return date !== undefined && WORDS.test(date.rest) ? date : undefined;
}
