/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
// The decisions on an idea: approve, decline, answer, hide, show. Each reports what was done, and
// offers to undo it if possible.

import { ApiProblem, call, fieldProblem, may, path, readJson, send } from "../client.js";
import { button, h, isComposing, say, t, word } from "../dom.js";
import { action, task } from "../task.js";
import { createWork } from "../work.js";
import { reasonNotToMail } from "../places/delivery.js";

/**
 * An idea, which the API calls a post.
 *
 * @typedef {object} Idea
 * @property {string} boardId
 * @property {string} postId
 * @property {string} title
 * @property {string | null} body
 * @property {string} status
 * @property {string | null} answer
 * @property {string} state
 * @property {number} votes
 * @property {number} importedVotes
 * @property {string | null} mergedInto
 * @property {string | null} entryId
 * @property {string} source
 * @property {string} createdAt
 * @property {readonly { at: string, status: string }[]} history
 */

export const STATUSES = ["open", "considering", "planned", "started", "shipped", "declined"];

/** The path of an idea in the API. @param {Pick<Idea, "boardId" | "postId">} idea */
export function pathOf({ boardId, postId }) {
  return path`boards/${boardId}/posts/${postId}`;
}

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
 * The button that approves a held idea; undone, the idea is held again. @param {Visit} visit @param
 * {Idea} idea
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

/**
 * The button that declines an idea, for which it asks why. @param {Visit} visit @param {Idea} idea
 */
export function declining(visit, idea) {
  const save = createSaving(idea, ["state", "status", "answer"], changedMeanwhile);
  return action(visit, t("decline"), {
    name: idea.title,
    about: t("aboutDecline"),
    fields: [
      { name: "answer", label: t("answer"), type: "textarea", value: idea.answer, required: true },
    ],
    run: ({ answer }) => save({ status: "declined", answer }),
    done: t("declinedIt", { name: idea.title }),
    attributes: { class: "decline" },
  });
}

/**
 * The button that sets the status and the answer, and mails those who asked where that is chosen.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 */
export function answering(visit, idea) {
  const open = async () => {
    const audience = await work.ask(() => readAudience(idea));
    if (audience && visit.isShown()) await answer(visit, idea, audience);
  };
  const element = button(t("answerIt"), () => void open(), { class: "primary" });
  const work = createWork({ element });
  return element;
}

/** Describes a decision of somebody else. @param {Idea} current */
function changedMeanwhile({ state, status }) {
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
function createSaving(idea, names, describeOther) {
  let seen = idea;
  /** @param {Record<string, string | null | boolean>} json @returns {Promise<Idea>} */
  return async function save(json) {
    const response = await send("GET", pathOf(idea));
    const match = response.headers.get("ETag") ?? "*";
    /** @type {Idea} */
    const current = await readJson(response);
    const changed = names.filter((name) => name in json);
    // The answer to this very change may have been lost. Nobody is mailed the same twice.
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

/** The button that changes the words of an idea. @param {Visit} visit @param {Idea} idea */
export function editing(visit, idea) {
  const save = createSaving(
    idea,
    ["title", "body"],
    ({ title, body }) => fieldProblem("body", t("othersWords", { title, text: body ?? "–" })),
  );
  return action(visit, t("edit"), {
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
 * @returns {Child}
 */
export function describeWords({ title, body, state }) {
  const mark = (/** @type {string} */ text) => h("mark", null, text);
  const words = body ?? "";
  const found = state === "held" ? words.match(PERSONAL) ?? [] : [];
  const parts = found.length === 0 ? [words] : words.split(PERSONAL);
  const isPersonal = state === "held" && `${title}\n${words}`.match(PERSONAL) !== null;
  return [
    words !== "" && h(
      "p",
      { class: "words", dir: "auto" },
      parts.map((part, index) => [part, found[index] && mark(found[index])]),
    ),
    isPersonal && h("p", { class: "error" }, t("hasPersonal")),
  ];
}

/**
 * Those who would be told of an idea: how many they are, if the key may know it, or why nobody is.
 *
 * @typedef {{ asked?: number, untold?: number, reason?: string }} Audience
 */

/** @param {Idea} idea @returns {Promise<Audience>} */
async function readAudience(idea) {
  // Readers do not see a hidden idea.
  if (idea.state !== "public") return { reason: "" };
  const summary = `${pathOf(idea)}/votes/summary?asked=true`;
  const [stats, sums] = await Promise.all([
    may("metrics:read") ? call("GET", "stats").catch(() => undefined) : undefined,
    may("subscriptions:read") ? call("GET", summary).catch(() => undefined) : undefined,
  ]);
  const asked = sums?.asked;
  if (asked === 0) return { reason: t("nobodyAsked") };
  const cannot = reasonNotToMail(stats);
  return cannot ? { reason: t(cannot) } : { asked, untold: sums?.untold };
}

/**
 * Asks for the status and the answer of an idea. Where somebody else has changed them meanwhile, it
 * says so, and saves these when it is pressed again.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 * @param {Audience} audience
 */
async function answer(visit, idea, { asked, untold, reason }) {
  const save = createSaving(idea, ["status", "answer"], ({ status, answer }) =>
    fieldProblem(
      "answer",
      t("othersAnswer", { status: word(`status_${status}`), answer: answer ?? "–" }),
    ));
  const label = asked === undefined ? t("mailAsked") : t("mailAskedMany", { n: asked });
  const untoldYet = untold === undefined ? "" : ` ${t("notToldYet", { n: untold })}`;
  const hint = `${t("aboutMailAsked")}${untoldYet}`;
  await task(visit, t("answerIt"), {
    title: idea.title,
    fields: [
      {
        name: "status",
        label: t("state"),
        type: "select",
        value: idea.status,
        options: STATUSES.map((status) => [status, word(`status_${status}`)]),
      },
      {
        name: "answer",
        label: t("answer"),
        type: "textarea",
        value: idea.answer,
        hint: t("aboutAnswer"),
      },
      ...reason === undefined
        ? [{ name: "notify", label, type: "checkbox", value: "false", hint }]
        : [],
    ],
    about: reason,
    // A button that mails many people says so.
    submit: ({ notify }) => t(notify === "true" ? "saveAndMail" : "save"),
    async run({ notify }, { notify: _, ...changed }) {
      const isNotified = notify === "true";
      if (!isNotified && Object.keys(changed).length === 0) return isNotified;
      await save({ ...changed, notify: isNotified });
      return isNotified;
    },
    done: (isNotified) => t(isNotified ? "answeredAndMailed" : "answeredIt"),
  });
}

/**
 * Approves with the key `a` and declines with `d`, unless somebody types or a dialog is open.
 *
 * @param {Visit} visit
 * @param {() => Element | undefined} within The element that has the buttons.
 */
export function onKeys(visit, within) {
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element &&
      event.target.matches("input, textarea, select");
    const isOther = event.ctrlKey || event.metaKey || event.altKey || isComposing(event);
    if (isTyping || isOther || document.querySelector("dialog[open]")) return;
    const name = { a: ".approve", d: ".decline" }[event.key];
    /** @type {HTMLButtonElement | null | undefined} */
    const button = name ? within()?.querySelector(name) : null;
    if (!button) return;
    event.preventDefault();
    button.click();
  }, { signal: visit.signal });
}
