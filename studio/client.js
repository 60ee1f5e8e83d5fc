// Signing in, and calls of the API.

import { connection } from "./connection.js";
import {
  askOthers,
  BASE,
  browserStore,
  credentials,
  currentSession,
  draftNames,
  enter,
  forgetSession,
  isMember,
  isStaying,
  ownDrafts,
  parseStored,
  signOutOthers,
  stay,
} from "./session.js";

const API = new URL("api/v1/", BASE);
/** The time that a new tab waits for another tab that is signed in. */
const ASK_MS = 200;

// Signing in

/**
 * Asks the server for the session of a member, and other tabs for their key, unless this tab has
 * one. Returns whether somebody is signed in.
 *
 * @returns {Promise<boolean>}
 */
export async function isSignedIn() {
  if (isMember()) void enterByCookie().catch(() => {});
  if (currentSession()) return true;
  askOthers();
  const told = new Promise((resolve) => addEventListener("signedin", resolve, { once: true }));
  const waited = new Promise((resolve) => setTimeout(resolve, ASK_MS));
  await Promise.race([told, enterByCookie().catch(() => waited)]);
  return currentSession() !== undefined;
}

/** Signs in as the member whose session the browser has; throws an `ApiProblem` if it has none. */
export async function enterByCookie() {
  const { keyId, name, scopes } = await call("GET", "key", { isCookie: true });
  const session = currentSession();
  if (session?.key !== undefined) return;
  const isChanged = session !== undefined && `${session.scopes}` !== `${scopes}`;
  enter({ keyId, name, scopes });
  // An admin has given the member another role.
  if (isChanged) dispatchEvent(new Event("signedin"));
}

/**
 * Signs in with a key and returns its owner; throws an `ApiProblem` if the server refuses it.
 *
 * @param {string} key
 * @param {boolean} stays Whether this computer keeps it until somebody signs out.
 */
export async function signIn(key, stays) {
  // A header can contain only these characters.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new ApiProblem({ status: 401, code: "invalid_token" });
  const { keyId, name, scopes } = await call("GET", "key", { key });
  enter({ key, keyId, name, scopes });
  if (stays) stay();
  return name;
}

/** Replaces the key by another one of the same owner, who keeps the drafts. @param {string} key */
export async function replaceKey(key) {
  const before = draftNames();
  const stays = isStaying();
  const prefix = ownDrafts();
  await signIn(key, stays);
  for (const name of before) {
    const text = browserStore.get(name);
    if (text !== undefined) browserStore.set(ownDrafts() + name.slice(prefix.length), text);
    browserStore.remove(name);
  }
}

/** Ends the session or forgets the key, and signs out other tabs. */
export async function signOut({ everywhere = false } = {}) {
  // Without a connection, the cookie stays: the next page asks for the session again.
  if (isMember()) await post("studio/sign-out", { everywhere }).catch(() => {});
  forgetSession();
  signOutOthers();
}

/**
 * Posts to a path of signing in; throws an `ApiProblem`.
 *
 * @param {string} path
 * @param {object} json
 */
export async function post(path, json) {
  await send("POST", new URL(path, BASE).href, { json, isCookie: true });
}

// Calls

/** An error response of the API, or the reason for a missing response (`offline`). */
export class ApiProblem extends Error {
  /**
   * @param {{ status: number, code: string, detail?: string, requestId?: string,
   *   errors?: { field: string, code: string, detail: string }[] }} problem
   * @param {string} [scope]
   */
  constructor(problem, scope) {
    super(problem.detail);
    this.status = problem.status;
    this.code = problem.code;
    this.errors = problem.errors ?? [];
    this.requestId = problem.requestId;
    /** The scope that the key lacks. */
    this.scope = scope;
  }
}

/**
 * Creates the problem of a field that the page itself has found.
 *
 * @param {string} field
 * @param {string} detail What is wrong, in the language of the page.
 */
export function fieldProblem(field, detail) {
  return new ApiProblem({
    status: 422,
    code: "validation_failed",
    errors: [{ field, code: "", detail }],
  });
}

