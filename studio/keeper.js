// Keeps the words of entries: in this browser at once, and on the server a moment later.

/** @import { Draft, Request } from "./drafts/draft.js" */
/** @import { Words } from "./drafts/words.js" */
import { connection, DRAFTS, Problem } from "./client.js";
import * as answers from "./drafts/answers.js";
import { perform, read } from "./drafts/calls.js";
import * as drafts from "./drafts/draft.js";
import { era, forget, hold, keep, newId, takeKept } from "./drafts/kept.js";
import { nextRequest, statusOf } from "./drafts/requests.js";

export { forgetAll } from "./drafts/kept.js";

const SAVE_AFTER_MS = 800;
const RETRY_MS = 3000;
const LEAVING_MS = 1000;
/** How long after its time a scheduled entry is looked at, and how often: clocks differ. */
const DUE_MS = 1000;
/** Timers can't wait longer. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/** Tells other tabs of what is stored. */
const saves = new BroadcastChannel(`${DRAFTS}saved`);

/** What is being saved of editors that were left. @type {Set<Promise<unknown>>} */
const leaving = new Set();

/** What ends editors that were left, and could not be saved yet. @type {Set<() => void>} */
const lingering = new Set();

/** What saves the drafts that are open or on their way. @type {Set<() => Promise<unknown>>} */
const open = new Set();

/** Saves what is open. */
export async function saveAll() {
  await Promise.allSettled([...open].map((save) => save()));
}

/**
 * @typedef {object} Options
 * @property {(draft: Draft) => void} onChange Shows the draft as it is now.
 * @property {AbortSignal} signal Aborted when the editor is left: what is unsaved is saved all the same.
 */

/**
 * Opens an entry that is stored, or with `undefined` a new one; takes up what was not saved of it.
 *
 * @param {string | undefined} entryId
 * @param {Options} options
 */
export async function openKeeper(entryId, options) {
  // What is being left may be the same entry.
  const patience = new Promise((resolve) => setTimeout(resolve, LEAVING_MS));
  await Promise.race([Promise.allSettled(leaving), patience]);
  for (const close of lingering) close();
  const kept = await takeKept(({ base }) => base?.entry.entryId === entryId);
  if (kept) return createKeeper(drafts.restoreDraft(kept.draft), options, kept.release);
  const found = entryId === undefined ? undefined : await read(entryId, options.signal);
  return await begin(found ? drafts.openDraft(newId(), found) : drafts.newDraft(newId()), options);
}

/** @param {Draft} draft @param {Options} options */
async function begin(draft, options) {
  return createKeeper(draft, options, await hold(draft.id) ?? (() => {}));
}

/** Saves the words of a draft as another one; returns its address, once it has one. @param {Draft} draft */
async function saveCopy(draft) {
  const left = new AbortController();
  const options = { onChange() {}, signal: left.signal };
  const keeper = await begin(answers.copyDraft(draft, newId()), options);
  await keeper.save();
  left.abort();
  return keeper.draft.base?.entry.entryId;
}

/**
 * @param {Draft} draft
 * @param {Options} options
 * @param {() => void} release
 */
