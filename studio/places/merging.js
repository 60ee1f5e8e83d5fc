/** @import { Visit } from "../main.js" */
/** @import { Idea } from "./deciding.js" */
import { call, path } from "../client.js";
import { action, openDialog, task } from "../dialog.js";
import { button, count, h, isComposing, nodes, say, t } from "../dom.js";
import { describe } from "../form.js";
import { carryOut, createWork } from "../work.js";
import { pathOf } from "./deciding.js";

const SEARCH_AFTER_MS = 300;
const MAX_FOUND = "6";

/** The button that takes a merged idea out of the other. @param {Visit} visit @param {Idea} idea */
export function unmerging(visit, idea) {
  return action(visit, t("unmerge"), {
    about: t("aboutUnmerge"),
    run: () => call("POST", `${pathOf(idea)}/unmerge`),
    done: t("unmergedIt", { name: idea.title }),
  });
}

/** The button that merges an idea into another, which one finds by its words. @param {Visit} visit @param {Idea} idea */
export function merging(visit, idea) {
  return button(t("merge"), () => void openMerging(visit, idea));
}

/** @param {Visit} visit @param {Idea} idea */
function openMerging(visit, idea) {
  const found = h("div", { class: "found" });
  const sum = h("p", { role: "status" });
  const problem = h("p", { class: "error", role: "alert" });
  const field = h("input", {
    type: "search",
    "aria-label": t("findIdeas"),
    placeholder: t("findIdeas"),
    dir: "auto",
    autocomplete: "off",
    spellcheck: "false",
  });
  const searching = createWork({ element: found, signal: visit.signal });
  /** @type {Idea | undefined} */
  let chosen;

  /** @param {readonly Idea[]} ideas */
  function draw(ideas) {
    const others = ideas.filter(({ postId }) => postId !== idea.postId);
    found.replaceChildren(...nodes(
      others.length === 0 ? h("p", { class: "soft" }, t("noneLikeIt")) : others.map((other) => {
        const input = h("input", {
          type: "radio",
          name: "into",
          value: other.postId,
          checked: chosen?.postId === other.postId,
          change: () => choose(other),
        });
        return h("label", null, input, h("bdi", null, other.title), ` · ${count(other.votes)}`);
      }),
    ));
  }

  /** @param {Idea} other */
  function choose(other) {
    chosen = other;
    problem.textContent = "";
    sum.textContent = t("mergeSum", {
      mine: idea.votes,
      theirs: other.votes,
      most: idea.votes + other.votes,
    });
  }

  /** @param {number} [afterMs] */
  async function find(afterMs) {
    const q = field.value.trim();
    const base = path`boards/${idea.boardId}/posts`;
    try {
      const answer = await searching.ask(
        (signal) =>
          q === ""
            ? call("GET", `${base}/similar`, { query: { q: idea.title }, signal })
            : call("GET", base, { query: { q, limit: MAX_FOUND }, signal }),
        afterMs,
      );
      if (answer) draw(answer.data);
    } catch (error) {
      problem.textContent = describe(error);
    }
  }

  const typed = (/** @type {Event} */ event) => {
    if (event instanceof InputEvent && event.isComposing) return;
    void find(SEARCH_AFTER_MS);
  };
  field.addEventListener("input", typed);
  field.addEventListener("compositionend", typed);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || isComposing(event)) return;
    event.preventDefault();
    void find();
  });
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