/**
 * @typedef {object} Sent
 * @property {Record<string, string | undefined>} [query]
 * @property {unknown} [json]
 * @property {string} [accept]
 * @property {string} [match] The ETag that is expected.
 * @property {boolean} [keepalive] Whether it outlives the page.
 * @property {AbortSignal} [signal]
 * @property {string} [key] A key to be tried.
 * @property {boolean} [isCookie] Whether the browser's session is asked, whoever is signed in.
 */

/**
 * Calls the API; throws an `ApiProblem`.
 *
 * @param {string} method
 * @param {string} path
 * @param {Sent} [sent]
 * @returns {Promise<Response>}
 */
export async function send(method, path, sent = {}) {
  const { query = {}, json, accept, match, keepalive, signal, key, isCookie = false } = sent;
  const url = new URL(path, API);
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
  const headers = new Headers([isCookie ? ["Boardcast-Studio", "1"] : credentials(key)]);
  if (json !== undefined) headers.set("Content-Type", "application/json");
  if (accept !== undefined) headers.set("Accept", accept);
  if (match !== undefined) headers.set("If-Match", match);
  const body = json === undefined ? undefined : JSON.stringify(json);
  const fixed = /** @type {const} */ ({ cache: "no-store", credentials: "same-origin" });
  let response;
  try {
    response = await fetch(url, { method, headers, body, keepalive, signal, ...fixed });
  } catch (error) {
    if (signal?.aborted) throw error;
    connection.lose();
    throw new ApiProblem({ status: 0, code: "offline" });
  }
  if (response.ok) return response;
  const challenge = response.headers.get("WWW-Authenticate");
  const text = await response.text().catch(() => "");
  throw problemOf(response.status, challenge, text, key === undefined && !isCookie);
}

/**
 * Creates a problem from an error response.
 *
 * @param {number} status
 * @param {string | null} challenge
 * @param {string} text
 * @param {boolean} [isSession] Whether it was asked with the key of who is signed in.
 */
export function problemOf(status, challenge, text, isSession = true) {
  const [, scope] = /scope="([^"]*)"/.exec(challenge ?? "") ?? [];
  const problem = parseStored(text);
  if (typeof problem?.code === "string") {
    if (status === 503) connection.lose();
    if (status === 401 && isSession && currentSession()) dispatchEvent(new Event("refused"));
    return new ApiProblem({ ...problem, status }, scope);
  }
  // A proxy answers with these statuses while the server restarts.
  if ([408, 502, 503, 504].includes(status)) {
    connection.lose();
    return new ApiProblem({ status, code: "offline" });
  }
  const code = { 413: "body_too_large", 429: "rate_limited" }[status] ?? "strange_response";
  return new ApiProblem({ status, code });
}

/**
 * Calls the API and returns the JSON of the response.
 *
 * @template [T=any]
 * @param {string} method
 * @param {string} path
 * @param {Sent} [sent]
 * @returns {Promise<T>}
 */
export async function call(method, path, sent) {
  const response = await send(method, path, sent);
  if (response.status === 204) return /** @type {any} */ (undefined);
  return await readJson(response);
}

/**
 * Reads a response; throws an `ApiProblem` if it came from something in front of the server.
 *
 * @param {Response} response
 * @returns {Promise<any>}
 */
export async function readJson(response) {
  const text = await response.text().catch(() => {
    // The stream broke off before its last line.
    throw new ApiProblem({ status: 0, code: "offline" });
  });
  const found = parseStored(text);
  if (found === undefined) {
    throw new ApiProblem({ status: response.status, code: "strange_response" });
  }
  return found;
}

/**
 * Requests a record by an identifier from the address of a place. An identifier that is a word of
 * the API's own paths, such as `export`, names no record.
 *
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<Response>}
 */
export async function sendForRecord(path, signal) {
  const missing = new ApiProblem({ status: 404, code: "not_found" });
  const response = await send("GET", path, { signal }).catch((error) => {
    const isOther = ["method_not_allowed", "validation_failed"].includes(error.code);
    throw isOther ? missing : error;
  });
  if (response.headers.get("Content-Type") !== "application/x-ndjson") return response;
  await response.body?.cancel();
  throw missing;
}

/**
 * Reads a record by an identifier from the address of a place.
 *
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function readRecord(path, signal) {
  return await readJson(await sendForRecord(path, signal));
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
