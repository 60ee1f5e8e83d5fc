/** @import { Idea } from "./saving.js" */
// The ideas that an entry ships: found by their words, shown as titles that can be taken away.

import { ApiProblem, call } from "../client.js";
import { may } from "../session.js";
import { address, button, count, h, nodes, t } from "../dom.js";
import { toPostIds } from "../drafts/words.js";
import { createWork } from "../work.js";
import { boardName, hasManyBoards, knowBoards, readBoards } from "./board_names.js";
import { pathOf } from "./saving.js";
import { createFinder } from "./finding.js";

const MAX_SHIPPED = 20;
const MAX_FOUND = "6";
/** The maximum number of boards that are searched for an idea by its identifier. */
const MAX_BOARDS = 20;

/** The ideas that this tab has seen, by their identifiers. @type {Map<string, Idea>} */
const seen = new Map();

/** @param {string} postId */
function titleOf(postId) {
  return seen.get(postId)?.title ?? postId;
}

/** Returns the titles of ideas, one a line. @param {string} posts Their identifiers. */
export function titlesOf(posts) {
  return toPostIds(posts).map(titleOf).join("\n");
}

/**
 * Reads the titles of ideas; one that can't be read has its identifier.
 *
 * @param {readonly string[]} postIds
 * @param {AbortSignal} signal
 */
export async function readTitles(postIds, signal) {
  await readIdeas(postIds, signal).catch(() => {});
  return postIds.map(titleOf);
}

/**
 * Finds ideas by their identifiers alone; one that can't be read is left out.
 *
 * @param {readonly string[]} postIds
 * @param {AbortSignal} signal
 */
export async function findIdeas(postIds, signal) {
  await readIdeas(postIds, signal).catch(() => {});
  return postIds.flatMap((postId) => seen.get(postId) ?? []);
}

/** Says which idea the server does not let an entry ship. @param {{ detail: string }} refused */
export function describeRefused({ detail }) {
  const postId = /"([^"]+)"/.exec(detail)?.[1];
  return postId ? t("cannotShip", { name: titleOf(postId) }) : t("invalid_value");
}

/**
 * Reads ideas of which only the identifier is known.
 *
 * @param {readonly string[]} postIds
 * @param {AbortSignal} signal
 */
async function readIdeas(postIds, signal) {
  const unknown = postIds.filter((postId) => !seen.has(postId));
  if (unknown.length === 0 || !may("posts:read")) return;
  const boards = await readBoards(signal);
  let boardIds = boards.slice(0, MAX_BOARDS).map(({ boardId }) => boardId);
  for (const postId of unknown) {
    for (const boardId of boardIds) {
      const idea = await call("GET", pathOf({ boardId, postId }), { signal }).catch((error) => {
        if (!(error instanceof ApiProblem && error.status === 404)) throw error;
      });
      if (!idea) continue;
      seen.set(postId, idea);
      // The ideas of an entry mostly stand on one board.
      boardIds = [boardId, ...boardIds.filter((other) => other !== boardId)];
      break;
    }
  }
}

/**
 * Creates the field of the ideas that an entry ships. Its `value` is their identifiers, with spaces
 * between.
 *
 * @param {{ signal: AbortSignal, isReadonly: boolean, onChange: () => void }} options
 */
export function createShipping({ signal, isReadonly, onChange }) {
  /** @type {readonly string[]} */
  let postIds = [];
  const chosen = h("ul", { class: "ships" });
  const reading = createWork({ signal });
  const finder = createFinder({
    signal,
    async search(q, signal) {
      if (q === "") return [];
      const found = call("GET", "posts", { query: { q, limit: MAX_FOUND }, signal });
      return (await Promise.all([found, knowBoards(signal)]))[0].data;
    },
    draw(ideas, q) {
      for (const idea of ideas) seen.set(idea.postId, idea);
      const others = ideas.filter(({ postId }) => !postIds.includes(postId));
      if (q === "") return [];
      return others.length === 0 ? h("p", { class: "soft" }, t("noneLikeIt")) : others.map(choice);
    },
  });
  finder.field.id = "posts";

  /** The button that adds an idea. @param {Idea} idea */
  function choice({ boardId, postId, title, votes, importedVotes }) {
    const label = `${title} · ${count(votes + importedVotes)}`;
    const board = hasManyBoards() && [" · ", h("bdi", null, boardName(boardId))];
    return button(h("span", null, label, board), () => {
      change([...postIds, postId]);
      finder.field.value = "";
      finder.found.replaceChildren();
      finder.field.focus();
    }, { dir: "auto" });
  }

  /** @param {readonly string[]} next */
  function change(next) {
    postIds = next;
    draw();
    onChange();
  }

  function draw() {
    chosen.replaceChildren(...postIds.map((postId) => {
      const idea = seen.get(postId);
      const name = h("bdi", null, titleOf(postId));
      const remove = () => {
        change(postIds.filter((one) => one !== postId));
        finder.field.focus();
      };
      const label = `${t("takeAway")}: ${titleOf(postId)}`;
      return h("li", null, [
        idea ? h("a", { href: address(["ideas", idea.boardId, postId]) }, name) : name,
        " ",
        !isReadonly && button("×", remove, { "aria-label": label, title: label }),
      ]);
    }));
    finder.field.hidden = isReadonly || !may("posts:read") || postIds.length >= MAX_SHIPPED;
  }

  draw();
  return {
    input: finder.field,
    parts: nodes([chosen, finder.field, finder.found, finder.problem]),
    get value() {
      return postIds.join(" ");
    },
    set value(text) {
      postIds = toPostIds(text);
      draw();
      // Without a connection, the identifiers stay.
      void reading.ask((signal) => readIdeas(postIds, signal)).then(draw, () => {});
    },
  };
}
