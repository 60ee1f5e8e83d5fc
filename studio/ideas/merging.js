/** @import { Visit } from "../main.js" */
/** @import { Idea } from "./deciding.js" */
import { call, path } from "../client.js";
import { openDialog } from "../dialog.js";
import { button, count, h, say, t } from "../dom.js";
import { describe } from "../form.js";
import { action, task } from "../task.js";
import { carryOut } from "../work.js";
import { pathOf } from "./deciding.js";
import { createFinder } from "./finding.js";

const MAX_FOUND = "6";

/** The button that takes a merged idea out of the other. @param {Visit} visit @param {Idea} idea */
export function unmerging(visit, idea) {
  return action(visit, t("unmerge"), {
    about: t("aboutUnmerge"),
    run: () => call("POST", `${pathOf(idea)}/unmerge`),
    done: t("unmergedIt", { name: idea.title }),
  });
}

/**
 * The button that merges an idea into another, which one finds by its words.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 */
export function merging(visit, idea) {
  return button(t("merge"), () => void openMerging(visit, idea));
}

/** @param {Visit} visit @param {Idea} idea */
function openMerging(visit, idea) {
  const sum = h("p", { role: "status" });
  const base = path`boards/${idea.boardId}/posts`;
  const { field, found, problem, find } = createFinder({
    signal: visit.signal,
    async search(q, signal) {
      const answer = q === ""
        ? await call("GET", `${base}/similar`, { query: { q: idea.title }, signal })
        : await call("GET", base, { query: { q, limit: MAX_FOUND }, signal });
      return answer.data;
    },
    draw,
  });
  /** @type {Idea | undefined} */
  let chosen;

  /** @param {readonly Idea[]} ideas */
  function draw(ideas) {
    const others = ideas.filter(({ postId }) => postId !== idea.postId);
    if (others.length === 0) return h("p", { class: "soft" }, t("noneLikeIt"));
    return others.map((other) => {
      const input = h("input", {
        type: "radio",
        name: "into",
        value: other.postId,
        checked: chosen?.postId === other.postId,
        change: () => choose(other),
      });
      const votes = count(other.votes + other.importedVotes);
      return h("label", null, input, h("bdi", null, other.title), ` · ${votes}`);
    });
  }

  /** @param {Idea} other */
  function choose(other) {
    chosen = other;
    problem.textContent = "";
    // An imported number without voters stays where it is.
    const theirs = other.votes + other.importedVotes;
    sum.textContent = t("mergeSum", { mine: idea.votes, theirs, most: idea.votes + theirs });
  }

  void find();

  return openDialog(`${t("merge")}: ${idea.title}`, ({ close, leave, work }) => {
    const merge = button(t("merge"), () =>
      work.change(async () => {
        if (chosen === undefined) {
          problem.textContent = t("chooseOne");
          return;
        }
        const { postId: into, title } = chosen;
        try {
          await carryOut(() => call("POST", `${pathOf(idea)}/merge`, { json: { into } }));
        } catch (error) {
          problem.textContent = describe(error);
          return;
        }
        close("done");
        say(t("mergedIt", { name: idea.title, other: title }), {
          action: [t("undo"), () => undo(visit, idea)],
        });
        visit.reload();
      }), { class: "primary" });
    return [
      h("p", { class: "soft" }, t("aboutMerge")),
      field,
      found,
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
