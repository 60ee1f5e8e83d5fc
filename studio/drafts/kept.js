// The drafts that this browser keeps, each under an identity of its own.

/** @import { Draft } from "./draft.js" */
import { BASE } from "../client.js";
import { keptOf } from "./draft.js";

const PREFIX = `boardcast.draft.${BASE.pathname}`;
let eras = 0;

/** Grows when somebody signs out: what was open before must keep nothing more. */
export const era = () => eras;

/** Forgets all words that this browser keeps. */
export function forgetAll() {
  eras++;
  for (const name of keptNames()) localStorage.removeItem(name);
}

/** How many drafts are kept. */
export function countKept() {
  return keptNames().length;
}

/** @param {string} id */
export function forget(id) {
  localStorage.removeItem(PREFIX + id);
}

function keptNames() {
  return Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
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

/**
 * Has a draft for this editor alone; returns whether no other has it. Without locks, as over http from
 * another machine, nobody can tell.
 *
 * @param {string} id
 * @param {Promise<unknown>} released
 * @returns {Promise<boolean>}
 */
export function hold(id, released) {
  const { promise, resolve } = Promise.withResolvers();
  if (navigator.locks === undefined) return Promise.resolve(true);
  void navigator.locks.request(PREFIX + id, { ifAvailable: true }, (lock) => {
    resolve(lock !== null);
    return lock && released;
  });
  return promise;
}

/**
 * Takes up the newest draft that was kept, is wanted, and is open nowhere else.
 *
 * @param {(draft: Draft) => boolean} isWanted
 * @param {Promise<unknown>} released
 * @returns {Promise<Draft | undefined>}
 */
export async function takeKept(isWanted, released) {
  const found = keptNames().flatMap((name) => {
    try {
      const { at, draft } = JSON.parse(localStorage.getItem(name) ?? "");
      return isWanted(draft) ? [{ at, draft }] : [];
    } catch {
      return [];
    }
  }).sort((one, other) => other.at - one.at);
  for (const { draft } of found) if (await hold(draft.id, released)) return draft;
}
