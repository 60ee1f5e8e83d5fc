/** @import { Visit } from "../places.js" */
/** @import { Idea } from "./saving.js" */
// The decisions on an idea: approve, decline, hide, show. Each reports what was done, and offers to
// undo it if possible.

import { ApiProblem, call } from "../client.js";
import { h, isComposing, say, t, word } from "../dom.js";
import { action, task } from "../task.js";
import { boardOf } from "./board_names.js";
import { changedMeanwhile, createSaving, pathOf, placeOf, STATUSES } from "./saving.js";

/**
 * Changes the state of an idea, and offers to change it back.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 * @param {{ state: string, label: string, said: string, back: string }} change `back` is the state
 *   that undoes it.
 */
function stateChange(visit, idea, { state, label, said, back }) {
  const save = createSaving(idea, ["state", "status"], changedMeanwhile);
  const set = () => call("PATCH", pathOf(idea), { json: { state: back } });
  const undo = () =>
    task(visit, t("undo"), { run: set, done: t("undoneIt", { name: idea.title }) });
  return action(visit, label, {
    name: idea.title,
    run: () => save({ state }),
    done() {
      say(said, { action: [t("undo"), undo] });
      return "";
    },
  });
}

/**
 * The button that approves a held idea. Undone, the idea is held again, and its author is not
 * trusted.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 */
export function approval(visit, idea) {
  const said = t("approvedIt", { name: idea.title });
  const change = { state: "public", back: "held", label: t("approve"), said };
  const button = stateChange(visit, idea, change);
  button.classList.add("primary", "approve");
  return button;
}

/**
 * The button that hides a public idea, or shows a hidden one. @param {Visit} visit @param {Idea}
 * idea
 */
export function visibility(visit, idea) {
  const { title: name } = idea;
  return idea.state === "public"
    ? stateChange(visit, idea, {
      state: "hidden",
      back: "public",
      label: t("hide"),
      said: t("hiddenIt", { name }),
    })
    : stateChange(visit, idea, {
      state: "public",
      back: "hidden",
      label: t("showIt"),
      said: t("shownIt", { name }),
    });
}

/** Tells whether the status of an idea is for the team to choose. @param {Idea} idea */
export function isDecidable({ state, mergedInto, entryId }) {
  return state === "public" && mergedInto === null && entryId === null;
}

/**
 * The choice of the status of an idea, which is saved at once and can be undone. Nobody is mailed.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 * @param {() => void} decline Asks for the answer without which nothing is declined.
 */
export function statusChoice(visit, idea, decline) {
  const save = createSaving(idea, ["state", "status"], changedMeanwhile);
  const back = { status: idea.status, notify: false };
  /** @type {string} */
  let chosen = idea.status;
  let isByKey = false;
  const undo = () =>
    task(visit, t("undo"), {
      run: () => call("PATCH", pathOf(idea), { json: back }),
      done: t("undoneIt", { name: idea.title }),
    });
  const select = h(
    "select",
    {
      "aria-label": `${t("state")}: ${idea.title}`,
      change: () => isByKey || choose(),
      // Arrows pass other statuses on their way, which are not meant.
      keydown: (/** @type {KeyboardEvent} */ { key }) =>
        key === "Enter" ? choose() : isByKey = true,
      pointerdown: () => isByKey = false,
      blur: choose,
    },
    STATUSES.map((status) =>
      h("option", { value: status, selected: status === idea.status }, word(`status_${status}`))
    ),
  );

  function choose() {
    const status = select.value;
    if (status === chosen) return;
    if (status === "declined" && !idea.answer) {
      select.value = idea.status;
      return decline();
    }
    chosen = status;
    const label = word(`status_${status}`);
    void task(visit, t("state"), {
      run: () =>
        save({ status, notify: false }).catch((error) => {
          // Choosing it once more saves it all the same.
          select.value = chosen = idea.status;
          throw error;
        }),
      done() {
        say(`${label}: ${idea.title}`, { action: [t("undo"), undo] });
        return "";
      },
      near: select,
    });
  }
  return h("span", { class: `status ${idea.status}` }, select);
}

/**
 * The button that declines an idea, for which it asks why.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 */
export function declining(visit, idea) {
  const save = createSaving(idea, ["state", "status", "answer"], changedMeanwhile);
  // If only first ideas wait, nobody has approved an idea of this author.
  const isApproved = boardOf(idea.boardId)?.moderation === "all";
  return action(visit, t("decline"), {
    name: idea.title,
    id: placeOf(idea),
    about: t("aboutDecline"),
    fields: [
      { name: "answer", label: t("answer"), type: "textarea", value: idea.answer, required: true },
      { name: "notify", label: t("tellAuthor"), type: "checkbox", value: `${isApproved}` },
    ],
    async run({ answer, notify }) {
      const json = { status: "declined", answer };
      if (notify !== "true") return await save({ ...json, notify: false });
      return await save({ ...json, notify: true }).catch((error) => {
        const cannot = error instanceof ApiProblem && error.code === "mail_not_configured";
        if (!cannot) throw error;
        return save({ ...json, notify: false });
      });
    },
    done: t("declinedIt", { name: idea.title }),
    attributes: { class: "decline" },
  });
}

/**
 * Approves with the key `a` and declines with `d`: the card that has the focus, and nothing else.
 *
 * @param {HTMLElement} card
 */
export function onKeys(card) {
  card.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element &&
      event.target.matches("input, textarea, select");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || isComposing(event)) return;
    const name = { a: ".approve", d: ".decline" }[event.key];
    /** @type {HTMLButtonElement | null} */
    const button = name ? card.querySelector(name) : null;
    if (!button) return;
    event.preventDefault();
    button.click();
  });
}
