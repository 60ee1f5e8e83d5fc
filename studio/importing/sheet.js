// Lists of subscribers as files, without a page.

/** @typedef {import("../../model/imports/reports.ts").RefusedRow} RefusedRow */

/** @param {File} file */
export function formatOf({ name }) {
  return /\.(?:nd|l)?json[l]?$|\.jsonl$/i.test(name) ? "application/x-ndjson" : "text/csv";
}

/**
 * Makes the query of an import from the values of its form.
 *
 * @param {Record<string, string>} values
 * @returns {Record<string, string>}
 */
export function queryOf({ state = "", resubscribe, true: yes, false: no, ...columns }) {
  const chosen = Object.entries(columns).filter(([, heading]) => heading);
  /** @type {Record<string, string>} */
  const query = columns.subscribed ? {} : Object.fromEntries(new URLSearchParams(state));
  if (chosen.length > 0) query.columns = chosen.map((pair) => pair.join("=")).join(",");
  // These words are needed only if a column has the state.
  if (columns.subscribed && yes) query.true = yes;
  if (columns.subscribed && no) query.false = no;
  if (resubscribe === "true") query.resubscribe = resubscribe;
  return query;
}

/** Words for yes and no in the languages of the studio, besides those of spreadsheets. */
const YES = "yes y ja j oui o sí si sim s tak t x 1 on active subscribed opt-in はい 是 نعم כן";
const NO = "no n nein non nee não nao nie f 0 off inactive unsubscribed opt-out いいえ 否 لا לא";

/**
 * Proposes the words of a sheet for yes and no. The person decides on ambiguous and unknown words.
 *
 * @param {string} start The start of the file.
 */
export function wordsForAnswers(start) {
  const { separator } = readHeader(start);
  const cells = start.toLowerCase().split(/\r?\n/).flatMap((line) => line.split(separator));
  const found = new Set(cells.map((cell) => cell.trim().replace(/^"(.*)"$/, "$1")));
  const among = (/** @type {string} */ words) =>
    words.split(" ").filter((word) => found.has(word)).join(", ");
  return { yes: among(YES), no: among(NO) };
}

/**
 * Reads the header of a CSV file: the first line that is not empty, quotes included. A spreadsheet
 * may name the separator of columns before it.
 *
 * @param {string} text The start of the file.
 */
export function readHeader(text) {
  const [, before, header] = /^\uFEFF?\s*(sep=.\s+)?((?:"[^"]*"|[^"\r\n])*)/.exec(text) ?? [];
  const plain = header.replace(/"[^"]*"/g, "");
  const many = (/** @type {string} */ sign) => plain.split(sign).length;
  const separator = before?.[4] ??
    [";", "\t"].reduce((most, sign) => many(sign) > many(most) ? sign : most, ",");
  const cells = header.match(new RegExp(`("(""|[^"])*"|[^${separator}])+`, "g")) ?? [];
  const headings = cells.map((cell) =>
    cell.trim().replace(/^"(.*)"$/s, "$1").replaceAll('""', '"')
  );
  return { before: before ?? "", header, separator, headings };
}

/**
 * Creates a file of the refused rows that can be corrected and imported: each row unchanged, after
 * its reason.
 *
 * @param {string} text The start of the list.
 * @param {readonly { row: string | null, reason: string }[]} refused
 * @param {{ type: string, heading: string }} options The heading of the reasons.
 */
export function writeRefused(text, refused, { type, heading }) {
  const rows = refused.flatMap(({ row, reason }) => row === null ? [] : [{ row, reason }]);
  if (type !== "text/csv") {
    return rows.map(({ row, reason }) => `${reasoned(row, reason)}\n`).join("");
  }
  const { before, header, separator } = readHeader(text);
  const quote = (/** @type {string} */ cell) => `"${cell.replaceAll('"', '""')}"`;
  const lines = rows.map(({ row, reason }) => `${quote(reason)}${separator}${row}\n`);
  return `${before}${quote(heading)}${separator}${header}\n${lines.join("")}`;
}

/** @param {string} row @param {string} reason */
function reasoned(row, reason) {
  try {
    return JSON.stringify({ reason, ...JSON.parse(row) });
  } catch {
    return row;
  }
}
