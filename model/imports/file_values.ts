import { type Described, sentNames } from "../resource.ts";
import { Refusal } from "../values/refusal.ts";
import { escapeFormula, formatCsvField } from "../values/csv.ts";

/** A refused value of a field in a file. */
export interface RefusedValue {
  readonly field: string;
  readonly refusal: Refusal;
}

/** Returns the names of the fields that callers set, except those that a reader knows itself. */
export function otherNames(described: Described, known: readonly string[]): readonly string[] {
  return sentNames(described).filter((name) => !known.includes(name));
}

/**
 * Reads values of fields by their declaration: texts of a table, or values of JSON. Leaves out
 * those that are empty. Returns the first refused one.
 */
export function readValues(
  { fields }: Described,
  names: readonly string[],
  valueOf: (name: string) => unknown,
): Readonly<Record<string, unknown>> | RefusedValue {
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const value = valueOf(name) ?? "";
    if (value === "") continue;
    const text = Array.isArray(value) ? value.join(" ") : value;
    const parsed = typeof text === "string" || typeof text === "boolean"
      ? fields[name].parse!(`${text}`)
      : new Refusal("invalid_type", "is of another type");
    if (parsed instanceof Refusal) return { field: name, refusal: parsed };
    values[name] = parsed;
  }
  return values;
}

/** Tells whether a field's value in a file was refused. */
export function isRefused(values: object): values is RefusedValue {
  return "refusal" in values && values.refusal instanceof Refusal;
}

/** Returns the columns of a table of records: all fields that are shown, some of them first. */
export function columnsOf({ fields }: Described, first: readonly string[] = []): readonly string[] {
  const shown = Object.keys(fields).filter((name) => !fields[name].hidden);
  return [...first, ...shown.filter((name) => !first.includes(name))];
}

/** Formats the first row of a table. */
export function formatHeader(columns: readonly string[]): string {
  return `${columns.join(",")}\n`;
}

/**
 * Formats a record as a row of CSV: lists of words with spaces, other objects as JSON. An
 * apostrophe precedes text that a spreadsheet would run.
 */
export function formatRow(columns: readonly string[], record: object): string {
  const fields = columns.map((name) => {
    const value = (record as Readonly<Record<string, unknown>>)[name] ?? "";
    return formatCsvField(escapeFormula(textOf(value)));
  });
  return `${fields.join(",")}\n`;
}

function textOf(value: unknown): string {
  if (typeof value !== "object") return `${value}`;
  const isWords = Array.isArray(value) && value.every((word) => typeof word === "string");
  return isWords ? value.join(" ") : JSON.stringify(value);
}
