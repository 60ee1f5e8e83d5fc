/** @import { Draft } from "../drafts/draft.js" */
import { button, h, say, t } from "../dom.js";
import { describe } from "../form.js";
import { wordsOf } from "../drafts/words.js";

/**
 * Shows what somebody else has stored meanwhile, and asks what to do.
 *
 * @param {Draft} draft
 * @param {(choice: "mine" | "theirs" | "both") => Promise<void>} choose
 */
export function showConflict({ theirs: found, words: mine }, choose) {
  if (found === undefined) return undefined;
  const theirs = wordsOf(found.entry);
  const named = /** @type {const} */ ([
    ["title", t("title")],
    ["body", t("text")],
    ["labels", t("labels")],
    ["url", t("link")],
  ]);
  const shown = named.filter(([name]) => theirs[name] !== mine[name]).map(([name, label]) => [
    h("h3", null, label),
    showMarked(theirs[name], mine[name]),
  ]);
  const choices = /** @type {const} */ ([
    ["mine", "keepMine"],
    ["theirs", "takeTheirs"],
    ["both", "keepBoth"],
  ]);
  const failed = h("p", { class: "error" });
  const act = async (/** @type {"mine" | "theirs" | "both"} */ choice) => {
    try {
      await choose(choice);
      if (choice === "both") say(t("savedAsDraft"));
    } catch (error) {
      failed.textContent = describe(error);
    }
  };
  const { updatedBy } = found.entry;
  return h(
    "section",
    { class: "conflict", "aria-label": t("conflict") },
    h("p", null, h("strong", null, t("conflict")), updatedBy && [": ", h("bdi", null, updatedBy)]),
    h("p", null, t("theirVersion")),
    shown,
    failed,
    h(
      "div",
      { class: "actions" },
      choices.map(([choice, label]) => button(t(label), () => act(choice))),
    ),
  );
}

/**
 * Shows a text, with the lines marked that are not in the other, at the first of them.
 *
 * @param {string} text
 * @param {string} other
 */
function showMarked(text, other) {
  const known = new Set(other.split("\n"));
  const lines = text.split("\n").map((
    line,
  ) => [known.has(line) ? line : h("mark", null, line), "\n"]);
  const shown = h("pre", { dir: "auto", tabindex: "0" }, lines);
  requestAnimationFrame(() => {
    const first = shown.querySelector("mark");
    if (first) shown.scrollTop = first.offsetTop - shown.offsetTop - shown.clientHeight / 3;
  });
  return shown;
}
