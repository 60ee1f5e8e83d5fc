/** @import { Visit } from "../places.js" */
/** @import { Idea } from "./saving.js" */
// Merges ideas that mean the same, and takes them apart again.

import { ApiProblem, call, path } from "../client.js";
import { openDialog } from "../dialog.js";
import { address, button, count, h, say, t } from "../dom.js";
import { titled } from "../parts.js";
import { describe } from "../form.js";
import { action, task } from "../task.js";
import { carryOut, createWork } from "../work.js";
import { createFinder } from "./finding.js";
import { pathOf } from "./saving.js";
import { describeWords } from "./words.js";

const MAX_FOUND = "6";
const SHOWN_MERGED = 20;

/** The button that takes a merged idea out of the other. @param {Visit} visit @param {Idea} idea */
export function unmerging(visit, idea) {
  return action(visit, t("unmerge"), {
    name: idea.title,
    about: t("aboutUnmerge"),
    run: () => call("POST", `${pathOf(idea)}/unmerge`),
    done: t("unmergedIt", { name: idea.title }),
  });
}

/**
 * Shows the ideas that were merged into one, with their words.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 */
export async function showMerged(visit, { boardId, merged = [] }) {
  if (merged.length === 0) return undefined;
  const { signal } = visit;
  const shown = merged.slice(0, SHOWN_MERGED);
  const ideas = await Promise.all(
    shown.map(({ postId }) =>
      call("GET", pathOf({ boardId, postId }), { signal }).catch((error) => {
        if (!(error instanceof ApiProblem && error.status === 404)) throw error;
      })
    ),
  );
  return [
    h("h2", null, t("mergedHere")),
    h(
      "ul",
      { class: "cards" },
      ideas.filter(Boolean).map((one) =>
        h("li", null, [
          h("div", null, titled(address(["ideas", boardId, one.postId]), one.title)),
          describeWords(one, signal),
          h("div", { class: "actions" }, unmerging(visit, one)),
        ])
      ),
    ),
    merged.length > shown.length &&
    h("p", { class: "soft" }, t("andMore", { n: merged.length - shown.length })),
  ];
}

/**
 * The button that merges an idea with another, which one finds by its words.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 */
export function merging(visit, idea) {
  return button(t("merge"), () => void openMerging(visit, idea));
}

/** The number of votes that pages show. @param {Idea} idea */
function totalOf({ votes, importedVotes }) {
  return votes + importedVotes;
}

/** @param {Visit} visit @param {Idea} idea */
function openMerging(visit, idea) {
  const sum = h("p", { role: "status" });
  const base = path`boards/${idea.boardId}/posts`;
  const counting = createWork({ element: sum, signal: visit.signal });
  const { field, found, problem, find } = createFinder({
    signal: visit.signal,
    async search(q, signal) {
      const response = q === ""
        ? await call("GET", `${base}/similar`, { query: { q: idea.title }, signal })
        : await call("GET", base, { query: { q, limit: MAX_FOUND }, signal });
      return response.data;
    },
    draw,
  });
  field.ariaLabel = t("findIdeas");
  /** @type {Idea | undefined} */
  let chosen;
  const ways = /** @type {const} */ ([["give", "mergeGive"], ["take", "mergeTake"]]).map(
    ([value, key]) => {
      const input = h("input", { type: "radio", name: "way", value, change: () => void foresee() });
      return { input, row: h("label", null, input, h("span", null, t(key))) };
    },
  );
  const [give, take] = ways;
  const way = h("fieldset", { hidden: true }, [
    h("legend", null, t("mergeWay")),
    ways.map(({ row }) => row),
  ]);

  /** The idea that is merged, and the other one that stays. @param {Idea} other */
  const pair = (other) => take.input.checked ? [other, idea] : [idea, other];

  /** @param {readonly Idea[]} ideas */
  function draw(ideas) {
    const others = ideas.filter(({ postId }) => postId !== idea.postId);
    if (others.length === 0) return h("p", { class: "soft" }, t("noneLikeIt"));
    return others.map((other) => {
      const input = h("input", {
        type: "radio",
        name: "other",
        value: other.postId,
        checked: chosen?.postId === other.postId,
        change: () => choose(other),
      });
      return h("label", null, input, h("bdi", null, other.title), ` · ${count(totalOf(other))}`);
    });
  }

  /** @param {Idea} other */
  function choose(other) {
    chosen = other;
    way.hidden = false;
    // The weaker idea goes into the stronger one, unless somebody says otherwise.
    const isWeaker = totalOf(idea) <= totalOf(other);
    give.input.checked = isWeaker;
    take.input.checked = !isWeaker;
    void foresee();
  }

  /** Says how many people the idea that stays will have. */
  async function foresee() {
    problem.textContent = "";
    if (chosen === undefined) return;
    const [merged, stays] = pair(chosen);
    const json = { into: stays.postId, dryRun: true };
    try {
      const seen = await counting.ask((signal) =>
        call("POST", `${pathOf(merged)}/merge`, { json, signal })
      );
      if (seen) sum.textContent = t("mergeSum", { name: stays.title, n: totalOf(seen) });
    } catch (error) {
      problem.textContent = describe(error);
    }
  }

  void find();

  return openDialog(`${t("merge")}: ${idea.title}`, ({ close, leave, work }) => {
    const merge = button(t("merge"), () =>
      work.change(async () => {
        if (chosen === undefined) {
          problem.textContent = t("chooseOne");
          return;
        }
        const [merged, { postId: into, title }] = pair(chosen);
        try {
          await carryOut(() => call("POST", `${pathOf(merged)}/merge`, { json: { into } }));
        } catch (error) {
          problem.textContent = describe(error);
          return;
        }
        close("done");
        say(t("mergedIt", { name: merged.title, other: title }), {
          action: [t("undo"), () => undo(visit, merged)],
        });
        visit.reload();
      }), { class: "primary" });
    return [
      h("p", { class: "soft" }, t("aboutMerge")),
      field,
      found,
      way,
      sum,
      problem,
      h("div", { class: "actions" }, merge, button(t("cancel"), leave)),
    ];
  });
}

/** @param {Visit} visit @param {Idea} idea */
function undo(visit, idea) {
  return task(visit, t("undo"), {
    run: () => call("POST", `${pathOf(idea)}/unmerge`),
    done: t("unmergedIt", { name: idea.title }),
  });
}
