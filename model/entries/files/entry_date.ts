import { parseListTime } from "../../values/past_time.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH = `(?<month>${MONTHS.join("|")})[a-z]*\\.?`;
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th)?";
const FORMS = [
  "(?<year>\\d{4})(?<gap>[-./])(?<number>\\d{1,2})\\k<gap>(?<day>\\d{1,2})(?!\\d)",
  `${MONTH} ${DAY},? (?<year>\\d{4})`,
  `${DAY} ${MONTH},? (?<year>\\d{4})`,
].map((form) => new RegExp(`\\b${form}`, "i"));

/** A date in a heading. */
export interface FoundDate {
  /** The start of the day in UTC (RFC 3339, milliseconds). */
  readonly at: string;
  /** What the heading says without it. */
  readonly rest: string;
}

/** Finds a date as people write it in headings; not one in which day and month can be mistaken. */
export function findDate(text: string): FoundDate | undefined {
  for (const form of FORMS) {
    const match = form.exec(text);
    if (match === null) continue;
    const { year, month, number, day } = match.groups ?? {};
    const ordinal = number ?? `${MONTHS.indexOf(month.toLowerCase()) + 1}`;
    const at = parseListTime(`${year}-${ordinal.padStart(2, "0")}-${day.padStart(2, "0")}`);
    if (at !== undefined) {
      return { at, rest: text.slice(0, match.index) + text.slice(match.index + match[0].length) };
    }
  }
}
