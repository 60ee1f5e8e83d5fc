// What an answer, a lost one, or a change by others comes to.

/** @import { Draft, Fault, Found, Request } from "./draft.js" */
/** @import { Field, Words } from "./words.js" */
import { askToSave, givenAddress, newDraft } from "./draft.js";
import { FIELDS, isSame, wordsOf } from "./words.js";

/**
 * @param {Draft} draft
 * @param {Request} sent
 * @param {number} at In milliseconds, of this computer's clock.
 * @returns {Draft}
 */
export function markSent(draft, sent, at) {
  return { ...draft, sent, creating: sent.kind === "create" ? { at, ...sent } : draft.creating };
}

/**
 * No answer has come, and none will: what was sent may have been carried out or not.
 *
 * @param {Draft} draft
 * @returns {Draft}
 */
export function loseAnswer({ sent, ...draft }) {
  return {
    ...draft,
    ...{ sent: undefined, isOffline: true },
    isUnsure: draft.isUnsure || sent?.kind === "create",
    isSought: draft.isSought && sent?.kind !== "create",
    lost: sent?.kind === "change" ? [...draft.lost, sent] : draft.lost,
  };
}

/** @param {Draft} draft @param {Found} found @returns {Draft} */
export function takeAnswer({ sent, ...rest }, found) {
  const draft = /** @type {Draft} */ ({ ...rest, sent: undefined, fault: undefined });
  if (sent === undefined) return draft;
  if (sent.kind === "create") return stored({ ...draft, typed: createdWords(sent) }, found);
  if (sent.kind === "change") {
    const typed = { ...draft.typed, ...sent.words };
    const { asked } = draft;
    const isDone = asked &&
      FIELDS.every((field) => (asked.words[field] ?? typed[field]) === typed[field]);
    return stored({ ...draft, typed, asked: isDone ? undefined : asked }, found);
  }
  const looked = { ...draft, look: undefined, isMissing: false, isSought: true };
  const { creating, base } = draft;
  if (base) {
    // What has its address now may be another one.
    const isSame = found.entry.createdAt === base.entry.createdAt;
    return isSame ? merge(looked, found) : { ...looked, isMissing: true };
  }
  if (creating && isAsSent(createdWords(creating), found)) {
    const isMoved = found.entry.entryId !== creating.entryId;
    const address = isMoved ? givenAddress(found.entry) : looked.address;
    return stored({ ...looked, address, typed: createdWords(creating), isHeld: false }, found);
  }
  return { ...looked, theirs: found };
}

/**
 * What was stored first: what was refused was not part of it.
 *
 * @param {Request & { kind: "create" }} request
 * @returns {Words}
 */
function createdWords({ words, without }) {
  return { ...words, ...Object.fromEntries(without.map((field) => [field, ""])) };
}

/** @param {Draft} draft @param {Fault} fault @returns {Draft} */
export function takeFault({ sent, ...rest }, fault) {
  const draft = /** @type {Draft} */ ({ ...rest, sent: undefined });
  const { status } = fault;
  if (sent === undefined) return draft;
  if (status === 404) {
    if (sent.kind === "find") return { ...draft, isMissing: false, isGone: true };
    // A first save may be on its way still, and is repeated as it was.
    if (sent.kind === "search") return { ...draft, isSought: true };
    return { ...draft, look: undefined, isMissing: draft.base !== undefined };
  }
  if (sent.kind === "create") {
    if (status === 409 && draft.isUnsure) return { ...draft, look: sent.entryId };
    const open = { ...draft, creating: undefined, isUnsure: false };
    if (status === 409) return refuseAddress(open, sent.entryId, fault);
    if (status === 422) return refuse(open, sent.words, sent.entryId, fault);
    return { ...draft, fault, isUnsure: draft.isUnsure || status >= 500, isSought: false };
  }
  if (sent.kind === "change") {
    if (status === 412) return { ...draft, look: sent.entryId };
    if (status === 409 && sent.to) return refuseAddress(draft, sent.to, fault);
    if (status === 422) return refuse(draft, sent.words, sent.to, fault);
  }
  return { ...draft, fault, lost: sent.kind === "change" ? [...draft.lost, sent] : draft.lost };
}

/** @param {Draft} draft @param {string} address @param {Fault} fault @returns {Draft} */
function refuseAddress(draft, address, { code }) {
  if (draft.address !== address) return { ...draft, taken: [...draft.taken, address] };
  const refused = { ...draft.refused, entryId: { value: address, code, detail: "" } };
  return { ...draft, refused };
}

