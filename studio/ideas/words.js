/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
/** @import { Idea } from "./saving.js" */
// The words of an idea: shown as readers see them, and edited.

import { fieldProblem } from "../client.js";
import { h, t } from "../dom.js";
import { rendered } from "../preview.js";
import { action } from "../task.js";
import { createSaving, placeOf } from "./saving.js";

/** The button that changes the words of an idea. @param {Visit} visit @param {Idea} idea */
export function editing(visit, idea) {
  const save = createSaving(
    idea,
    ["title", "body"],
    ({ title, body }) => fieldProblem("body", t("othersWords", { title, text: body ?? "–" })),
  );
  return action(visit, t("edit"), {
    name: idea.title,
    id: placeOf(idea),
    title: idea.title,
    fields: [
      {
        name: "title",
        label: t("title"),
        value: idea.title,
        required: true,
        attributes: { dir: "auto" },
      },
      { name: "body", label: t("text"), type: "textarea", value: idea.body },
    ],
    submit: t("save"),
    run: (_, json) => save(json),
    done: t("changedIt"),
  });
}

/** An e-mail address, or a number of at least seven digits, as phones have it. */
const PERSONAL =
  /(?<![^\s@<>()])[^\s@<>()]+@[^\s@<>()]+\.[^\s@<>().,]+|(?<![\d./-])(?!\d{4}-\d\d-\d\d)\+?\d(?:[\s().\/-]{0,2}\d){6,14}/gu;

/**
 * Shows the text of an idea. Where it waits for approval, it marks addresses and phone numbers,
 * which nobody should find on a page.
 *
 * @param {Idea} idea
 * @param {AbortSignal} signal
 * @returns {Child}
 */
export function describeWords({ title, body, state }, signal) {
  const isHeld = state === "held";
  const words = body ?? "";
  const isPersonal = isHeld && `${title}\n${words}`.match(PERSONAL) !== null;
  return [
    words !== "" && rendered(words, { signal, finish: isHeld ? markPersonal : undefined }),
    isPersonal && h("p", { class: "error" }, t("hasPersonal")),
  ];
}

/** Marks what may identify a person. @param {Element} element */
function markPersonal(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  for (const text of texts) {
    const found = text.data.match(PERSONAL) ?? [];
    if (found.length === 0) continue;
    const parts = text.data.split(PERSONAL);
    text.replaceWith(...parts.flatMap((part, index) => [
      part,
      ...found[index] ? [h("mark", null, found[index])] : [],
    ]));
  }
}
