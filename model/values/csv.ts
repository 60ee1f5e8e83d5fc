// Matches text that a spreadsheet may run as a formula, after any number of apostrophes and quotes.
// It does so at the start of a cell, and after a semicolon, which separates cells in many locales.
const FORMULA = /(?<=^|;)['"]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/g;
const ESCAPED_FORMULA = /(?<=^|;)'(['"]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/g;
// A faster test that rules out most texts.
const MAY_HAVE_FORMULA = /^['"]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]|;/;
const NEEDS_QUOTES = /[",\r\n]/;

/** Formats one field, with quotes if it needs them. */
export function formatCsvField(field: string): string {
  return NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/**
 * Returns the separator of a header: a comma, or the semicolon or tab if there are more of them
 * outside quotes.
 */
export function findSeparator(header: string): string {
  const [line] = header.replace(/"[^"]*"/g, "").split("\n", 1);
  const count = (separator: string) => line.split(separator).length;
  return [";", "\t"].reduce((most, other) => count(other) > count(most) ? other : most, ",");
}

/** Splits a record with valid quoting into its fields. */
export function splitCsvRecord(record: string, separator = ","): string[] {
  if (!record.includes('"')) return record.split(separator);
  const fields: string[] = [];
  for (let at = 0; at <= record.length;) {
    const isQuoted = record[at] === '"';
    const end = isQuoted ? closingQuote(record, at + 1) + 1 : fieldEnd(record, at, separator);
    fields.push(
      isQuoted ? record.slice(at + 1, end - 1).replaceAll('""', '"') : record.slice(at, end),
    );
    at = end + 1;
  }
  return fields;
}

/**
 * Makes a text safe to open in a spreadsheet: puts an apostrophe before a formula, even after other
 * apostrophes, so that {@linkcode unescapeFormula} always returns the original text.
 */
export function escapeFormula(text: string): string {
  return MAY_HAVE_FORMULA.test(text) ? text.replace(FORMULA, "'$&") : text;
}

/** Removes the apostrophes that {@linkcode escapeFormula} has added. */
export function unescapeFormula(text: string): string {
  return text.includes("'") ? text.replace(ESCAPED_FORMULA, "$1") : text;
}

function fieldEnd(record: string, from: number, separator: string): number {
  const end = record.indexOf(separator, from);
  return end < 0 ? record.length : end;
}

function closingQuote(record: string, from: number): number {
  let at = record.indexOf('"', from);
  while (record[at + 1] === '"') at = record.indexOf('"', at + 2);
  return at;
}
