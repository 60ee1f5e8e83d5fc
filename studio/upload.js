import { BASE, Problem } from "./client.js";
import { connection } from "./connection.js";
import { getKey, refuse, remember } from "./session.js";

const IMPORT = new URL("api/v1/changelogs/subscribers/import", BASE);

/** @typedef {{ line: number, field: string | null, code: string, detail: string }} RefusedRow */

/** @param {File} file */
export function formatOf({ name }) {
  return /\.(?:nd|l)?json[l]?$|\.jsonl$/i.test(name) ? "application/x-ndjson" : "text/csv";
}

/**
 * Sends a list to the import. It uses what is older than `fetch` and tells how much was sent.
 *
 * @param {File} file
 * @param {Record<string, string>} query
 * @param {{ signal: AbortSignal, onProgress: (part: number) => void }} options
 * @returns {Promise<{ sums: any, refused: RefusedRow[] }>}
 */
export function upload(file, query, { signal, onProgress }) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const request = new XMLHttpRequest();
  request.open("POST", `${IMPORT}?${new URLSearchParams(query)}`);
  request.setRequestHeader("Authorization", `Bearer ${getKey()}`);
  request.setRequestHeader("Content-Type", formatOf(file));
  request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
  signal.addEventListener("abort", () => request.abort());
  request.onabort = () => reject(signal.reason);
  request.onerror = () => {
    connection.lose();
    reject(new Problem({ status: 0, code: "offline", detail: "" }));
  };
  request.onload = () => {
    const { status, responseText } = request;
    if (status !== 200) return reject(refusal(request));
    const lines = responseText.trim().split("\n").map((line) => JSON.parse(line));
    const sums = lines.pop();
    // Without sums, it broke off.
    if (sums?.added !== undefined) resolve({ sums, refused: lines });
    else reject(new Problem({ status, code: "offline", detail: sums?.detail ?? "" }));
  };
  request.send(file);
  return promise;
}

/** @param {XMLHttpRequest} request */
function refusal(request) {
  const [, scope] = /scope="([^"]*)"/.exec(request.getResponseHeader("WWW-Authenticate") ?? "") ??
    [];
  if (request.status === 401) refuse();
  if (scope) remember(scope);
  return new Problem(JSON.parse(request.responseText), scope);
}

/**
 * Returns the rows of a list that begin in some lines, with the header of a CSV file.
 *
 * @param {string} text
 * @param {ReadonlySet<number>} lines
 * @param {string} format
 */
export function chooseRows(text, lines, format) {
  const isCsv = format === "text/csv";
  let chosen = "";
  let start = 0;
  let line = 1;
  let first = 1;
  let isQuoted = false;
  for (let at = 0; at <= text.length; at++) {
    const char = text[at] ?? "\n";
    if (char === '"' && isCsv) isQuoted = !isQuoted;
    if (char !== "\n") continue;
    line++;
    if (isQuoted && at < text.length) continue;
    if (lines.has(first) || (isCsv && first === 1)) {
      chosen += `${text.slice(start, at).trimEnd()}\n`;
    }
    [start, first] = [at + 1, line];
  }
  return chosen;
}
