// Keeps the words of entries: in this browser at once, and on the server a moment later.

/** @import { Draft, Request } from "./drafts/draft.js" */
/** @import { Release } from "./drafts/kept.js" */
/** @import { Words } from "./drafts/words.js" */
import { ApiProblem } from "./client.js";
import { connection } from "./connection.js";
import { SAVES } from "./session.js";
import * as responses from "./drafts/responses.js";
import { perform, read } from "./drafts/calls.js";
import * as drafts from "./drafts/draft.js";
import { era, forget, hold, keep, newId, takeKept } from "./drafts/kept.js";
import { addressOf, nextRequest, statusOf } from "./drafts/requests.js";
import { addGuard } from "./work.js";

export { forgetAll } from "./drafts/kept.js";

const SAVE_AFTER_MS = 800;
const RETRY_MS = 3000;
const LEAVING_MS = 1000;
/**
 * The delay after its time, and the interval, at which a scheduled entry is read again, because
 * clocks differ.
 */
const DUE_MS = 1000;
/** Timers can't wait longer. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/** Tells other tabs, and the list of entries, about stored entries. */
const saves = new BroadcastChannel(SAVES);

/** The pending saves of closed editors. @type {Set<Promise<unknown>>} */
const leaving = new Set();

/** Functions that end closed editors with unsaved words. @type {Set<() => Promise<void>>} */
const lingering = new Set();

/** Saves the drafts of open and closed editors. @type {Set<() => Promise<unknown>>} */
const open = new Set();

/** Saves the open draft. */
export async function saveAll() {
  await Promise.allSettled([...open].map((save) => save()));
}

/**
 * @typedef {object} Options
 * @property {(draft: Draft) => void} onChange Shows the draft as it is now.
 * @property {AbortSignal} signal Aborted when the editor is left: unsaved words are saved all the
 *   same.
 */

/**
 * Opens a stored entry or, with `undefined`, a new one. Restores its unsaved words.
 *
 * @param {string | undefined} entryId
 * @param {Options} options
 */
export async function openKeeper(entryId, options) {
  // An editor that is closing may have the same entry.
  const patience = new Promise((resolve) => setTimeout(resolve, LEAVING_MS));
  await Promise.race([Promise.allSettled(leaving), patience]);
  await Promise.all([...lingering].map((close) => close()));
  if (entryId === undefined) await saveSent();
  const kept = await takeKept((draft) =>
    entryId === undefined
      ? drafts.isUnsentDraft(draft)
      : (draft.base?.entry.entryId ?? draft.id) === entryId
  );
  if (kept) return createKeeper(drafts.restoreDraft(kept.draft), options, kept.release);
  const found = entryId === undefined ? undefined : await read(entryId, options.signal);
  return await begin(found ? drafts.openDraft(newId(), found) : drafts.newDraft(newId()), options);
}

/** Saves new drafts of closed tabs. Each continues as its own entry. */
async function saveSent() {
  const isWanted = (/** @type {Draft} */ draft) => !draft.base && !drafts.isUnsentDraft(draft);
  while (!connection.isLost) {
    const kept = await takeKept(isWanted);
    if (!kept) return;
    const left = new AbortController();
    const options = { onChange() {}, signal: left.signal };
    const keeper = createKeeper(drafts.restoreDraft(kept.draft), options, kept.release);
    await keeper.settled();
    left.abort();
    if (!keeper.draft.base) return;
  }
}

/** @param {Draft} draft @param {Options} options */
async function begin(draft, options) {
  return createKeeper(draft, options, await hold(draft.id) ?? (async () => {}));
}

/**
 * Saves the words of a draft as a new draft; returns its address.
 *
 * @param {Draft} draft
 */
async function saveCopy(draft) {
  const left = new AbortController();
  const options = { onChange() {}, signal: left.signal };
  const keeper = await begin(responses.copyDraft(draft, newId()), options);
  await keeper.save();
  left.abort();
  return keeper.draft.base?.entry.entryId;
}

