// The owner of work in progress, and changes whose responses get lost.

import { ApiProblem, connection } from "./client.js";

export { addGuard, createWork, pause } from "./form.js";

const MAX_ATTEMPTS = 5;

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
