// The state of an editor as a value, and pure functions that change it. `keeper.js` sends the
// requests of a state, and passes the responses to these functions.

/** @import { Field, Words } from "./words.js" */
import { EMPTY, FIELDS, wordsOf } from "./words.js";

/** @typedef {import("../../model/entries/entry.ts").ShownEntry} Entry */

/** @typedef {{ entry: Entry, etag: string }} Found */
/**
 * @typedef {{ status: number, code: string, errors: readonly { field: string, code: string, detail:
 *   string }[] }} Fault
 */

/**
 * A request: `create` and `change` send words, `look` reads the entry, and `find` finds an entry
 * with a changed address by the time of its creation.
 *
 * @typedef {{ kind: "create", entryId: string, words: Partial<Words>, to?: undefined }} Create
 * @typedef {{ kind: "change", entryId: string, etag: string, words: Partial<Words>, to?: string }}
 *   Change
 * @typedef {Create | Change | { kind: "look", entryId: string } | { kind: "find", createdAt: string
 *   }} Request
 */

/** @typedef {{ value: string, code: string, detail: string }} Refused */

/**
 * @typedef {object} Draft
 * @property {string} id Its identity from the first letter, and the address that it is created
 *   under.
 * @property {Words} words The contents of the fields.
 * @property {string | undefined} address An address that somebody typed and that is not stored yet.
 * @property {number | undefined} naming While it is given an address by its title, how many were
 *   taken.
 * @property {Found | undefined} base The stored entry, as far as it is known.
 * @property {Words} typed The contents of the fields when that was stored: the server trims and
 *   sorts.
 * @property {{ words: Partial<Words>, state: string } | undefined} asked The words for which
 *   somebody pressed Save, and the state of the entry then.
 * @property {boolean} isHeld Whether it was restored, and nobody has said yet that it is wanted.
 * @property {Request | undefined} sent The request that is under way.
 * @property {readonly (Create | Change)[]} lost Requests whose responses were lost: they may have
 *   been carried out.
 * @property {"look" | "find" | undefined} ask The question that comes before anything is sent.
 * @property {Partial<Record<Field | "entryId", Refused>>} refused
 * @property {Found | undefined} theirs The entry as somebody else has stored it, where that
 *   conflicts.
 * @property {boolean} isGone Whether somebody has deleted it.
 * @property {boolean} isOffline
 * @property {boolean} isUnkept Whether this browser can't keep the words.
 * @property {Fault | undefined} fault Why nothing is sent until somebody types or saves.
 */

/** @param {string} id @returns {Draft} */
export function newDraft(id) {
  return {
    id,
    words: EMPTY,
    address: undefined,
    naming: undefined,
    base: undefined,
    typed: EMPTY,
    asked: undefined,
    isHeld: false,
    sent: undefined,
    lost: [],
    ask: undefined,
    refused: {},
    theirs: undefined,
    isGone: false,
    isOffline: false,
    isUnkept: false,
    fault: undefined,
  };
}

/** @param {string} id @param {Found} found @returns {Draft} */
export function openDraft(id, found) {
  const words = wordsOf(found.entry);
  return { ...newDraft(id), base: found, words, typed: words };
}

/**
 * Returns the part of a draft that must be kept in case the page is closed; `undefined` if there is
 * none. A request in flight may or may not arrive.
 *
 * @param {Draft} draft
 * @returns {Draft | undefined}
 */
export function keptOf(draft) {
  const isEmpty = FIELDS.every((field) => draft.words[field].trim() === "");
  const isStored = draft.base
    ? !isDirty(draft) && draft.address === undefined
    : isEmpty && draft.lost.length === 0;
  if (isStored && !draft.sent) return undefined;
  const { id, words, address, base, typed, refused, isGone } = draft;
  const kept = { ...newDraft(id), words, address, base, typed, refused, isGone };
  return doubt({ ...kept, lost: draft.lost }, draft.sent);
}

/**
 * Tells whether a value is a kept draft. The browser's storage may be damaged.
 *
 * @param {any} value
 */
export function isKeptDraft(value) {
  const areWords = (/** @type {any} */ words) =>
    FIELDS.every((field) => typeof words?.[field] === "string");
  const { base, lost, refused } = value ?? {};
  const { entry } = base ?? {};
  return typeof value?.id === "string" && areWords(value.words) && areWords(value.typed) &&
    Array.isArray(lost) && typeof refused === "object" && refused !== null &&
    (base === undefined ||
      Array.isArray(entry?.labels) && Array.isArray(entry.posts) &&
        typeof entry.entryId === "string" &&
        typeof entry.body === "string" && typeof entry.title === "string");
}

/**
 * Records that a request may or may not have been carried out.
 *
 * @param {Draft} draft
 * @param {Request | undefined} sent
 * @returns {Draft}
 */
export function doubt(draft, sent) {
  if (sent === undefined || !("words" in sent)) return draft;
  return { ...draft, lost: [...draft.lost, sent], ask: "look" };
}

/**
 * Restores a kept draft. Words that were never sent wait until the person continues with them;
 * other words are compared with the stored entry.
 *
 * @param {Draft} kept
 * @returns {Draft}
 */
export function restoreDraft(kept) {
  const isUnsent = isUnsentDraft(kept);
  return { ...newDraft(kept.id), ...kept, isHeld: isUnsent, ask: isUnsent ? undefined : "look" };
}

/** Tells whether the server can't have these words. @param {Pick<Draft, "base" | "lost">} draft */
export function isUnsentDraft({ base, lost }) {
  return base === undefined && lost.length === 0;
}

/** @param {Draft} draft @param {Words} words @returns {Draft} */
export function typeWords(draft, words) {
  if (FIELDS.every((field) => words[field] === draft.words[field])) return draft;
  return { ...draft, words, isHeld: false, fault: undefined };
}

/**
 * @param {Draft} draft
 * @param {string} address Empty for the one that is stored.
 * @returns {Draft}
 */
export function typeAddress(draft, address) {
  const { entryId: _, ...refused } = draft.refused;
  return { ...draft, address: address || undefined, refused, isHeld: false, fault: undefined };
}

/**
 * Requests an address made from the title, if the draft has none yet.
 *
 * @param {Draft} draft
 * @returns {Draft}
 */
export function nameDraft(draft) {
  return { ...draft, naming: 0, fault: undefined };
}

/**
 * Requests that the contents of the fields are stored, even if they are public.
 *
 * @param {Draft} draft
 * @returns {Draft}
 */
export function askToSave(draft) {
  const state = draft.base?.entry.state ?? "draft";
  const asked = { words: pick(draft.words, dirtyFields(draft)), state };
  return { ...draft, asked, isHeld: false, fault: undefined };
}

/** Continues with restored words. @param {Draft} draft @returns {Draft} */
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

/**
 * Tells whether the entry is public or scheduled, so that only Save changes it.
 *
 * @param {Pick<Draft, "base">} draft
 */
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