/**
 * @param {Draft} draft
 * @param {Options} options
 * @param {Release} release
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
    // The words of a person who signed out are not kept.
    if (next === state || own !== era() || isForgotten) return;
    state = { ...next, isUnkept: !keep(next) };
    if (!signal.aborted) onChange(state);
    schedule();
    awaitTime();
  }

  /** Reads a scheduled entry again when it becomes public. */
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
    set(responses.markSent(state, request));
    try {
      const found = await perform(request);
      set(responses.takeResponse(state, found));
      saves.postMessage(found.entry.createdAt);
    } catch (error) {
      const isLost = !(error instanceof ApiProblem) ||
        error.status === 429 || error.status === 503 || error.code === "offline";
      if (!isLost) return set(responses.takeFault(state, error));
      set(responses.loseResponse(state));
      if (!connection.isLost) setTimeout(() => set(drafts.reconnect(state)), RETRY_MS);
    }
  }

  /** Sends the next request unless one is in flight; resolves with its response. */
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

  /** Sends all requests of the draft. */
  async function flush() {
    do await run(); while (own === era() && !isForgotten && nextRequest(state) !== undefined);
  }

  /** Saves the contents of the fields. Returns whether everything is stored. */
  async function save() {
    set(drafts.askToSave(state));
    await flush();
    return state.base !== undefined && statusOf(state) === "saved";
  }

  /** Gives a draft a public address made from its title. Returns whether it has one. */
  async function takeName() {
    if (!await save()) return false;
    if (addressOf(state) === state.base?.entry.entryId) return true;
    set(drafts.nameDraft(state));
    await flush();
    // Without a name to try, the server has taken one or lets the entry keep its address.
    return state.base !== undefined && state.naming === undefined;
  }

  /** Applies changes that others have stored. */
  async function refresh() {
    const { base } = state;
    if (base === undefined || state.sent) return;
    try {
      set(responses.notice(state, await read(base.entry.entryId, signal)));
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 404) {
        set(responses.notice(state, undefined));
      }
    }
  }

  /** Ends the keeper. Unsaved words stay in the browser. */
  async function close() {
    open.delete(flush);
    lingering.delete(close);
    for (const one of [timer, due]) clearTimeout(one);
    closed.abort();
    removeGuard();
    await release();
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
    // The draft is saved once there is a connection, unless it is opened before.
    const left = flush().finally(async () => {
      leaving.delete(left);
      if (state.isOffline) lingering.add(close);
      else await close();
    });
    leaving.add(left);
  });
  state = { ...state, isUnkept: !keep(state) };
  schedule();
  awaitTime();

  const removeGuard = addGuard({
    leave: () => true,
    // A browser that keeps nothing would lose them.
    isNeeded: () => state.isUnkept && drafts.keptOf(state) !== undefined,
  });

  return {
    get draft() {
      return state;
    },
    /** @param {Words} words */
    type: (words) => set(drafts.typeWords(state, words)),
    /** @param {string} address */
    typeAddress: (address) => set(drafts.typeAddress(state, address)),
    accept: () => set(drafts.accept(state)),
    save,
    settled: flush,
    takeName,
    refresh,
    /** Gives up the words that are not saved, and nothing else. */
    discard() {
      const { base, id } = state;
      forget(id);
      set(base ? drafts.openDraft(id, base) : drafts.newDraft(id));
    },
    /**
     * Ends a conflict; returns whether all is stored that was to be.
     *
     * @param {"mine" | "theirs" | "both"} choice
     */
    async resolve(choice) {
      const isSaved = choice !== "both" || await saveCopy(state) !== undefined;
      set(responses.resolve(state, choice === "mine" ? "mine" : "theirs"));
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
      set(drafts.accept(responses.copyDraft(state, newId())));
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openKeeper>>} Keeper */
