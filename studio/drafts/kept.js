// The drafts that this browser keeps, each under an identity of its own.

/** @import { Draft } from "./draft.js" */
import { draftNames, DRAFTS as PREFIX } from "../client.js";
import { keptOf } from "./draft.js";

let eras = 0;

/** Grows when somebody signs out: what was open before must keep nothing more. */
export const era = () => eras;

/** Forgets all words that this browser keeps. */
export function forgetAll() {
  eras++;
  for (const name of draftNames()) localStorage.removeItem(name);
}

/** @param {string} id */
export function forget(id) {
  localStorage.removeItem(PREFIX + id);
}

/** What a draft is known by in this browser. */
export function newId() {
  const letters = crypto.getRandomValues(new Uint8Array(12));
  return [...letters].map((byte) => (byte % 36).toString(36)).join("");
}

/** @param {Draft} draft */
export function keep(draft) {
  const kept = keptOf(draft);
  if (kept === undefined) return localStorage.removeItem(PREFIX + draft.id);
  try {
    localStorage.setItem(PREFIX + draft.id, JSON.stringify({ at: Date.now(), draft: kept }));
  } catch {
    // It is full, or forbidden: then the words are on the server alone.
  }
}

/** How long a tab waits for another to say that it has a draft. */
const ASK_MS = 150;
/** The drafts that are open in this tab. @type {Set<string>} */
const held = new Set();
const others = new BroadcastChannel(`${PREFIX}held`);
others.addEventListener("message", ({ data }) => {
  if (held.has(data.asked)) others.postMessage({ held: data.asked });
});

/**
 * Has a draft for this editor alone, until it is released; returns whether no other has it.
 *
 * @param {string} id
 * @param {Promise<unknown>} released
 * @returns {Promise<boolean>}
 */
export async function hold(id, released) {
  const isFree = !held.has(id) && await (navigator.locks ? lock(id, released) : isHeldByNobody(id));
  if (isFree) {
    held.add(id);
    void released.finally(() => held.delete(id));
  }
  return isFree;
}

/** @param {string} id @param {Promise<unknown>} released @returns {Promise<boolean>} */
function lock(id, released) {
  const { promise, resolve } = Promise.withResolvers();
  void navigator.locks.request(PREFIX + id, { ifAvailable: true }, (lock) => {
    resolve(lock !== null);
    return lock && released;
  });
  return promise;
}

/** Asks other tabs: over http from another machine, browsers give no locks. @param {string} id */
async function isHeldByNobody(id) {
  const answer = new AbortController();
  const { signal } = answer;
  others.addEventListener("message", ({ data }) => data.held === id && answer.abort(), { signal });
  others.postMessage({ asked: id });
  await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  const { aborted } = signal;
  answer.abort();
  return !aborted;
}

/**
 * Takes up the newest draft that was kept, is wanted, and is open nowhere else.
 *
 * @param {(draft: Draft) => boolean} isWanted
 * @param {Promise<unknown>} released
 * @returns {Promise<Draft | undefined>}
 */
export async function takeKept(isWanted, released) {
  const found = draftNames().flatMap((name) => {
    try {
      const { at, draft } = JSON.parse(localStorage.getItem(name) ?? "");
      return isWanted(draft) ? [{ at, draft }] : [];
    } catch {
      return [];
    }
  }).sort((one, other) => other.at - one.at);
  for (const { draft } of found) if (await hold(draft.id, released)) return draft;
}