/**
 * @param {Draft} draft
 * @param {Partial<Words>} words
 * @param {string | undefined} address
 * @param {Fault} fault
 * @returns {Draft}
 */
function refuse(draft, words, address, fault) {
  const refused = { ...draft.refused };
  let next = draft;
  let isKnown = false;
  for (const { field, code, detail } of fault.errors) {
    const value = words[/** @type {Field} */ (field)];
    if (field === "entryId" && address !== undefined) {
      if (draft.address === address) refused.entryId = { value: address, code, detail };
      else if (draft.base) next = { ...next, address: draft.base.entry.entryId };
      else next = { ...next, taken: [...next.taken, address] };
    } else if (value !== undefined) refused[/** @type {Field} */ (field)] = { value, code, detail };
    else continue;
    isKnown = true;
  }
  return isKnown ? { ...next, refused } : { ...next, fault };
}

/** @param {Draft} draft @param {Found} base @returns {Draft} */
function stored(draft, base) {
  const { entryId, state } = base.entry;
  const address = draft.address === undefined ? undefined : entryId;
  const done = { creating: undefined, isUnsure: false, lost: [], look: undefined };
  const isMoved = draft.address !== undefined && draft.address !== entryId;
  return {
    ...draft,
    base,
    ...done,
    address: isMoved && state === "draft" ? draft.address : address,
  };
}

/**
 * Puts together what others have stored and what was written here.
 *
 * @param {Draft} draft
 * @param {Found} found
 * @returns {Draft}
 */
function merge(draft, found) {
  const { base, typed, lost } = draft;
  if (base === undefined) return draft;
  const [before, now] = [wordsOf(base.entry), wordsOf(found.entry)];
  const words = { ...draft.words };
  const next = { ...typed };
  for (const field of FIELDS) {
    if (now[field] === before[field]) continue;
    const own = lost.findLast(({ words }) =>
      words[field] !== undefined && isSame(field, words[field], now[field])
    );
    if (own) next[field] = /** @type {string} */ (own.words[field]);
    else if (draft.words[field] === typed[field]) words[field] = next[field] = now[field];
    else if (isSame(field, draft.words[field], now[field])) next[field] = draft.words[field];
    else return { ...draft, theirs: found };
  }
  const { entryId } = found.entry;
  const isMoved = entryId !== base.entry.entryId && !lost.some(({ to }) => to === entryId);
  const isFree = draft.address === undefined || draft.address === base.entry.entryId;
  const address = isMoved && isFree ? givenAddress(found.entry) : draft.address;
  return stored({ ...draft, words, typed: next, address }, found);
}

/** @param {Words} words @param {Found} found */
function isAsSent(words, { entry }) {
  const theirs = wordsOf(entry);
  return FIELDS.every((field) => isSame(field, words[field], theirs[field]));
}

/**
 * What is stored was read, since others may have changed it.
 *
 * @param {Draft} draft
 * @param {Found} found
 * @returns {Draft}
 */
export function notice(draft, found) {
  if (draft.sent || draft.theirs || !draft.base) return draft;
  // The hour of what is scheduled changes its state alone.
  const isSame = found.etag === draft.base.etag && found.entry.state === draft.base.entry.state;
  if (isSame) return draft;
  const isOther = found.entry.createdAt !== draft.base.entry.createdAt;
  return isOther ? { ...draft, isMissing: true } : merge({ ...draft, isGone: false }, found);
}

/** What is stored isn't at its address. @param {Draft} draft @returns {Draft} */
export function noticeGone(draft) {
  return draft.sent || !draft.base ? draft : { ...draft, isMissing: true };
}

/**
 * Ends a conflict: with the words of this editor, which are asked to be stored, or with those of others.
 *
 * @param {Draft} draft
 * @param {"mine" | "theirs"} choice
 * @returns {Draft}
 */
export function resolve(draft, choice) {
  const { theirs } = draft;
  if (theirs === undefined) return draft;
  const typed = wordsOf(theirs.entry);
  const address = draft.address === undefined ? undefined : theirs.entry.entryId;
  const open = { ...draft, theirs: undefined, typed, address };
  if (choice === "theirs") return stored({ ...open, words: typed, asked: undefined }, theirs);
  return askToSave(stored(open, theirs));
}

/**
 * Makes a new draft of the words of one that is gone, or of one in conflict.
 *
 * @param {Draft} draft
 * @param {string} id
 * @returns {Draft}
 */
export function copyDraft(draft, id) {
  return { ...newDraft(id), words: draft.words };
}
