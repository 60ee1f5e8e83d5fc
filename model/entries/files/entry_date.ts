import { parseListTime } from "../../values/time.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const NAMES =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const MONTH = `(?<month>${NAMES})\\.?`;
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th)?";
const WEEKDAY = "(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\\.?,? +)?";
const TIME =
  "(?:(?:T|,? +(?:at +)?)(?<clock>\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?) ?(?<zone>Z\\b|UTC\\b|GMT\\b|[+-]\\d\\d:?\\d\\d)?(?! ?[ap]\\.?m))?";
// Day and month can't be mistaken: the year comes first, or the month has a name, or dots have the
// day first.
const FORMS = [
  "(?<![\\d.])(?<year>\\d{4})(?<gap>[-./‐‑–])(?<number>\\d{1,2})\\k<gap>(?<day>\\d{1,2})(?![\\d.]\\d|\\d)",
  `\\b${MONTH} ${DAY},? (?<year>\\d{4})`,
  `(?<!\\d)${DAY}(?: of|-)? ?-?${MONTH},?[ -](?<year>\\d{4})`,
  "(?<![\\d.])(?<day>\\d{1,2})\\. ?(?<number>\\d{1,2})\\. ?(?<year>(?:19|20)\\d\\d)(?![\\d.]\\d|\\d)",
].map((form) => new RegExp(`${WEEKDAY}${form}${TIME}`, "i"));

/** The time of an entry of a file. */
export interface EntryTime {
  /**
   * The time, or the start of the day, in UTC (RFC 3339, milliseconds); absent if it isn't known.
   */
  readonly publishedAt: string | undefined;
  /** Whether the file has only a day without a time. */
  readonly isDay: boolean;
}

const DAY_ALONE = /^\s*\d{4}-\d\d-\d\d\s*$/;

/** Reads a time as programs write it. */
export function readTime(text: string): EntryTime {
  return { publishedAt: parseListTime(text), isDay: DAY_ALONE.test(text) };
}

/** A date in a text. */
export interface FoundDate {
  /** The time, or the start of the day, in UTC (RFC 3339, milliseconds). */
  readonly at: string;
  /** Whether the text has only a day without a time. */
  readonly isDay: boolean;
  /** The position of the date, as it is written. */
  readonly index: number;
  readonly written: string;
  /** The text without the date. */
  readonly rest: string;
}

/** Finds a date as people write it; not one in which day and month can be mistaken. */
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

// The other words that a line may have that dates a version.
const WORDS =
  /^[^\p{L}\p{N}]*(?:(?:released?|dated?|published|tagged|on|of|at|in|the|day)\b[^\p{L}\p{N}]*)*$/iu;
const MAX_LINE_LENGTH = 100;

/** Reads a line that contains only a date, with any markup around it. */
export function readDateLine(line: string): FoundDate | undefined {
  if (line.length > MAX_LINE_LENGTH) return undefined;
  const date = findDate(line.replace(/[*_`]/g, " "));
  return date !== undefined && WORDS.test(date.rest) ? date : undefined;
}
