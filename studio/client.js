/** Where the service is: this module is in a folder of it. */
export const BASE = new URL("../", import.meta.url);
const API = new URL("api/v1/", BASE);
const RETRY_MS = 2000;
/** How long a new tab waits for another that is signed in. */
const ASK_MS = 200;
const SESSION = `boardcast.session.${BASE.pathname}`;
/** What begins the name of each draft that this browser keeps. */
export const DRAFTS = `boardcast.draft.${BASE.pathname}`;

// Who is signed in

/** @typedef {{ key: string, name: string, scopes: readonly string[] }} Session */

const others = new BroadcastChannel(SESSION);
/** @type {Session | undefined} */
let session = readSession();

/** @returns {Session | undefined} */
function readSession() {
  const text = sessionStorage.getItem(SESSION) ?? localStorage.getItem(SESSION);
  return text === null ? undefined : JSON.parse(text);
}

/** @param {Session} found */
function enter(found) {
  session = found;
  sessionStorage.setItem(SESSION, JSON.stringify(found));
  others.postMessage({ session });
}

others.onmessage = (/** @type {MessageEvent} */ { data }) => {
  if (data.ask && session) others.postMessage({ session });
  else if (data.session && !session) {
    enter(data.session);
    dispatchEvent(new Event("signedin"));
  } else if (data.out && session) dispatchEvent(new Event("signedout"));
};

/**
 * Finds out whether this tab is signed in, or another that lets it in.
 *
 * @returns {Promise<boolean>}
 */
export async function isSignedIn() {
  if (session) return true;
  others.postMessage({ ask: true });
  await new Promise((resolve) => {
    addEventListener("signedin", resolve, { once: true });
    setTimeout(resolve, ASK_MS);
  });
  return session !== undefined;
}

/**
 * Signs in with a key; throws a `Problem` where it is not accepted. Returns whose it is.
 *
 * @param {string} key
 * @param {boolean} stays Whether this computer keeps it until somebody signs out.
 */
export async function signIn(key, stays) {
  // What is no key at all can't even be sent.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Problem({ status: 401, code: "invalid_token" });
  const { name, scopes } = await call("GET", "key", { key });
  enter({ key, name, scopes });
  if (stays) localStorage.setItem(SESSION, JSON.stringify(session));
  return name;
}

/** Forgets the key, in this tab and on this computer. */
export function forget() {
  session = undefined;
  localStorage.removeItem(SESSION);
  for (const name of Object.keys(sessionStorage)) {
    if (name.startsWith("boardcast.")) sessionStorage.removeItem(name);
  }
}

/** Forgets the key, and has other tabs sign out, too. */
export function signOut() {
  forget();
  others.postMessage({ out: true });
}

/** The names of the drafts that this browser keeps. */
export function draftNames() {
  return Object.keys(localStorage).filter((name) => name.startsWith(DRAFTS));
}

/** The name of the key, which is what the API calls its owner. */
export function whoami() {
  return session?.name ?? "";
}

/** The `Authorization` header of a request. */
export function authorization() {
  return `Bearer ${session?.key}`;
}

/** What the key may do. */
export function scopes() {
  return session?.scopes ?? [];
}

/** Tells whether the key has a scope. @param {string} scope */
export function may(scope) {
  return scopes().some((one) => one === scope || one === "*");
}

// Whether the server can be reached

/** Has the events `lost` and `back`. */
class Connection extends EventTarget {
  isLost = false;

  lose() {
    if (this.isLost) return;
    this.isLost = true;
    this.dispatchEvent(new Event("lost"));
    this.#retry();
  }

  #retry() {
    setTimeout(async () => {
      const ready = new URL("readyz", BASE);
      const response = await fetch(ready, { cache: "no-store" }).catch(() => undefined);
      if (!response?.ok) return this.#retry();
      this.isLost = false;
      this.dispatchEvent(new Event("back"));
    }, RETRY_MS);
  }
}

export const connection = new Connection();
addEventListener("offline", () => connection.lose());

// Calls

/** What the API refuses, or what kept it from answering (`offline`). */
export class Problem extends Error {
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
    /** What the key lacks. */
    this.scope = scope;
  }
}

/**
 * Makes the problem of a field that the page itself finds.
 *
 * @param {string} field
 * @param {string} detail What is wrong, in the language of the page.
 */
export function fieldProblem(field, detail) {
  return new Problem({
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
  const { query = {}, json, accept, match, keepalive, signal, key } = sent;
  const url = new URL(path, API);
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
  const headers = new Headers({ Authorization: key ? `Bearer ${key}` : authorization() });
  if (json !== undefined) headers.set("Content-Type", "application/json");
  if (accept !== undefined) headers.set("Accept", accept);
  if (match !== undefined) headers.set("If-Match", match);
  const body = json === undefined ? undefined : JSON.stringify(json);
  const fixed = /** @type {const} */ ({ cache: "no-store", credentials: "omit" });
  let response;
  try {
    response = await fetch(url, { method, headers, body, keepalive, signal, ...fixed });
  } catch (error) {
    if (signal?.aborted) throw error;
    connection.lose();
    throw new Problem({ status: 0, code: "offline" });
  }
  if (response.ok) return response;
  const challenge = response.headers.get("WWW-Authenticate");
  throw problemOf(response.status, challenge, await response.text(), key === undefined);
}

/**
 * Makes a problem of what was answered.
 *
 * @param {number} status
 * @param {string | null} challenge
 * @param {string} text
 * @param {boolean} [isSession] Whether it was asked with the key of who is signed in.
 */
export function problemOf(status, challenge, text, isSession = true) {
  // What a proxy says of a server that is being started again.
  if ([502, 503, 504].includes(status)) connection.lose();
  if (status === 401 && isSession && session) dispatchEvent(new Event("refused"));
  const [, scope] = /scope="([^"]*)"/.exec(challenge ?? "") ?? [];
  try {
    return new Problem({ ...JSON.parse(text), status }, scope);
  } catch {
    return new Problem({ status, code: "offline" });
  }
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

/**
 * Writes a path with encoded parameters.
 *
 * @param {TemplateStringsArray} parts
 * @param {...string} values
 */
export function path(parts, ...values) {
  return String.raw(parts, ...values.map(encodeURIComponent));
}
