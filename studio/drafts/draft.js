// What becomes of the words of one entry: a value, and functions of it. They know no page, network or clock;
// `keeper.js` does what they ask for, and tells them what came of it.

/** @import { Field, Words } from "./words.js" */
import { EMPTY, FIELDS, isNamedAfter, wordsOf } from "./words.js";

/**
 * An entry as the API shows it.
 *
 * @typedef {object} Entry
 * @property {string} entryId
 * @property {string} title
 * @property {string} body
 * @property {string[]} labels
 * @property {string | null} url
 * @property {string} state
 * @property {string | null} publishedAt
 * @property {string} createdAt
 * @property {string} updatedAt
 * @property {string | null} [updatedBy]
 */

/** @typedef {{ entry: Entry, etag: string }} Found */
/** @typedef {{ status: number, code: string, errors: readonly { field: string, code: string, detail: string }[] }} Fault */

/**
 * What is to be sent: `create` and `change` carry words, `look` finds out what is stored. Somebody may have
 * given a draft another address: `find` knows when it was created, `search` what was sent, and when first.
 *
 * @typedef {{ kind: "create", entryId: string, words: Partial<Words>, at?: number }} Create
 * @typedef {{ kind: "change", entryId: string, etag: string, words: Partial<Words>, to?: string }} Change
 * @typedef {Create | Change | { kind: "look", entryId: string } | { kind: "find", createdAt: string }
 *   | { kind: "search", creating: Create }} Request
 */

/** @typedef {{ value: string, code: string, detail: string }} Refused */

/**
 * @typedef {object} Draft
 * @property {string} id What it is known by from its first letter, in this browser alone.
 * @property {Words} words What is in the fields.
 * @property {string | undefined} address What somebody typed; `undefined`: it follows the title.
 * @property {boolean} isSettled Whether nobody is in the middle of the title, so that the address may follow.
 * @property {Found | undefined} base What is stored, as far as is known.
 * @property {Words} typed What the fields had when that was stored: the server trims and sorts.
 * @property {{ words: Partial<Words>, state: string } | undefined} asked What somebody pressed Save for,
 *   and what was known of the entry then.
 * @property {boolean} isHeld Whether it was restored, and nobody has said yet that it is wanted.
 * @property {Request | undefined} sent What is on its way.
 * @property {Create | undefined} creating The first save, which is repeated as it was until it has an answer.
 * @property {boolean} isUnsure Whether that save may have been carried out though no answer came.
 * @property {readonly Change[]} lost Changes that may have been carried out.
 * @property {"look" | "find" | "search" | undefined} ask What has to be known before anything is sent.
 * @property {Partial<Record<Field | "entryId", Refused>>} refused
 * @property {readonly string[]} taken Addresses that others have.
 * @property {Found | undefined} theirs What somebody else has stored that is in the way.
 * @property {boolean} isGone Whether somebody has deleted it.
 * @property {boolean} isOffline
 * @property {Fault | undefined} fault Why nothing is sent until somebody types or saves.
 */

/** @param {string} id @returns {Draft} */
export function newDraft(id) {
  return {
    ...{ id, words: EMPTY, typed: EMPTY, address: undefined, isSettled: false, base: undefined },
    ...{ asked: undefined, isHeld: false, sent: undefined, creating: undefined, isUnsure: false },
    ...{ lost: [], ask: undefined, refused: {}, taken: [], theirs: undefined, isGone: false },
    ...{ isOffline: false, fault: undefined },
  };
}

/** @param {string} id @param {Found} found @returns {Draft} */
export function openDraft(id, found) {
  const words = wordsOf(found.entry);
  return { ...newDraft(id), base: found, words, typed: words, address: givenAddress(found.entry) };
}

/** The address that somebody gave an entry; `undefined`: it follows the title. @param {Entry} entry */
export function givenAddress({ entryId, title }) {
  return isNamedAfter(entryId, title) ? undefined : entryId;
}

/**
 * Returns what has to be kept so that nothing is lost when the page is gone; `undefined` for nothing. What
 * is on its way may or may not arrive.
 *
 * @param {Draft} draft
 * @returns {Draft | undefined}
 */
export function keptOf(draft) {
  const isEmpty = FIELDS.every((field) => draft.words[field].trim() === "");
  if (draft.base ? !isDirty(draft) && !draft.sent : isEmpty && !draft.creating) return undefined;
  const idle = { sent: undefined, asked: undefined, isOffline: false, fault: undefined };
  return doubt({ ...draft, ...idle, theirs: undefined }, draft.sent);
}

/**
 * What was sent may have been carried out, or not.
 *
 * @param {Draft} draft
 * @param {Request | undefined} sent
 * @returns {Draft}
 */
export function doubt(draft, sent) {
  if (sent?.kind === "create") return { ...draft, isUnsure: true, ask: "search" };
  return sent?.kind === "change" ? { ...draft, lost: [...draft.lost, sent] } : draft;
}

/**
 * Takes up what was kept. Words that were never stored wait until somebody goes on with them; the words of
 * a stored entry are compared with what is stored now.
 *
 * @param {Draft} kept
 * @returns {Draft}
 */
export function restoreDraft(kept) {
  const { base, isUnsure } = kept;
  return {
    ...kept,
    isHeld: base === undefined,
    ask: base ? "look" : isUnsure ? "search" : undefined,
  };
}

/** @param {Draft} draft @param {Words} words @returns {Draft} */
export function typeWords(draft, words) {
  if (FIELDS.every((field) => words[field] === draft.words[field])) return draft;
  const isTitle = words.title !== draft.words.title;
  const isSettled = draft.isSettled && !isTitle;
  return { ...draft, words, isSettled, isHeld: false, fault: undefined };
}

/** @param {Draft} draft @param {string} address Empty: it follows the title. @returns {Draft} */
export function typeAddress(draft, address) {
  const { entryId: _, ...refused } = draft.refused;
  return { ...draft, address: address || undefined, refused, isHeld: false, fault: undefined };
}

/** The title is left: the address may follow it. @param {Draft} draft @returns {Draft} */
export function settle(draft) {
  return { ...draft, isSettled: true };
}

/** Somebody asks for what stands in the fields to be stored, public or not. @param {Draft} draft @returns {Draft} */
export function askToSave(draft) {
  const state = draft.base?.entry.state ?? "draft";
  const asked = { words: pick(draft.words, dirtyFields(draft)), state };
  return { ...settle(draft), asked, isHeld: false, fault: undefined };
}

/** Goes on with what was restored. @param {Draft} draft @returns {Draft} */
export function accept(draft) {
  return { ...draft, isHeld: false };
}

/** @param {Draft} draft @returns {Draft} */
export function reconnect(draft) {
  return { ...draft, isOffline: false, fault: undefined };
}

/** @param {Draft} draft */
export function isDirty(draft) {
  return dirtyFields(draft).length > 0;
}

/** Whether what stands in the fields is public, or will be, and changes on Save alone. @param {Draft} draft */
export function isLive({ base }) {
  return base !== undefined && base.entry.state !== "draft";
}

/**
 * Returns the fields whose words are not stored yet.
 *
 * @param {Pick<Draft, "words" | "typed">} draft
 * @returns {readonly Field[]}
 */
export function dirtyFields({ words, typed }) {
  return FIELDS.filter((field) => words[field] !== typed[field]);
}

/** @param {Words} words @param {readonly Field[]} fields @returns {Partial<Words>} */
export function pick(words, fields) {
  return Object.fromEntries(fields.map((field) => [field, words[field]]));
}
