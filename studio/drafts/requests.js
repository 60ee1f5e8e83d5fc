// What is to be sent of a draft, and how it is.

/** @import { Draft, Request } from "./draft.js" */
/** @import { Field, Words } from "./words.js" */
import { dirtyFields, isDirty, isLive, pick } from "./draft.js";
import { FIELDS, numbered, slug } from "./words.js";

/** The address that it has, or is to have. @param {Draft} draft @returns {string} */
export function addressOf(draft) {
  const { base, address, taken, words, id } = draft;
  if (base && isLive(draft)) return base.entry.entryId;
  if (address !== undefined) return address;
  const wanted = slug(words.title) ?? id;
  const stored = base?.entry.entryId;
  if (stored !== undefined && numbered(wanted).includes(stored)) return stored;
  return numbered(wanted).find((one) => !taken.includes(one)) ?? stored ?? `${wanted}-${id}`;
}

/**
 * Returns what is to be sent now; `undefined` while there is nothing to send, or nothing may be sent.
 *
 * @param {Draft} draft
 * @returns {Request | undefined}
 */
export function nextRequest(draft) {
  const { ask, base, creating, words, refused } = draft;
  if (draft.sent || draft.isOffline || draft.theirs || draft.isGone || draft.fault) {
    return undefined;
  }
  if (ask === "search" && creating) return { kind: ask, creating };
  if (ask === "find" && base) return { kind: ask, createdAt: base.entry.createdAt };
  const looked = base?.entry ?? creating;
  if (ask === "look" && looked) return { kind: ask, entryId: looked.entryId };
  if (draft.isHeld) return undefined;
  const isRefused = (/** @type {Field} */ field, /** @type {string} */ value) =>
    refused[field]?.value === value;
  if (base === undefined) {
    if (creating) return creating;
    const isComplete = words.title.trim() !== "" && words.body.trim() !== "";
    if (!isComplete || isRefused("title", words.title) || isRefused("body", words.body)) {
      return undefined;
    }
    const taken = FIELDS.filter((field) => !isRefused(field, words[field]));
    const entryId = addressOf(draft);
    if (refused.entryId?.value === entryId) return undefined;
    return { kind: "create", entryId, words: pick(words, taken) };
  }
  const { entryId, state } = base.entry;
  const isAsked = draft.asked?.state === state;
  if (state !== "draft" && !isAsked) return undefined;
  const wanted = state === "draft" ? words : { ...draft.typed, ...draft.asked?.words };
  const fields = dirtyFields({ ...draft, words: wanted }).filter((field) =>
    !isRefused(field, wanted[field]) && (field !== "title" || wanted.title.trim() !== "")
  );
  const address = addressOf(draft);
  const isMoved = state === "draft" && address !== entryId &&
    (draft.isSettled || draft.address !== undefined) && refused.entryId?.value !== address;
  if (fields.length === 0 && !isMoved) return undefined;
  const request = /** @type {const} */ ({ kind: "change", entryId, etag: base.etag });
  return { ...request, words: pick(wanted, fields), ...isMoved && { to: address } };
}

/** @typedef {"saved" | "saving" | "live" | "incomplete" | "offline" | "conflict" | "gone" | "failed" | "partly" | "held"} Status */

/** @param {Draft} draft @returns {Status} */
export function statusOf(draft) {
  if (draft.isGone) return "gone";
  if (draft.theirs) return "conflict";
  if (draft.fault) return "failed";
  const isOpen = isDirty(draft) || draft.sent !== undefined;
  if (draft.isOffline && isOpen) return "offline";
  if (draft.isHeld && draft.ask === undefined) return "held";
  if (draft.sent !== undefined || nextRequest(draft) !== undefined) return "saving";
  const { words, refused, base } = draft;
  const isRefused = FIELDS.some((field) => refused[field]?.value === words[field]) ||
    refused.entryId?.value === addressOf(draft);
  if (isRefused) return "partly";
  if (isLive(draft) && isDirty(draft)) return "live";
  const isIncomplete = words.title.trim() === "" || (!base && words.body.trim() === "");
  return isIncomplete ? "incomplete" : "saved";
}
