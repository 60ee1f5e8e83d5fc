/** @import { Words } from "../keeper.js" */
import { h, say, t } from "../dom.js";
import { describe } from "../form.js";

/**
 * Shows what somebody else has stored meanwhile, and asks what to do.
 *
 * @param {Words} theirs
 * @param {Words} mine
 * @param {(choice: "mine" | "theirs" | "both") => Promise<void>} choose
 */
export function showConflict(theirs, mine, choose) {
  const named = /** @type {const} */ ([
    ["title", t("title")],
    ["body", t("text")],
    ["labels", t("labels")],
    ["url", t("link")],
  ]);
  const different = named.filter(([name]) => theirs[name] !== mine[name]);
  const shown = different.map(([name, label]) => [
    h("h3", null, label),
    h("pre", { dir: "auto", tabindex: "0" }, marked(theirs[name], mine[name])),
  ]);
  const choices = /** @type {const} */ ([["mine", t("keepMine")], ["theirs", t("takeTheirs")], [
    "both",
    t("keepBoth"),
  ]]);
  const failed = h("p");
  const act = async (/** @type {"mine" | "theirs" | "both"} */ choice) => {
    try {
      await choose(choice);
      if (choice === "both") say(t("savedAsDraft"));
    } catch (error) {
      failed.textContent = describe(error);
    }
  };
  return h(
    "section",
    { class: "conflict", "aria-label": t("conflict") },
    h("p", null, h("strong", null, t("conflict"))),
    h("p", null, t("theirVersion")),
    shown,
    failed,
    h(
      "div",
      { class: "actions" },
      choices.map(([choice, label]) =>
        h("button", { type: "button", click: () => void act(choice) }, label)
      ),
    ),
  );
}

/**
 * Marks the lines that are not in the other text.
 *
 * @param {string} text
 * @param {string} other
 */
function marked(text, other) {
  const known = new Set(other.split("\n"));
  return text.split("\n").map((line) => [known.has(line) ? line : h("mark", null, line), "\n"]);
}
