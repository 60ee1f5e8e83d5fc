// Lists of subscribers as files, without a page.

/** @typedef {{ line: number, field: string | null, code: string, detail: string, row: string | null }} RefusedRow */

/** @param {File} file */
export function formatOf({ name }) {
  return /\.(?:nd|l)?json[l]?$|\.jsonl$/i.test(name) ? "application/x-ndjson" : "text/csv";
}

/**
 * Makes what the import is asked of what was chosen.
 *
 * @param {Record<string, string>} values
 * @returns {Record<string, string>}
 */
export function queryOf({ state = "", resubscribe, true: yes, false: no, ...columns }) {
  const chosen = Object.entries(columns).filter(([, heading]) => heading);
  return {
    ...!columns.subscribed && Object.fromEntries(new URLSearchParams(state)),
    ...chosen.length > 0 && { columns: chosen.map((pair) => pair.join("=")).join(",") },
    ...yes && { true: yes },
    ...no && { false: no },
    ...resubscribe === "true" && { resubscribe },
  };
}

/**
 * Reads the header of a CSV file: the first line with something in it, quotes included. A spreadsheet may
 * say before it what separates the columns.
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
 * Writes the refused rows as a file that can be mended and imported: each as it came, after the reason.
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
