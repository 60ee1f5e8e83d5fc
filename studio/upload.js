/** @import { RefusedRow } from "./places/import.js" */
import { authorization, BASE, connection, Problem, problemOf } from "./client.js";

const IMPORT = new URL("api/v1/changelogs/subscribers/import", BASE);

/** @param {File} file */
export function formatOf({ name }) {
  return /\.(?:nd|l)?json[l]?$|\.jsonl$/i.test(name) ? "application/x-ndjson" : "text/csv";
}

/**
 * Sends a list, or a part of it, to the import.
 *
 * @param {Blob} list
 * @param {Record<string, string>} query
 * @param {{ type: string, signal: AbortSignal, onProgress?: (part: number) => void }} options
 * @returns {Promise<{ sums: any, refused: RefusedRow[] }>}
 */
export async function upload(list, query, options) {
  const text = await postFile(new URL(`?${new URLSearchParams(query)}`, IMPORT), list, options);
  const lines = text.trim().split("\n").map((line) => JSON.parse(line));
  const sums = lines.pop();
  // Without sums, it broke off.
  if (sums?.added === undefined) throw new Problem({ status: 200, code: "offline" });
  return { sums, refused: lines };
}

/**
 * Posts a file, and returns what is answered; throws a `Problem`. It uses what is older than `fetch` and
 * tells how much was sent.
 *
 * @param {URL} url
 * @param {Blob} file
 * @param {{ type: string, signal: AbortSignal, onProgress?: (part: number) => void }} options
 * @returns {Promise<string>}
 */
export function postFile(url, file, { type, signal, onProgress = () => {} }) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const request = new XMLHttpRequest();
  request.open("POST", url);
  request.setRequestHeader("Authorization", authorization());
  request.setRequestHeader("Content-Type", type);
  request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
  signal.addEventListener("abort", () => request.abort());
  request.onabort = () => reject(signal.reason);
  request.onerror = () => {
    connection.lose();
    reject(new Problem({ status: 0, code: "offline" }));
  };
  request.onload = () => {
    const { status, responseText } = request;
    const challenge = request.getResponseHeader("WWW-Authenticate");
    if (request.status < 300) resolve(responseText);
    else reject(problemOf(status, challenge, responseText));
  };
  request.send(file);
  return promise;
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

/**
 * @param {string} row
 * @param {string} reason
 */
function reasoned(row, reason) {
  try {
    return JSON.stringify({ reason, ...JSON.parse(row) });
  } catch {
    return row;
  }
}
