// The words that were typed into a form. This browser keeps them until they are saved or discarded.

import { browserStore, ownDrafts, parseStored } from "../session.js";

/** Words by the names of their fields. @typedef {Record<string, string>} FormWords */

/** @param {string} name */
function keyOf(name) {
  return `${ownDrafts()}form/${name}`;
}

/**
 * Returns the kept words of a form; `undefined` if there are none.
 *
 * @param {string} name
 * @returns {FormWords | undefined}
 */
export function readWords(name) {
  const words = parseStored(browserStore.get(keyOf(name)))?.form;
  const isIntact = typeof words === "object" &&
    Object.values(words).every((one) => typeof one === "string");
  return isIntact ? words : undefined;
}

/**
 * Keeps the words of a form; returns whether that worked.
 *
 * @param {string} name
 * @param {FormWords} words
 */
export function keepWords(name, words) {
  return browserStore.set(keyOf(name), JSON.stringify({ at: Date.now(), form: words }));
}

/** @param {string} name */
export function forgetWords(name) {
  browserStore.remove(keyOf(name));
}
