// Changes of an idea, which somebody else may decide on at the same time.

import { ApiProblem, call, fieldProblem, path, readJson, send } from "../client.js";
import { t, word } from "../dom.js";

/**
 * An idea, which the API calls a post.
 *
 * @typedef {import("../../model/posts/post_shown.ts").PostResponse} Idea
 */

/** @type {readonly Idea["status"][]} */
export const STATUSES = ["open", "considering", "planned", "started", "shipped", "declined"];

/** The path of an idea in the API. @param {Pick<Idea, "boardId" | "postId">} idea */
export function pathOf({ boardId, postId }) {
  return path`boards/${boardId}/posts/${postId}`;
}

/**
 * The place of an idea, under which this browser keeps the words that are typed about it.
 *
 * @param {Pick<Idea, "boardId" | "postId">} idea
 */
export function placeOf({ boardId, postId }) {
  return `ideas/${boardId}/${postId}`;
}

/** Describes a decision of somebody else. @param {Idea} current */
export function changedMeanwhile({ state, status }) {
  const name = word(state === "public" ? `status_${status}` : `view_${state}`);
  return fieldProblem("state", t("decidedMeanwhile", { name }));
}

/**
 * Returns what saves changes of an idea. Where somebody else has changed the same since it was seen
 * here, that is told, and the next attempt saves.
 *
 * @param {Idea} idea
 * @param {readonly (keyof Idea)[]} names The fields that are compared.
 * @param {(current: Idea) => ApiProblem} describeOther
 */
export function createSaving(idea, names, describeOther) {
  let seen = idea;
  /** @param {Record<string, string | null | boolean>} json @returns {Promise<Idea>} */
  return async function save(json) {
    const response = await send("GET", pathOf(idea));
    const match = response.headers.get("ETag") ?? "*";
    /** @type {Idea} */
    const current = await readJson(response);
    const changed = names.filter((name) => name in json);
    // The response to this very change may have been lost. Nobody is mailed the same twice.
    const isDone = changed.length > 0 && changed.every((name) => current[name] === json[name]);
    const isSeen = names.every((name) => current[name] === seen[name]);
    const isMerged = current.mergedInto !== null && seen.mergedInto === null;
    seen = current;
    if (isMerged) throw fieldProblem("mergedInto", t("mergedMeanwhile"));
    if (!isDone && !isSeen) throw describeOther(current);
    return await call("PATCH", pathOf(idea), { json, match }).catch((error) => {
      if (error instanceof ApiProblem && error.status === 412) return save(json);
      throw error;
    });
  };
}
