// The words that people type, and how the API takes and shows them.

/**
 * The words in the fields of the editor; `posts` are the identifiers of ideas, with spaces between.
 *
 * @typedef {{ title: string, body: string, labels: string, url: string, posts: string }} Words
 */
/** @typedef {keyof Words} Field */

/** @type {Words} */
export const EMPTY = { title: "", body: "", labels: "", url: "", posts: "" };

/** @type {readonly Field[]} */
export const FIELDS = ["title", "body", "labels", "url", "posts"];

/**
 * Returns the words that the fields show for a stored entry.
 *
 * @param {Pick<import("../../model/entries/entry.ts").ShownEntry, Field>} entry
 * @returns {Words}
 */
export function wordsOf({ title, body, labels, url, posts }) {
  return {
    title,
    body: body.replaceAll("\r\n", "\n"),
    labels: labels.join(", "),
    url: url ?? "",
    posts: posts.join(" "),
  };
}

/**
 * Returns words in the form of the API.
 *
 * @param {Partial<Words>} words
 * @returns {Record<string, unknown>}
 */
export function toJson({ labels, url, posts, ...words }) {
  return {
    ...words,
    ...labels !== undefined && { labels: toLabels(labels) },
    ...url !== undefined && { url: url.trim() || null },
    ...posts !== undefined && { posts: toPostIds(posts) },
  };
}

/** Splits the identifiers of ideas. @param {string} text @returns {string[]} */
export function toPostIds(text) {
  return text.split(" ").filter(Boolean);
}

/**
 * Turns typed words into labels. Words between commas form one label. Words that can't become a
 * label stay unchanged, so that the server refuses them.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function toLabels(text) {
  const parts = text.split(text.includes(",") ? /,/ : /\s+/).map((part) => part.trim());
  const labels = parts.filter(Boolean).map((part) => slug(part, 40) ?? part.replace(/\s+/g, "-"));
  return [...new Set(labels)];
}

/**
 * The identifier of a draft, which is its address until it gets another one.
 *
 * @param {string} letters
 */
export function draftId(letters) {
  return `draft-${letters}`;
}

/** Tells whether an address is the identifier of a draft. @param {string} address */
export function isDraftId(address) {
  return /^draft-[a-z0-9]{12}$/.test(address);
}

/** Returns an address, followed by alternatives in case it is taken. @param {string} address */
export function numbered(address) {
  return [address, ...[2, 3, 4, 5].map((number) => `${address}-${number}`)];
}

/**
 * Letters that Unicode does not decompose into a base letter and a mark.
 *
 * @type {Readonly<Record<string, string>>}
 */
const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };

/**
 * Turns a text into an identifier for an address; `undefined` if nothing is left.
 *
 * @param {string} text
 * @param {number} [length]
 */
export function slug(text, length = 60) {
  const letters = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const plain = letters.replace(/[^\0-\x7f]/g, (letter) => LETTERS[letter] ?? letter);
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-/, "").slice(0, length).replace(/-$/, "") ||
    undefined;
}

/**
 * Tells whether the server stores one text as the other, because it trims and sorts.
 *
 * @param {Field} field
 * @param {string} typed
 * @param {string} stored
 */
export function isSame(field, typed, stored) {
  if (field === "labels") return toLabels(typed).join(" ") === toLabels(stored).join(" ");
  return field === "body" || field === "posts"
    ? typed === stored
    : typed.normalize("NFC").trim() === stored;
}
