/** @import { Texts } from "./texts/en.js" */

/** The language of the page, which the server chose. */
export const LANGUAGE = document.documentElement.lang;

/** @type {{ default: Texts }} */
const { default: texts } = await import(`./texts/${LANGUAGE}.js`);

/**
 * Returns a text in the language of the page, with `{name}` replaced.
 *
 * @param {keyof Texts} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  return texts[key].replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    return typeof value === "number" ? count(value) : `${value}`;
  });
}

/**
 * Returns the text of a word that the API uses, or the word itself.
 *
 * @param {string} word
 */
export function word(word) {
  return texts[/** @type {keyof Texts} */ (word)] ?? word;
}

// As on the pages: the digits that the rest of the text has.
const LOCALE = { en: "en-GB", ar: "ar-u-nu-latn" }[LANGUAGE] ?? LANGUAGE;

/** @param {number} number */
export function count(number) {
  return new Intl.NumberFormat(LOCALE).format(number);
}

/**
 * Writes a time of the API for people; an absent one as a dash.
 *
 * @param {string | null | undefined} time
 */
export function date(time) {
  const style = /** @type {const} */ ({ dateStyle: "medium", timeStyle: "short" });
  return time ? new Intl.DateTimeFormat(LOCALE, style).format(new Date(time)) : "–";
}
