// The storage of the browser, and who is signed in.

/** The URL of the service, derived from the URL of this module. */
export const BASE = new URL("../", import.meta.url);
const SESSION = `boardcast.session.${BASE.pathname}`;
/** The start of the name of each draft that this browser keeps. */
export const DRAFTS = `boardcast.draft.${BASE.pathname}`;
/** The channel on which editors tell that they have stored an entry. */
export const SAVES = `${DRAFTS}saved`;

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

/** The caller who is signed in. */
export function currentSession() {
  return session;
}

/** Signs in, in this tab and in others that are open. @param {Session} found */
export function enter(found) {
  session = found;
  tabStore.set(SESSION, JSON.stringify(found));
  others.postMessage({ session });
}

/** Keeps the session on this computer until somebody signs out. */
export function stay() {
  browserStore.set(SESSION, JSON.stringify(session));
}

/** Tells whether this computer keeps the session. */
export function isStaying() {
  return browserStore.get(SESSION) !== undefined;
}

/** Asks other tabs for their session. */
export function askOthers() {
  others.postMessage({ ask: true });
}

/** Signs other tabs out. */
export function signOutOthers() {
  others.postMessage({ out: true });
}

others.onmessage = (/** @type {MessageEvent} */ { data }) => {
  if (data.ask && session) others.postMessage({ session });
  else if (data.session && !session) {
    enter(data.session);
    dispatchEvent(new Event("signedin"));
  } else if (data.out && session) dispatchEvent(new Event("signedout"));
};

/** Tells whether a member is signed in, and not a key. */
export function isMember() {
  return session !== undefined && session.key === undefined;
}

/** Forgets the key, in this tab and on this computer. */
export function forgetSession() {
  session = undefined;
  browserStore.remove(SESSION);
  for (const name of tabStore.names()) if (name.startsWith("boardcast.")) tabStore.remove(name);
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
