import type { Parameter } from "./statement.ts";

/** One column of a row, as the server wrote it in UTF-8. */
export type Value = { toString(encoding: "utf8"): string } | null;
/** One row. */
export type Row = readonly Value[];

const SPECIAL = /["\\]/g;

/** Writes a list as the text of a PostgreSQL array (PostgreSQL, section 8.15.2). */
export function toArray(values: readonly Parameter[]): string {
  let text = "{";
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (i > 0) text += ",";
    text += typeof value === "string" ? `"${value.replace(SPECIAL, "\\$&")}"` : `${value}`;
  }
  return text + "}";
}

/** Times are sent as milliseconds since 1970, which no setting of the server changes. */
export function toMs(time: string): number {
  return Date.parse(time);
}

/**
 * The SQL that makes a time of a parameter or column in milliseconds. Rounded, as columns are: from
 * the year 2242 on a float8 is not exact to the microsecond, and the two would not be equal.
 */
export function timeOf(milliseconds: string): string {
  return `to_timestamp(${milliseconds}::float8 / 1000)::timestamptz(3)`;
}

/** The SQL that makes milliseconds of a time. */
export function msOf(time: string): string {
  return `round(date_part('epoch', ${time}) * 1000)::bigint`;
}

/** Reads a text column that is never null. */
export function readText(row: Row, index: number): string {
  return readNullableText(row, index) ?? "";
}

/** Reads a text column. */
export function readNullableText(row: Row, index: number): string | null {
  const value: Value = row[index];
  return value === null ? null : value.toString("utf8");
}

/** Reads a boolean column; null is `false`. */
export function readBoolean(row: Row, index: number): boolean {
  return readNullableText(row, index) === "t";
}

/** Reads a time, selected by `msOf`, that is never null. */
export function readTime(row: Row, index: number): string {
  return new Date(Number(readText(row, index))).toISOString();
}

/** Reads a time, selected by `msOf`. */
export function readNullableTime(row: Row, index: number): string | null {
  return row[index] === null ? null : readTime(row, index);
}
