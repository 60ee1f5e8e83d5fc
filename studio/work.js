// The owner of work in progress, and changes whose responses get lost. A started change is always
// carried out, wherever the person goes meanwhile. A question is dropped once nobody waits for its
// answer.

import { ApiProblem } from "./client.js";
import { connection } from "./connection.js";

const MAX_ATTEMPTS = 5;

/**
 * A reason to ask before the visitor leaves a place: a dialog, an import, an upload.
 *
 * @typedef {object} Guard
 * @property {(to: { isBack: boolean, go: () => void }) => boolean} leave Returns whether the
 *   visitor may go at once. If not, it asks them, and calls `go` where they want to leave all the
 *   same.
 * @property {() => boolean} isNeeded Whether closing the browser's tab would lose something.
 */

/** @type {Set<Guard>} */
const guards = new Set();
/** The changes in flight. @type {Set<object>} */
const changes = new Set();

/** Adds a guard; returns the function that removes it. @param {Guard} guard */
export function addGuard(guard) {
  guards.add(guard);
  return () => void guards.delete(guard);
}

/** Asks every guard, the newest first, whether the visitor may go. @type {Guard["leave"]} */
export function mayLeave(to) {
  return [...guards].reverse().every(({ leave }) => leave(to));
}

addEventListener("beforeunload", (event) => {
  if (changes.size > 0 || [...guards].some(({ isNeeded }) => isNeeded())) event.preventDefault();
});

/**
 * Waits for a time, or until it is aborted.
 *
 * @param {number} ms
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}

/**
 * Creates the owner of the work of one dialog, button, field or place.
 *
 * @param {{ element?: Element, signal?: AbortSignal }} [options] `element` is shown as busy.
 *   `signal` is aborted when the place is left, which ends questions and never a change.
 */
export function createWork({ element, signal } = {}) {
  const own = {};
  let latest = new AbortController();
  /** @type {object | undefined} */
  let shown;
  const showBusy = (/** @type {object | undefined} */ by) => {
    shown = by;
    if (element) element.ariaBusy = by ? "true" : null;
  };

  return {
    /** Whether a change is in flight. */
    get isWorking() {
      return changes.has(own);
    },

    /**
     * Carries out one change; returns `undefined` at once while another one is in flight.
     *
     * @template T
     * @param {() => T | Promise<T>} run
     * @returns {Promise<T | undefined>}
     */
    async change(run) {
      if (changes.has(own)) return undefined;
      changes.add(own);
      showBusy(own);
      try {
        return await run();
      } finally {
        changes.delete(own);
        showBusy(undefined);
      }
    },

    /**
     * Requests data to show. Resolves with `undefined` if a newer request was made or the place was
     * left meanwhile.
     *
     * @template T
     * @param {(signal: AbortSignal) => T | Promise<T>} run
     * @param {number} [afterMs] How long it waits for something newer first.
     * @returns {Promise<T | undefined>}
     */
    async ask(run, afterMs = 0) {
      latest.abort();
      const asked = latest = new AbortController();
      const until = signal ? AbortSignal.any([signal, asked.signal]) : asked.signal;
      try {
        if (afterMs > 0) await pause(afterMs, until);
        showBusy(asked);
        const result = await run(until);
        return until.aborted ? undefined : result;
      } catch (error) {
        if (until.aborted) return undefined;
        throw error;
      } finally {
        if (shown === asked) showBusy(undefined);
      }
    },

    /** Drops the current request. */
    stop: () => latest.abort(),
  };
}

/** @typedef {ReturnType<typeof createWork>} Work */

/**
 * Tells whether a response was lost, so that the outcome of the request is unknown.
 *
 * @param {unknown} error
 */
export function isLost(error) {
  return error instanceof ApiProblem && error.code === "offline";
}

/**
 * Resolves once the server can be reached again.
 *
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function reconnected(signal) {
  return new Promise((resolve, reject) => {
    if (!connection.isLost) return resolve();
    connection.addEventListener("back", () => resolve(), { once: true, signal });
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/**
 * Carries out a change even if its response is lost. Once the server is back, `recover` finds the
 * outcome, or repeats a change that is idempotent.
 *
 * @template T
 * @param {() => T | Promise<T>} run
 * @param {(error: unknown) => T | Promise<T>} [recover]
 * @returns {Promise<T>}
 */
export async function carryOut(run, recover = run) {
  let attempt = run;
  for (let left = MAX_ATTEMPTS;; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLost(error) || left === 1) throw error;
      await reconnected();
      attempt = () => recover(error);
    }
  }
}
