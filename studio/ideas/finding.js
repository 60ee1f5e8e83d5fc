/** @import { Child } from "../dom.js" */
/** @import { Idea } from "./saving.js" */
// A search for ideas by their words, in a dialog or beside other fields.

import { h, isComposing, nodes, t } from "../dom.js";
import { describe } from "../form.js";
import { createWork, isLost, reconnected } from "../work.js";

const SEARCH_AFTER_MS = 300;

/**
 * Creates a field, without a label, whose results follow what is typed.
 *
 * @param {object} options
 * @param {AbortSignal} options.signal Aborted when the place is left.
 * @param {(q: string, signal: AbortSignal) => Promise<readonly Idea[]>} options.search
 * @param {(ideas: readonly Idea[], q: string) => Child} options.draw Shows the results.
 */
export function createFinder({ signal, search, draw }) {
  const found = h("div", { class: "found" });
  const problem = h("p", { class: "error", role: "alert" });
  const field = h("input", {
    type: "search",
    placeholder: t("findIdeas"),
    dir: "auto",
    autocomplete: "off",
    spellcheck: "false",
  });
  const work = createWork({ element: found, signal });

  /** @param {number} [afterMs] How long it waits for another letter. */
  async function find(afterMs) {
    const q = field.value.trim();
    try {
      const ideas = await work.ask((signal) => search(q, signal), afterMs);
      if (ideas === undefined) return;
      found.replaceChildren(...nodes(draw(ideas, q)));
      problem.textContent = "";
    } catch (error) {
      problem.textContent = describe(error);
      // A rejected wait means that the place was left.
      if (isLost(error)) void reconnected(signal).then(() => find(), () => {});
    }
  }

  const onInput = (/** @type {Event} */ event) => {
    if (event instanceof InputEvent && event.isComposing) return;
    void find(SEARCH_AFTER_MS);
  };
  field.addEventListener("input", onInput);
  field.addEventListener("compositionend", onInput);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || isComposing(event)) return;
    event.preventDefault();
    void find();
  });
  return { field, found, problem, find };
}
