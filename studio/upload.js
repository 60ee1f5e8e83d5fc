/** @import { RefusedRow } from "./importing/sheet.js" */
import { ApiProblem, problemOf } from "./client.js";
import { connection } from "./connection.js";
import { credentials, parseStored } from "./session.js";

/**
 * Sends a list, or a part of it, to the import.
 *
 * @param {Blob} list
 * @param {Record<string, string>} query
 * @param {{ type: string, url: URL, signal?: AbortSignal, onProgress?: (part: number) => void }}
 *   options `url` is that of the import.
 * @returns {Promise<{ sums: any, refused: RefusedRow[] }>}
 */
export async function upload(list, query, { url, ...options }) {
  const text = await postFile(new URL(`?${new URLSearchParams(query)}`, url), list, options);
  const lines = text.trim().split("\n").map(parseStored);
  const sums = lines.pop();
  // A report without totals has broken off.
  if (typeof sums?.added !== "number") {
    throw new ApiProblem({ status: 200, code: "broke_off" });
  }
  return { sums, refused: lines };
}

/**
 * Sends a file and returns the response; throws an `ApiProblem`. Uses `XMLHttpRequest`, because
 * `fetch` does not report the progress of an upload.
 *
 * @param {URL} url
 * @param {Blob} file
 * @param {{ type: string, method?: string, signal?: AbortSignal, onProgress?: (part: number) =>
 *   void, onStatus?: (status: number) => void }} options
 * @returns {Promise<string>}
 */
export function postFile(url, file, options) {
  const { type, method = "POST", signal, onProgress = () => {}, onStatus = () => {} } = options;
  const { promise, resolve, reject } = Promise.withResolvers();
  const request = new XMLHttpRequest();
  request.open(method, url);
  request.setRequestHeader(...credentials());
  request.setRequestHeader("Content-Type", type);
  request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
  signal?.addEventListener("abort", () => request.abort());
  request.onabort = () => reject(signal?.reason);
  request.onerror = () => {
    connection.lose();
    reject(new ApiProblem({ status: 0, code: "offline" }));
  };
  request.onload = () => {
    const { status, responseText } = request;
    const challenge = request.getResponseHeader("WWW-Authenticate");
    onStatus(status);
    if (status < 300) resolve(responseText);
    else reject(problemOf(status, challenge, responseText));
  };
  request.send(file);
  return promise;
}
