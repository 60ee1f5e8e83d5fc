// The words that were typed into a form. This browser keeps them until they are saved or discarded.

import { browserStore, ownDrafts, parseStored } from "../session.js";

/** Words by the names of their fields. @typedef {Record<string, string>} FormWords */

/** @param {string} name */
function keyOf(name) {
  return `${ownDrafts()}form/${name}`;
}

/**
 * Returns the kept words of a form, and those that it had before; `undefined` if there are none.
 *
 * @param {string} name
 * @returns {{ words: FormWords, before: FormWords } | undefined}
 */
export function readWords(name) {
  const { form: words, before } = parseStored(browserStore.get(keyOf(name))) ?? {};
  const isIntact = [words, before].every((one) =>
    typeof one === "object" && one !== null &&
    Object.values(one).every((text) => typeof text === "string")
  );
  return isIntact ? { words, before } : undefined;
}

/**
 * Keeps the words of a form; returns whether that worked.
 *
 * @param {string} name
 * @param {{ words: FormWords, before: FormWords }} kept
 */
export function keepWords(name, { words, before }) {
  return browserStore.set(keyOf(name), JSON.stringify({ at: Date.now(), form: words, before }));
}

/** @param {string} name */
export function forgetWords(name) {
  browserStore.remove(keyOf(name));
}

/**
 * Returns the names of the forms at a place whose words this browser keeps.
 *
 * @param {string} place Such as `boards/ideas`.
 */
export function formsAt(place) {
  const start = keyOf(`${place} `);
  return browserStore.names().filter((name) => name.startsWith(start))
    .map((name) => name.slice(keyOf("").length));
}

/** Forgets the words of all forms at a place, which is gone. @param {string} place */
export function forgetFormsAt(place) {
  for (const name of formsAt(place)) forgetWords(name);
}
