/** The languages that pages, forms, mails and the widget speak. */
export const LANGUAGES = [
  "en",
  "de",
  "fr",
  "es",
  "pt",
  "it",
  "nl",
  "pl",
  "ja",
  "zh",
  "ar",
  "he",
] as const;

/** A language, by its code (BCP 47). */
export type Language = typeof LANGUAGES[number];

/** The direction in which a language is written. */
export type Direction = "ltr" | "rtl";

/** Writes times (RFC 3339) for people, as days of a time zone. */
export interface Dates {
  /** A day, like `25 November 2026`. */
  day(at: string): string;
  /** A day where there is little room, like `25 Nov 2026`. */
  shortDay(at: string): string;
  /** A day, without its year where that is the year of `now`, like `25 November`. */
  recentDay(at: string, now: string): string;
  /** A month, like `November 2026`. */
  month(at: string): string;
  /** The days from one to another, like `3 November 2026 – 25 November 2026`. */
  range(from: string, to: string): string;
}

/** The language of pages and mails unless told otherwise. */
export const DEFAULT_LANGUAGE: Language = "en";

/** The language of dates, and the time zone of their days. */
export interface DateOptions {
  readonly language: Language;
  /** The name of a time zone (IANA). */
  readonly timeZone: string;
}

/** The locales of languages whose code alone would give other dates. */
const LOCALES: Partial<Record<Language, string>> = {
  en: "en-GB",
  // The rest of a page has these digits.
  ar: "ar-u-nu-latn",
};

const DATES = new Map<string, Dates>();

/** Returns the direction in which a language is written. */
export function directionOf(language: Language): Direction {
  return language === "ar" || language === "he" ? "rtl" : "ltr";
}

/**
 * Returns the formats of dates in a language and a time zone.
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { datesOf } from "./language.ts";
 *
 * const dates = datesOf({ language: "fr", timeZone: "Europe/Paris" });
 * assertEquals(dates.month("2026-11-25T10:00:00.000Z"), "novembre 2026");
 * ```
 */
export function datesOf({ language, timeZone }: DateOptions): Dates {
  const key = `${language} ${timeZone}`;
  const known = DATES.get(key);
  if (known !== undefined) return known;
  const dates = createDates({ language, timeZone });
  DATES.set(key, dates);
  return dates;
}

/** Returns the locale in which dates of a language are written. */
export function localeOf(language: Language): string {
  return LOCALES[language] ?? language;
}

function createDates({ language, timeZone }: DateOptions): Dates {
  const locale = localeOf(language);
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone });
  const shortDay = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone });
  const month = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone });
  const recentDay = new Intl.DateTimeFormat(locale, { month: "long", day: "numeric", timeZone });
  const year = new Intl.DateTimeFormat("en", { year: "numeric", timeZone });
  const yearOf = (at: string) => year.format(new Date(at));
  const dayOf = (at: string) => day.format(new Date(at));
  return {
    day: dayOf,
    shortDay: (at) => shortDay.format(new Date(at)),
    recentDay: (at, now) => yearOf(at) === yearOf(now) ? recentDay.format(new Date(at)) : dayOf(at),
    month: (at) => month.format(new Date(at)),
    // Not formatRange, which writes the days of some languages in digits alone.
    range: (from, to) => [...new Set([from, to].map(dayOf))].join(" – "),
  };
}

const UNITS = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000]] as const;

/** Writes a duration for people, like `180 days`, in the largest unit that is exact. */
export function formatDuration(durationMs: number, language: Language): string {
  const [unit, unitMs] = UNITS.find(([, unitMs]) => durationMs % unitMs === 0) ?? ["second", 1_000];
  const locale = LOCALES[language] ?? language;
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" })
    .format(Math.ceil(durationMs / unitMs));
}
