// What an answer, a lost one, or a change by others comes to.

/** @import { Change, Create, Draft, Fault, Found, Request } from "./draft.js" */
/** @import { Field } from "./words.js" */
import { askToSave, doubt, givenAddress, newDraft } from "./draft.js";
import { EMPTY, FIELDS, isSame, wordsOf } from "./words.js";

/**
 * @param {Draft} draft
 * @param {Request} sent
 * @param {number} at In milliseconds, of this computer's clock.
 * @returns {Draft}
 */
export function markSent(draft, sent, at) {
  return { ...draft, sent, creating: sent.kind === "create" ? { at, ...sent } : draft.creating };
}

/** No answer has come, and none will. @param {Draft} draft @returns {Draft} */
export function loseAnswer(draft) {
  return doubt({ ...draft, sent: undefined, isOffline: true }, draft.sent);
}

/** @param {Draft} before @param {Found} found @returns {Draft} */
export function takeAnswer({ sent, ...before }, found) {
  const draft = /** @type {Draft} */ ({ ...before, sent: undefined, fault: undefined });
  if (sent === undefined) return draft;
  const { asked, base, creating } = draft;
  if ("words" in sent) {
    const typed = { ...draft.typed, ...sent.words };
    const isDone = FIELDS.every((field) => (asked?.words[field] ?? typed[field]) === typed[field]);
    return stored({ ...draft, typed, asked: isDone ? undefined : asked }, found);
  }
  const looked = { ...draft, ask: undefined };
  // What has its address now may be another one.
  if (base) return isOther(base, found) ? { ...draft, ask: "find" } : merge(looked, found);
  const typed = { ...EMPTY, ...creating?.words };
  const theirs = wordsOf(found.entry);
  const isAsSent = FIELDS.every((field) => isSame(field, typed[field], theirs[field]));
  if (creating === undefined || !isAsSent) return { ...looked, theirs: found };
  const isMoved = found.entry.entryId !== creating.entryId;
  const address = isMoved ? givenAddress(found.entry) : draft.address;
  return stored({ ...looked, address, typed, isHeld: false }, found);
}

/** @param {Draft} before @param {Fault} fault @returns {Draft} */
export function takeFault({ sent, ...before }, fault) {
  const draft = /** @type {Draft} */ ({ ...before, sent: undefined });
  const { status } = fault;
  if (sent === undefined) return draft;
  if (status === 404) {
    if (sent.kind === "find") return { ...draft, ask: undefined, isGone: true };
    // A first save may be on its way still, and is repeated as it was.
    return { ...draft, ask: draft.base && "find" };
  }
  const isCreate = sent.kind === "create";
  if (isCreate ? status === 409 && draft.isUnsure : status === 412) {
    return { ...draft, ask: "look" };
  }
  if ("words" in sent && (status === 409 || status === 422)) {
    return refuse(
      isCreate ? { ...draft, creating: undefined, isUnsure: false } : draft,
      sent,
      fault,
    );
  }
  const failed = { ...draft, fault };
  return isCreate && status < 500 ? failed : doubt(failed, sent);
}

/** @param {Draft} draft @param {Create | Change} sent @param {Fault} fault @returns {Draft} */
function refuse(draft, sent, fault) {
  const { code, status } = fault;
  const address = sent.kind === "create" ? sent.entryId : sent.to;
  const refused = { ...draft.refused };
  let next = draft;
  let isKnown = false;
  for (const error of status === 409 ? [{ field: "entryId", code, detail: "" }] : fault.errors) {
    const field = /** @type {Field | "entryId"} */ (error.field);
    const value = field === "entryId" ? address : sent.words[field];
    if (value === undefined) continue;
    isKnown = true;
    if (field !== "entryId" || draft.address === address) refused[field] = { ...error, value };
    else if (draft.base && status === 422) next = { ...next, address: draft.base.entry.entryId };
    else next = { ...next, taken: [...next.taken, value] };
  }
  return isKnown ? { ...next, refused } : { ...draft, fault };
}

/** @param {Draft} draft @param {Found} base @returns {Draft} */
function stored(draft, base) {
  const { entryId, state } = base.entry;
  const address = draft.address !== undefined && state !== "draft" ? entryId : draft.address;
  const done = { creating: undefined, isUnsure: false, lost: [], ask: undefined };
  return { ...draft, ...done, base, address };
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

/** @param {Found} one @param {Found} other */
function isOther(one, other) {
  return one.entry.createdAt !== other.entry.createdAt;
}

/**
 * What is stored was read, since others may have changed it; `undefined` where it isn't at its address.
 *
 * @param {Draft} draft
 * @param {Found | undefined} found
 * @returns {Draft}
 */
export function notice(draft, found) {
  const { base } = draft;
  if (draft.sent || draft.theirs || !base) return draft;
  if (found === undefined || isOther(base, found)) return { ...draft, ask: "find" };
  // The hour of what is scheduled changes its state alone.
  const isSame = found.etag === base.etag && found.entry.state === base.entry.state;
  return isSame ? draft : merge({ ...draft, isGone: false }, found);
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
