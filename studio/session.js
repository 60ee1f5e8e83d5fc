// The key is kept for this tab alone, and forgotten with it.

const KEY = "boardcast.key";
const LACKS = "boardcast.lacks";

export function getKey() {
  return sessionStorage.getItem(KEY) ?? "";
}

/** @param {string} key */
export function setKey(key) {
  sessionStorage.setItem(KEY, key);
}

/** Forgets the key. */
export function forget() {
  sessionStorage.removeItem(KEY);
  sessionStorage.removeItem(LACKS);
}

/** Forgets a key that is not accepted, and has the page ask for another. */
export function refuse() {
  forget();
  dispatchEvent(new Event("refused"));
}

/** @returns {string[]} */
function lacked() {
  return JSON.parse(sessionStorage.getItem(LACKS) ?? "[]");
}

/**
 * Remembers what the server said that the key lacks: nothing else tells which scopes it has.
 *
 * @param {string} scope
 */
export function remember(scope) {
  if (may(scope)) sessionStorage.setItem(LACKS, JSON.stringify([...lacked(), scope]));
}

/**
 * Tells whether the key has a scope, as far as is known.
 *
 * @param {string} scope
 */
export function may(scope) {
  return !lacked().includes(scope);
}
