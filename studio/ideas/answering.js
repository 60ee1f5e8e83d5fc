/** @import { Visit } from "../places.js" */
/** @import { Field } from "../form.js" */
/** @import { Idea } from "./saving.js" */
// The answer of the team and the status, edited where they stand. What is typed is kept in this
// browser until it is saved or discarded.

import { call, fieldProblem } from "../client.js";
import { may } from "../session.js";
import { button, h, say, t, word } from "../dom.js";
import { readWords } from "../drafts/form_words.js";
import { form } from "../form.js";
import { reasonNotToMail } from "../places/delivery.js";
import { rendered } from "../preview.js";
import { addGuard, carryOut, createWork } from "../work.js";
import { putBlocks, quotationOf } from "../writing/blocks.js";
import { change, createToolbar } from "../writing/toolbar.js";
import { createSaving, pathOf, placeOf, STATUSES } from "./saving.js";

/** The name under which this browser keeps an answer. @param {Idea} idea */
function keptName(idea) {
  return `${placeOf(idea)} answer`;
}

/**
 * Shows the answer, or the form that changes it: once `begin` is pressed, or at once if this
 * browser keeps an answer that was not saved.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 */
export function createAnswer(visit, idea) {
  const shown = h("div", null, answerOf(idea, visit.signal));
  const element = h("section", { class: "answer", "aria-label": t("answer") }, shown);
  const work = createWork({ element });

  const isKept = () => readWords(keptName(idea)) !== undefined;

  /** @param {string} [status] A new one. */
  async function open(status = idea.status) {
    const audience = await work.ask(() => readAudience(idea));
    if (audience === undefined || visit.signal.aborted) return;
    const isRestored = isKept();
    const editing = answerForm(visit, idea, { audience, isRestored, status });
    element.replaceChildren(h("h2", null, t("answer")), editing);
    if (!isRestored) editing.querySelector("textarea")?.focus();
  }

  /** Adds words of a voter to the answer, without saying whose they are. @param {string} words */
  async function quote(words) {
    if (element.querySelector("form") === null) await open();
    const field = element.querySelector("textarea");
    if (field === null) return;
    const { value: text } = field;
    change(field, putBlocks({ text, start: text.length, end: text.length }, quotationOf(words)));
  }

  if (isKept() && may("posts:publish")) void open();
  return {
    element,
    /** The button that opens the form. */
    begin: button(t("answerIt"), () => void open(), { class: "primary" }),
    /** Opens the form to decline the idea, which needs an answer. */
    decline: () => void open("declined"),
    quote,
  };
}

/** @param {Idea} idea @param {AbortSignal} signal */
function answerOf({ answer }, signal) {
  return answer && [h("h2", null, t("answer")), rendered(answer, { signal })];
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
 * Creates the form of the status and the answer. Where somebody else has changed them meanwhile, it
 * says so, and saves these when it is pressed again.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 * @param {{ audience: Audience, isRestored: boolean, status: string }} options `status` is proposed
 *   where nothing is kept.
 */
function answerForm(visit, idea, { audience: { asked, untold, reason }, isRestored, status }) {
  const save = createSaving(idea, ["status", "answer"], ({ status, answer }) =>
    fieldProblem(
      "answer",
      t("othersAnswer", { status: word(`status_${status}`), answer: answer ?? "–" }),
    ));
  const before = { status: idea.status, answer: idea.answer ?? "" };
  const label = asked === undefined ? t("mailAsked") : t("mailAskedMany", { n: asked });
  const untoldYet = untold === undefined ? "" : ` ${t("notToldYet", { n: untold })}`;
  const preview = h("div", { class: "preview" });
  const previewWork = createWork({ signal: visit.signal });

  function end() {
    element.forget();
    removeGuard();
    visit.reload();
  }

  /** @type {Field[]} */
  const fields = [
    {
      name: "status",
      label: t("state"),
      type: "select",
      value: before.status,
      options: STATUSES.map((status) => [status, word(`status_${status}`)]),
    },
    {
      name: "answer",
      label: t("answer"),
      type: "textarea",
      value: before.answer,
      hint: t("aboutAnswer"),
      attributes: { rows: 6 },
    },
    ...reason === undefined
      ? [{
        name: "notify",
        label,
        type: "checkbox",
        value: "false",
        hint: `${t("aboutMailAsked")}${untoldYet}`,
      }]
      : [],
  ];
  const element = form(fields, {
    // A button that mails many people says so.
    submit: ({ notify }) => t(notify === "true" ? "saveAndMail" : "save"),
    also: button(t(isRestored ? "discard" : "cancel"), end),
    keep: keptName(idea),
    async act({ status, answer, notify }) {
      const isNotified = notify === "true";
      /** @type {Record<string, string | null | boolean>} */
      const changed = {
        ...status !== before.status && { status },
        ...answer !== before.answer.trim() && { answer: answer || null },
      };
      if (isNotified || Object.keys(changed).length > 0) {
        await carryOut(() => save({ ...changed, notify: isNotified }));
      }
      say(t(isNotified ? "answeredAndMailed" : "answeredIt"));
      end();
    },
  });
  const [select, text] = /** @type {[HTMLSelectElement, HTMLTextAreaElement]} */ (
    [element.querySelector("select"), element.querySelector("textarea")]
  );
  if (status !== before.status) select.value = status;

  /** Shows what readers will see, after a pause in typing. */
  function draw() {
    const words = text.value.trim();
    void previewWork.ask(() =>
      preview.replaceChildren(
        ...words === "" ? [] : [
          h("p", { class: "soft" }, t("preview")),
          rendered(words, { signal: visit.signal }),
        ],
      ), 300);
  }
  element.addEventListener("input", draw);
  text.before(createToolbar(text, undefined, visit.signal));
  text.after(preview);
  if (reason) element.prepend(h("p", { class: "soft" }, reason));
  draw();
  const removeGuard = addGuard({
    leave: () => !element.isConnected || !element.isUnkept() || confirm(t("typedIsLost")),
    isNeeded: () => element.isConnected && element.isUnkept(),
  });
  visit.signal.addEventListener("abort", removeGuard);
  return element;
}
