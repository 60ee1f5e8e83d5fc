// The drafts that this browser keeps. Each has its own identifier, and belongs to a key.

/** @import { Draft } from "./draft.js" */
import {
  allDraftNames,
  browserStore,
  draftNames,
  DRAFTS,
  ownDrafts,
  parseStored,
} from "../session.js";
import { isKeptDraft, keptOf } from "./draft.js";
import { draftId } from "./words.js";

let eras = 0;

/** Counts sign-outs. Editors from before a sign-out must keep nothing more. */
export const era = () => eras;

/** Forgets all words that this browser keeps. */
export function forgetAll() {
  eras++;
  for (const name of allDraftNames()) browserStore.remove(name);
}

/** @param {string} id */
export function forget(id) {
  browserStore.remove(ownDrafts() + id);
}

/** Creates the identifier of a draft. */
export function newId() {
  const letters = crypto.getRandomValues(new Uint8Array(12));
  return draftId([...letters].map((byte) => (byte % 36).toString(36)).join(""));
}

/** Keeps a draft in the browser if necessary; returns whether that worked. @param {Draft} draft */
export function keep(draft) {
  const kept = keptOf(draft);
  if (kept !== undefined) {
    return browserStore.set(
      ownDrafts() + draft.id,
      JSON.stringify({ at: Date.now(), draft: kept }),
    );
  }
  forget(draft.id);
  return true;
}

/** The time that a tab waits for another to answer that it has a draft. */
const ASK_MS = 150;
/** The drafts that are open in this tab. @type {Set<string>} */
const held = new Set();
const others = new BroadcastChannel(`${DRAFTS}held`);
others.addEventListener("message", ({ data }) => {
  if (held.has(data.asked)) others.postMessage({ held: data.asked });
});

/**
 * Releases a draft; resolves once another editor can acquire it.
 *
 * @typedef {() => Promise<void>} Release
 */

/**
 * Acquires a draft for one editor. Returns the function that releases it; `undefined` if another
 * editor has it.
 *
 * @param {string} id
 * @returns {Promise<Release | undefined>}
 */
export async function hold(id) {
  if (held.has(id)) return undefined;
  const unlock = await (navigator.locks ? lock(id) : askOthers(id));
  if (unlock === undefined) return undefined;
  held.add(id);
  return async () => {
    held.delete(id);
    await unlock();
  };
}

/** @param {string} id @returns {Promise<Release | undefined>} */
function lock(id) {
  return new Promise((resolve) => {
    const request = navigator.locks.request(DRAFTS + id, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(undefined);
      return new Promise((release) =>
        resolve(async () => {
          release(undefined);
          await request;
        })
      );
    });
  });
}

/**
 * Browsers offer no locks over http from another machine.
 *
 * @param {string} id
 * @returns {Promise<Release | undefined>}
 */
function askOthers(id) {
  return new Promise((resolve) => {
    const hear = (/** @type {MessageEvent} */ { data }) => data.held === id && end(undefined);
    const end = (/** @type {Release | undefined} */ result) => {
      others.removeEventListener("message", hear);
      resolve(result);
    };
    others.addEventListener("message", hear);
    others.postMessage({ asked: id });
    setTimeout(() => end(async () => {}), ASK_MS);
  });
}

/**
 * Returns the kept drafts, newest first, without damaged ones.
 *
 * @returns {Draft[]}
 */
function readKept() {
  const found = draftNames().map((name) => parseStored(browserStore.get(name)));
  return found.filter((one) => isKeptDraft(one?.draft)).sort((one, other) => other.at - one.at)
    .map(({ draft }) => draft);
}

/** Returns the kept drafts that no other tab has open, newest first. @returns {Promise<Draft[]>} */
export async function listKept() {
  const locks = await navigator.locks?.query();
  const taken = new Set(locks?.held?.map(({ name }) => name));
  // An editor that was left without a connection still has its draft.
  return readKept().filter(({ id }) => held.has(id) || !taken.has(DRAFTS + id));
}

/**
 * Acquires the newest wanted draft that is open nowhere else.
 *
 * @param {(draft: Draft) => boolean} isWanted
 */
export async function takeKept(isWanted) {
  for (const draft of readKept().filter(isWanted)) {
    const release = await hold(draft.id);
    if (release) return { draft, release };
  }
}
