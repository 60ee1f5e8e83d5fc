// The effects of responses, of lost responses and of other people's changes on a draft.

/** @import { Change, Create, Draft, Fault, Found, Request } from "./draft.js" */
/** @import { Field, Words } from "./words.js" */
import { askToSave, doubt, newDraft } from "./draft.js";
import { EMPTY, FIELDS, isDraftId, isSame, wordsOf } from "./words.js";

/** @param {Draft} draft @param {Request} sent @returns {Draft} */
export function markSent(draft, sent) {
  return { ...draft, sent };
}

/** Records that the response is lost. @param {Draft} draft @returns {Draft} */
export function loseResponse(draft) {
  return doubt({ ...draft, sent: undefined, isOffline: true }, draft.sent);
}

/** @param {Draft} before @param {Found} found @returns {Draft} */
export function takeResponse({ sent, ...before }, found) {
  const draft = /** @type {Draft} */ ({ ...before, sent: undefined, fault: undefined });
  if (sent === undefined) return draft;
  const { asked, base } = draft;
  if ("words" in sent) {
    const typed = { ...draft.typed, ...sent.words };
    const isDone = FIELDS.every((field) => (asked?.words[field] ?? typed[field]) === typed[field]);
    return stored({ ...draft, typed, asked: isDone ? undefined : asked }, found);
  }
  // Another entry may have this address by now.
  if (base && isOther(base, found)) return { ...draft, ask: "find" };
  return merge({ ...draft, ask: undefined }, found);
}

/** @param {Draft} before @param {Fault} fault @returns {Draft} */
export function takeFault({ sent, ...before }, fault) {
  const draft = /** @type {Draft} */ ({ ...before, sent: undefined });
  const { status } = fault;
  if (sent === undefined) return draft;
  if (status === 404) {
    if (sent.kind === "find") return { ...draft, ask: undefined, isGone: true };
    // A draft that was never stored is created again with its own identifier.
    return { ...draft, ask: draft.base && "find" };
  }
  // The identifier is random, so a conflict means that a response was lost or that the browser sent
  // the request twice.
  if (sent.kind === "create" && status === 409) return doubt(draft, sent);
  if (status === 412) return { ...draft, ask: "look" };
  if ("words" in sent && (status === 409 || status === 422)) return refuse(draft, sent, fault);
  const failed = { ...draft, fault };
  return status < 500 ? failed : doubt(failed, sent);
}

/** @param {Draft} draft @param {Create | Change} sent @param {Fault} fault @returns {Draft} */
function refuse(draft, sent, fault) {
  const { code, status } = fault;
  const refused = { ...draft.refused };
  let next = draft;
  let isKnown = false;
  for (const error of status === 409 ? [{ field: "entryId", code, detail: "" }] : fault.errors) {
    const field = /** @type {Field | "entryId"} */ (error.field);
    const value = field === "entryId" ? sent.to : sent.words[field];
    if (value === undefined) continue;
    isKnown = true;
    const { naming = 0 } = draft;
    if (field !== "entryId" || draft.address === value) refused[field] = { ...error, value };
    // The entry was public before and keeps its address. A first address may also be a word that
    // the API has in its own paths.
    else if (status === 422 && naming > 0) next = { ...next, naming: undefined };
    else next = { ...next, naming: naming + 1 };
  }
  return isKnown ? { ...next, refused } : { ...draft, fault };
}

/** @param {Draft} draft @param {Found} base @returns {Draft} */
function stored(draft, base) {
  const { entryId, state } = base.entry;
  const isDone = state !== "draft" || draft.address === entryId;
  const address = isDone ? undefined : draft.address;
  const naming = isDone || !isDraftId(entryId) ? undefined : draft.naming;
  return { ...draft, address, naming, lost: [], ask: undefined, base };
}

/**
 * Merges the stored words of others with the words in this editor.
 *
 * @param {Draft} draft
 * @param {Found} found
 * @returns {Draft}
 */
function merge(draft, found) {
  const { base } = draft;
  const now = wordsOf(found.entry);
  /** @type {readonly Partial<Words>[]} */
  const lost = draft.lost.map(({ kind, words }) =>
    kind === "create" ? { ...EMPTY, ...words } : words
  );
  // After a lost response, the created entry has the words of that request.
  const before = base ? wordsOf(base.entry) : { ...EMPTY, ...lost[0] };
  const typed = base ? draft.typed : before;
  const words = { ...draft.words };
  const next = { ...typed };
  for (const field of FIELDS) {
    if (now[field] === before[field]) continue;
    const own = lost.map((words) => words[field])
      .findLast((value) => value !== undefined && isSame(field, value, now[field]));
    if (own !== undefined) next[field] = own;
    else if (draft.words[field] === typed[field]) words[field] = next[field] = now[field];
    else if (isSame(field, draft.words[field], now[field])) next[field] = draft.words[field];
    else return { ...draft, theirs: found };
  }
  return stored({ ...draft, words, typed: next }, found);
}

/** @param {Found} one @param {Found} other */
function isOther(one, other) {
  return one.entry.createdAt !== other.entry.createdAt;
}

/**
 * Applies the stored entry, which others may have changed, to a draft.
 *
 * @param {Draft} draft
 * @param {Found | undefined} found Absent where nothing is at its address.
 * @returns {Draft}
 */
export function notice(draft, found) {
  const { base } = draft;
  if (draft.sent || draft.theirs || !base) return draft;
  if (found === undefined || isOther(base, found)) return { ...draft, ask: "find" };
  // A scheduled entry changes its state at its time, without a new ETag.
  const isSame = found.etag === base.etag && found.entry.state === base.entry.state;
  return isSame ? draft : merge({ ...draft, isGone: false }, found);
}

/**
 * Ends a conflict. Either this editor's words are to be stored, or those of others replace them.
 *
 * @param {Draft} draft
 * @param {"mine" | "theirs"} choice
 * @returns {Draft}
 */
export function resolve(draft, choice) {
  const { theirs } = draft;
  if (theirs === undefined) return draft;
  const typed = wordsOf(theirs.entry);
  const open = { ...draft, theirs: undefined, typed, address: undefined };
  if (choice === "theirs") return stored({ ...open, words: typed, asked: undefined }, theirs);
  return askToSave(stored(open, theirs));
}

/**
 * Copies the words of a draft to a new one. The ideas stay with the original while its entry
 * exists.
 *
 * @param {Draft} draft
 * @param {string} id
 * @returns {Draft}
 */
export function copyDraft(draft, id) {
  const posts = draft.isGone ? draft.words.posts : "";
  return { ...newDraft(id), words: { ...draft.words, posts } };
}
