/** The URL of the service, derived from the URL of this module. */
export const BASE = new URL("../", import.meta.url);
const API = new URL("api/v1/", BASE);
const RETRY_MS = 2000;
/** The time that a new tab waits for another tab that is signed in. */
const ASK_MS = 200;
const SESSION = `boardcast.session.${BASE.pathname}`;
/** The start of the name of each draft that this browser keeps. */
export const DRAFTS = `boardcast.draft.${BASE.pathname}`;

// Storage of the browser

/**
 * Wraps a storage of the browser, which may be full, forbidden or damaged. A value that it refuses
 * is kept in memory instead.
 *
 * @param {"localStorage" | "sessionStorage"} name
 */
function createStore(name) {
  /** @type {Map<string, string>} */
  const spare = new Map();
  /** @template T @param {(area: Storage) => T} use @returns {T | undefined} */
  const attempt = (use) => {
    try {
      return use(globalThis[name]);
    } catch {
      return undefined;
    }
  };
  return {
    get: (/** @type {string} */ key) =>
      spare.get(key) ?? attempt((area) => area.getItem(key)) ?? undefined,
    /** Returns whether the value outlives the page. @param {string} key @param {string} value */
    set(key, value) {
      const isKept = attempt((area) => {
        area.setItem(key, value);
        return true;
      }) ?? false;
      if (isKept) spare.delete(key);
      else spare.set(key, value);
      return isKept;
    },
    remove(/** @type {string} */ key) {
      spare.delete(key);
      attempt((area) => area.removeItem(key));
    },
    names: () => [...new Set([...spare.keys(), ...attempt(Object.keys) ?? []])],
  };
}

/** Storage that outlives the tab. */
export const browserStore = createStore("localStorage");
/** Storage of the tab. */
export const tabStore = createStore("sessionStorage");

/**
 * Reads a stored JSON value; `undefined` if it is missing or damaged.
 *
 * @param {string} text
 */
export function parseStored(text = "") {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

// The session

/**
 * The caller who is signed in: a key, or a member by the browser's cookie.
 *
 * @typedef {{ key?: string, keyId: string, name: string, scopes: readonly string[] }} Session
 */

const others = new BroadcastChannel(SESSION);
/** @type {Session | undefined} */
let session = readSession();

/** @returns {Session | undefined} */
function readSession() {
  const found = parseStored(tabStore.get(SESSION) ?? browserStore.get(SESSION));
  return Array.isArray(found?.scopes) && typeof found.keyId === "string" ? found : undefined;
}

/** @param {Session} found */
function enter(found) {
  session = found;
  tabStore.set(SESSION, JSON.stringify(found));
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
 * Asks the server for the session of a member, and other tabs for their key, unless this tab has
 * one. Returns whether somebody is signed in.
 *
 * @returns {Promise<boolean>}
 */
export async function isSignedIn() {
  if (session && session.key === undefined) void enterByCookie().catch(() => {});
  if (session) return true;
  others.postMessage({ ask: true });
  const told = new Promise((resolve) => addEventListener("signedin", resolve, { once: true }));
  const waited = new Promise((resolve) => setTimeout(resolve, ASK_MS));
  await Promise.race([told, Promise.all([waited, enterByCookie().catch(() => {})])]);
  return session !== undefined;
}

/** Signs in as the member whose session the browser has; throws an `ApiProblem` if it has none. */
export async function enterByCookie() {
  const { keyId, name, scopes } = await call("GET", "key", { isCookie: true });
  if (session?.key !== undefined) return;
  const isChanged = session !== undefined && `${session.scopes}` !== `${scopes}`;
  enter({ keyId, name, scopes });
  // An admin has given the member another role.
  if (isChanged) dispatchEvent(new Event("signedin"));
}

/** Tells whether a member is signed in, and not a key. */
export function isMember() {
  return session !== undefined && session.key === undefined;
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
  if (stays) browserStore.set(SESSION, JSON.stringify(session));
  return name;
}

/** Replaces the key by another one of the same owner, who keeps the drafts. @param {string} key */
export async function replaceKey(key) {
  const before = draftNames();
  const stays = browserStore.get(SESSION) !== undefined;
  const prefix = ownDrafts();
  await signIn(key, stays);
  for (const name of before) {
    const text = browserStore.get(name);
    if (text !== undefined) browserStore.set(ownDrafts() + name.slice(prefix.length), text);
    browserStore.remove(name);
  }
}

/** Forgets the key, in this tab and on this computer. */
export function forget() {
  session = undefined;
  browserStore.remove(SESSION);
  for (const name of tabStore.names()) if (name.startsWith("boardcast.")) tabStore.remove(name);
}

/** Ends the session or forgets the key, and signs out other tabs. */
export async function signOut({ everywhere = false } = {}) {
  // Without a connection, the cookie stays: the next page asks for the session again.
  if (isMember()) await post("studio/sign-out", { everywhere }).catch(() => {});
  forget();
  others.postMessage({ out: true });
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

/** The prefix of the names of the key's drafts. Other keys do not see them. */
export function ownDrafts() {
  return `${DRAFTS}${session?.keyId}.`;
}

/** The names of the drafts that this browser keeps for the key. */
export function draftNames() {
  return browserStore.names().filter((name) => name.startsWith(ownDrafts()));
}

/** The names of the drafts that this browser keeps for all keys. */
export function allDraftNames() {
  return browserStore.names().filter((name) => name.startsWith(DRAFTS));
}

/** The addresses of the entries with unsaved words in this browser. */
export function unsavedEntries() {
  const drafts = draftNames().map((name) => parseStored(browserStore.get(name))?.draft);
  return new Set(drafts.flatMap((draft) => draft?.base?.entry?.entryId ?? []));
}

/** The identifier of the key. */
export function ownKeyId() {
  return session?.keyId;
}

/** Returns the name of the key, which the API uses as the author's name. */
export function whoami() {
  return session?.name ?? "";
}

/**
 * The header that names the caller of a request: a key or, for a member, the word that pages of
 * other sites can't send.
 *
 * @param {string} [key]
 * @returns {[name: string, value: string]}
 */
export function credentials(key = session?.key) {
  return key === undefined ? ["Boardcast-Studio", "1"] : ["Authorization", `Bearer ${key}`];
}

/** The scopes of the key. */
export function scopes() {
  return session?.scopes ?? [];
}

/** Tells whether the key has a scope. @param {string} scope */
export function may(scope) {
  return scopes().some((one) => one === scope || one === "*");
}

// Whether the server can be reached

/** Dispatches the events `lost` and `back`. */
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
    if (status === 401 && isSession && session) dispatchEvent(new Event("refused"));
    return new ApiProblem({ ...problem, status }, scope);
  }
  // A proxy answers with these statuses while the server restarts.
  if ([408, 502, 503, 504].includes(status)) {
    connection.lose();
    return new ApiProblem({ status, code: "offline" });
  }
  const code = { 413: "body_too_large", 429: "rate_limited" }[status] ?? "strange_answer";
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
    throw new ApiProblem({ status: response.status, code: "strange_answer" });
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
