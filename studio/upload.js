/** @import { RefusedRow } from "./sheet.js" */
import { authorization, BASE, connection, Problem, problemOf } from "./client.js";

const IMPORT = new URL("api/v1/changelogs/subscribers/import", BASE);

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
