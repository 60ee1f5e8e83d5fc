import { connection } from "./connection.js";
import { getKey, refuse, remember } from "./session.js";

/** Where the service is: this module is in a folder of it. */
export const BASE = new URL("../", import.meta.url);
const API = new URL("api/v1/", BASE);

/** What the API refuses, or what kept it from answering (`offline`). */
export class Problem extends Error {
  /**
   * @param {{ status: number, code: string, detail: string,
   *   errors?: { field: string, code: string, detail: string }[] }} problem
   * @param {string} [scope]
   */
  constructor(problem, scope) {
    super(problem.detail);
    this.status = problem.status;
    this.code = problem.code;
    this.errors = problem.errors ?? [];
    /** What the key lacks. */
    this.scope = scope;
  }
}

/**
 * @typedef {object} Sent
 * @property {Record<string, string | undefined>} [query]
 * @property {unknown} [json]
 * @property {string} [accept]
 * @property {string} [match] The ETag that is expected.
 * @property {boolean} [keepalive] Whether it outlives the page.
 * @property {AbortSignal} [signal]
 * @property {string} [type] The media type of an empty body.
 */

/**
 * Calls the API; throws a `Problem`.
 *
 * @param {string} method
 * @param {string} path
 * @param {Sent} [sent]
 * @returns {Promise<Response>}
 */
export async function send(method, path, sent = {}) {
  const { query = {}, json, accept, match, keepalive, signal, type } = sent;
  const url = new URL(path, API);
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
  const headers = new Headers({ Authorization: `Bearer ${getKey()}` });
  if (json !== undefined) headers.set("Content-Type", "application/json");
  if (type !== undefined) headers.set("Content-Type", type);
  if (accept !== undefined) headers.set("Accept", accept);
  if (match !== undefined) headers.set("If-Match", match);
  const body = json === undefined ? type && "" : JSON.stringify(json);
  const fixed = /** @type {const} */ ({ cache: "no-store", credentials: "omit" });
  let response;
  try {
    response = await fetch(url, { method, headers, body, keepalive, signal, ...fixed });
  } catch (error) {
    if (signal?.aborted) throw error;
    connection.lose();
    throw new Problem({ status: 0, code: "offline", detail: `${error}` });
  }
  // What a proxy says of a server that is being started again.
  if ([502, 503, 504].includes(response.status)) connection.lose();
  if (!response.ok) throw await problemOf(response);
  return response;
}

/**
 * Calls the API and returns what it answers in JSON.
 *
 * @template [T=any]
 * @param {string} method
 * @param {string} path
 * @param {Sent} [sent]
 * @returns {Promise<T>}
 */
export async function call(method, path, sent) {
  const response = await send(method, path, sent);
  return response.status === 204 ? /** @type {any} */ (undefined) : await response.json();
}

/** @param {Response} response */
export async function problemOf(response) {
  const { status } = response;
  const problem = await response.json().catch(() => ({ code: "offline" }));
  const [, scope] = /scope="([^"]*)"/.exec(response.headers.get("WWW-Authenticate") ?? "") ?? [];
  if (status === 403 && scope) { for (const one of scope.split(" ")) remember(one); }
  if (status === 401) refuse();
  return new Problem({ status, detail: `${status}`, ...problem }, scope);
}

/**
 * Writes a path with encoded parameters.
 *
 * @param {TemplateStringsArray} parts
 * @param {...string} values
 */
export function path(parts, ...values) {
  return String.raw(parts, ...values.map(encodeURIComponent));
}
