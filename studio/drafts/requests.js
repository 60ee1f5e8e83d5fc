// The next request of a draft, and its status.

/** @import { Draft, Request } from "./draft.js" */
/** @import { Field } from "./words.js" */
import { dirtyFields, isDirty, isLive, pick } from "./draft.js";
import { FIELDS, isDraftId, numbered, slug } from "./words.js";

/**
 * Returns the public address of an entry, or the one that it would get now.
 *
 * @param {Draft} draft
 * @returns {string}
 */
export function addressOf({ base, address, naming = 0, words, id }) {
  const stored = base?.entry.entryId ?? id;
  if (base && isLive({ base })) return stored;
  if (address !== undefined) return address;
  if (!isDraftId(stored)) return stored;
  const [, letters] = stored.split("-");
  const wanted = slug(words.title) ?? letters;
  return numbered(wanted)[naming] ?? `${wanted}-${letters}`;
}

/**
 * Returns the next request; `undefined` while there is nothing to send or nothing may be sent.
 *
 * @param {Draft} draft
 * @returns {Request | undefined}
 */
export function nextRequest(draft) {
  const { id, ask, base, words, refused } = draft;
  if (draft.sent || draft.isOffline || draft.theirs || draft.isGone || draft.fault) {
    return undefined;
  }
  if (ask === "find" && base) return { kind: ask, createdAt: base.entry.createdAt };
  if (ask === "look") return { kind: ask, entryId: base?.entry.entryId ?? id };
  if (draft.isHeld) return undefined;
  const isRefused = (/** @type {Field} */ field, /** @type {string} */ value) =>
    refused[field]?.value === value;
  if (base === undefined) {
    const isComplete = words.title.trim() !== "" && words.body.trim() !== "";
    if (!isComplete || isRefused("title", words.title) || isRefused("body", words.body)) {
      return undefined;
    }
    const taken = FIELDS.filter((field) => !isRefused(field, words[field]));
    return { kind: "create", entryId: id, words: pick(words, taken) };
  }
  const { entryId, state } = base.entry;
  const isAsked = draft.asked?.state === state;
  if (state !== "draft" && !isAsked) return undefined;
  const wanted = state === "draft" ? words : { ...draft.typed, ...draft.asked?.words };
  const fields = dirtyFields({ ...draft, words: wanted }).filter((field) =>
    !isRefused(field, wanted[field]) && (field !== "title" || wanted.title.trim() !== "")
  );
  const address = addressOf(draft);
  const isNamed = draft.address !== undefined || draft.naming !== undefined;
  const isMoved = state === "draft" && isNamed && address !== entryId &&
    refused.entryId?.value !== address;
  if (fields.length === 0 && !isMoved) return undefined;
  const change = /** @type {const} */ ({ kind: "change", entryId, etag: base.etag });
  const to = isMoved ? address : undefined;
  return { ...change, words: pick(wanted, fields), to };
}

/**
 * @typedef {"saved" | "saving" | "live" | "incomplete" | "offline" | "conflict" | "gone" | "failed"
 *   | "partly" | "held"} Status
 */

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
    refused.entryId !== undefined && refused.entryId.value === draft.address;
  if (isRefused) return "partly";
  if (isLive(draft) && isDirty(draft)) return "live";
  const isIncomplete = words.title.trim() === "" || (!base && words.body.trim() === "");
  return isIncomplete ? "incomplete" : "saved";
}
