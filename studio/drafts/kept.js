// The drafts that this browser keeps, each under an identity of its own, for the key that they
// belong to.

/** @import { Draft } from "./draft.js" */
import {
  allDraftNames,
  browserStore,
  draftNames,
  DRAFTS,
  ownDrafts,
  parseStored,
} from "../client.js";
import { isKeptDraft, keptOf } from "./draft.js";
import { draftId } from "./words.js";

let eras = 0;

/** Grows when somebody signs out: what was open before must keep nothing more. */
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

/** Makes the identity of a draft. */
export function newId() {
  const letters = crypto.getRandomValues(new Uint8Array(12));
  return draftId([...letters].map((byte) => (byte % 36).toString(36)).join(""));
}

/** Keeps a draft, if it needs that; returns whether the browser could. @param {Draft} draft */
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

/** How long a tab waits for another to say that it has a draft. */
const ASK_MS = 150;
/** The drafts that are open in this tab. @type {Set<string>} */
const held = new Set();
const others = new BroadcastChannel(`${DRAFTS}held`);
others.addEventListener("message", ({ data }) => {
  if (held.has(data.asked)) others.postMessage({ held: data.asked });
});

/**
 * Has a draft for one editor alone; returns what releases it, or `undefined` where another has it.
 *
 * @param {string} id
 * @returns {Promise<(() => void) | undefined>}
 */
export async function hold(id) {
  if (held.has(id)) return undefined;
  const unlock = await (navigator.locks ? lock(id) : askOthers(id));
  if (unlock === undefined) return undefined;
  held.add(id);
  return () => {
    held.delete(id);
    unlock();
  };
}

/** @param {string} id @returns {Promise<(() => void) | undefined>} */
function lock(id) {
  return new Promise((resolve) =>
    navigator.locks.request(DRAFTS + id, { ifAvailable: true }, (lock) => {
      if (lock) return new Promise((release) => resolve(() => release(undefined)));
      resolve(undefined);
    })
  );
}

/**
 * Over http from another machine, browsers give no locks.
 *
 * @param {string} id
 * @returns {Promise<(() => void) | undefined>}
 */
function askOthers(id) {
  return new Promise((resolve) => {
    const answer = (/** @type {MessageEvent} */ { data }) => data.held === id && end(undefined);
    const end = (/** @type {(() => void) | undefined} */ result) => {
      others.removeEventListener("message", answer);
      resolve(result);
    };
    others.addEventListener("message", answer);
    others.postMessage({ asked: id });
    setTimeout(() => end(() => {}), ASK_MS);
  });
}

/**
 * Reads the drafts that were kept, the newest first; damaged ones are left alone.
 *
 * @returns {Draft[]}
 */
function readKept() {
  const found = draftNames().map((name) => parseStored(browserStore.get(name)));
  return found.filter((one) => isKeptDraft(one?.draft)).sort((one, other) => other.at - one.at)
    .map(({ draft }) => draft);
}

/**
 * Takes up the newest draft that was kept, is wanted, and is open nowhere else.
 *
 * @param {(draft: Draft) => boolean} isWanted
 */
export async function takeKept(isWanted) {
  for (const draft of readKept().filter(isWanted)) {
    const release = await hold(draft.id);
    if (release) return { draft, release };
  }
}