function createKeeper(draft, { onChange, signal }, release) {
  let state = draft;
  let timer = 0;
  let due = 0;
  let isForgotten = false;
  const own = era();
  /** @type {Promise<void> | undefined} */
  let running;
  const closed = new AbortController();

  /** @param {Draft} next */
  function set(next) {
    // Whoever signed out leaves no words behind.
    if (next === state || own !== era() || isForgotten) return;
    state = next;
    keep(state);
    if (!signal.aborted) onChange(state);
    schedule();
    awaitTime();
  }

  /** Sees what is scheduled become public. */
  function awaitTime() {
    clearTimeout(due);
    const { publishedAt, state: now } = state.base?.entry ?? {};
    const isOver = state.theirs || state.isGone || signal.aborted;
    if (now !== "scheduled" || !publishedAt || isOver) return;
    const leftMs = Math.max(0, Date.parse(publishedAt) - Date.now()) + DUE_MS;
    due = setTimeout(() => void refresh().finally(awaitTime), Math.min(leftMs, MAX_WAIT_MS));
  }

  function schedule() {
    clearTimeout(timer);
    const request = running ? undefined : nextRequest(state);
    if (request === undefined) return;
    const waits = "words" in request && !signal.aborted && state.asked === undefined;
    timer = setTimeout(() => void run(), waits ? SAVE_AFTER_MS : 0);
  }

  /** @param {Request} request */
  async function step(request) {
    set(answers.markSent(state, request, Date.now()));
    try {
      const found = await perform(request);
      set(answers.takeAnswer(state, found));
      if ("words" in request) saves.postMessage(found.entry.createdAt);
    } catch (error) {
      const isLost = !(error instanceof Problem) ||
        [0, 429, 502, 503, 504].includes(error.status) ||
        error.code === "offline";
      if (!isLost) return set(answers.takeFault(state, error));
      set(answers.loseAnswer(state));
      if (!connection.isLost) setTimeout(() => set(drafts.reconnect(state)), RETRY_MS);
    }
  }

  /** Sends what is to be sent next, unless something is on its way; resolves when that has its answer. */
  function run() {
    clearTimeout(timer);
    const request = nextRequest(state);
    if (request) {
      running ??= step(request).finally(() => {
        running = undefined;
        schedule();
      });
    }
    return running;
  }

  /** Sends all of it. */
  async function flush() {
    do await run(); while (own === era() && !isForgotten && nextRequest(state) !== undefined);
  }

  /** Saves what stands in the fields. Returns whether all of it is stored. */
  async function save() {
    set(drafts.askToSave(state));
    await flush();
    return state.base !== undefined && statusOf(state) === "saved";
  }

  /** Shows what was stored by others. */
  async function refresh() {
    const { base } = state;
    if (base === undefined || state.sent) return;
    try {
      set(answers.notice(state, await read(base.entry.entryId, signal)));
    } catch (error) {
      if (error instanceof Problem && error.status === 404) set(answers.notice(state, undefined));
    }
  }

  /** Ends it: what could not be saved is kept. */
  function close() {
    open.delete(flush);
    lingering.delete(close);
    for (const one of [timer, due]) clearTimeout(one);
    closed.abort();
    release();
  }

  open.add(flush);
  const until = { signal: closed.signal };
  saves.addEventListener("message", ({ data }) => {
    if (data === state.base?.entry.createdAt) void refresh();
  }, until);
  connection.addEventListener("back", () => set(drafts.reconnect(state)), until);
  addEventListener("focus", () => void refresh(), until);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") void flush();
    else void refresh();
  }, until);
  signal.addEventListener("abort", () => {
    // It is saved once there is a connection, unless somebody opens it before.
    const left = flush().finally(() => {
      leaving.delete(left);
      if (state.isOffline) lingering.add(close);
      else close();
    });
    leaving.add(left);
  });
  keep(state);
  schedule();
  awaitTime();

  return {
    get draft() {
      return state;
    },
    /** @param {Words} words */
    type: (words) => set(drafts.typeWords(state, words)),
    /** @param {string} address */
    typeAddress: (address) => set(drafts.typeAddress(state, address)),
    settle: () => set(drafts.settle(state)),
    accept: () => set(drafts.accept(state)),
    save,
    refresh,
    /** Gives up what was restored, and nothing else. */
    discard() {
      const { base, id } = state;
      forget(id);
      set(base ? drafts.openDraft(id, base) : drafts.newDraft(id));
    },
    /** Ends a conflict; returns whether all is stored that was to be. @param {"mine" | "theirs" | "both"} choice */
    async resolve(choice) {
      const isSaved = choice !== "both" || await saveCopy(state) !== undefined;
      set(answers.resolve(state, choice === "mine" ? "mine" : "theirs"));
      return isSaved;
    },
    /** Stores the same words as another draft, and returns its address. */
    duplicate: () => saveCopy(state),
    /** The entry was deleted here, and nothing of it is to be kept. */
    forget() {
      forget(state.id);
      isForgotten = true;
    },
    /** Saves the words of an entry that somebody has deleted as a new draft. */
    again() {
      forget(state.id);
      set(drafts.accept(answers.copyDraft(state, newId())));
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openKeeper>>} Keeper */
