/** @import { Visit } from "../places.js" */
/** @import { Field } from "../form.js" */
/** @import { Idea } from "./saving.js" */
// The answer of the team and the status, edited where they stand. What is typed is kept in this
// browser until it is saved or discarded.

import { browserStore, call, fieldProblem, may, ownDrafts, parseStored } from "../client.js";
import { button, h, say, t, word } from "../dom.js";
import { form } from "../form.js";
import { reasonNotToMail } from "../places/delivery.js";
import { rendered } from "../preview.js";
import { addGuard, carryOut, createWork } from "../work.js";
import { putBlocks, quotationOf } from "../writing/blocks.js";
import { change, createToolbar } from "../writing/toolbar.js";
import { createSaving, pathOf, STATUSES } from "./saving.js";

/** The name under which this browser keeps an answer. @param {Idea} idea */
function keptName({ boardId, postId }) {
  return `${ownDrafts()}answer/${boardId}/${postId}`;
}

/** @param {Idea} idea @returns {{ status: string, answer: string } | undefined} */
function readKept(idea) {
  const kept = parseStored(browserStore.get(keptName(idea)));
  return typeof kept?.answer === "string" && STATUSES.includes(kept.status) ? kept : undefined;
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

  /** @param {{ status: string, answer: string }} [kept] @param {string} [status] A new one. */
  async function open(kept, status = idea.status) {
    const audience = await work.ask(() => readAudience(idea));
    if (audience === undefined || visit.signal.aborted) return;
    const editing = answerForm(visit, idea, { audience, kept, status });
    element.replaceChildren(h("h2", null, t("answer")), editing);
    if (kept === undefined) editing.querySelector("textarea")?.focus();
  }

  /** Adds words of a voter to the answer, without saying whose they are. @param {string} words */
  async function quote(words) {
    if (element.querySelector("form") === null) await open(readKept(idea));
    const field = element.querySelector("textarea");
    if (field === null) return;
    const { value: text } = field;
    change(field, putBlocks({ text, start: text.length, end: text.length }, quotationOf(words)));
  }

  const kept = readKept(idea);
  if (kept && may("posts:publish")) void open(kept);
  return {
    element,
    /** The button that opens the form. */
    begin: button(t("answerIt"), () => void open(readKept(idea)), { class: "primary" }),
    /** Opens the form to decline the idea, which needs an answer. */
    decline: () => void open(undefined, "declined"),
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
 * @param {{ audience: Audience, kept: { status: string, answer: string } | undefined, status:
 *   string }} options `status` is proposed where nothing is kept.
 */
function answerForm(visit, idea, { audience: { asked, untold, reason }, kept, status }) {
  const save = createSaving(idea, ["status", "answer"], ({ status, answer }) =>
    fieldProblem(
      "answer",
      t("othersAnswer", { status: word(`status_${status}`), answer: answer ?? "–" }),
    ));
  const name = keptName(idea);
  const before = { status: idea.status, answer: idea.answer ?? "" };
  const start = kept ?? { ...before, status };
  const label = asked === undefined ? t("mailAsked") : t("mailAskedMany", { n: asked });
  const untoldYet = untold === undefined ? "" : ` ${t("notToldYet", { n: untold })}`;
  const preview = h("div", { class: "preview" });
  const previewWork = createWork({ signal: visit.signal });
  let isUnkept = false;

  function end() {
    browserStore.remove(name);
    removeGuard();
    visit.reload();
  }

  /** @type {Field[]} */
  const fields = [
    {
      name: "status",
      label: t("state"),
      type: "select",
      value: start.status,
      options: STATUSES.map((status) => [status, word(`status_${status}`)]),
    },
    {
      name: "answer",
      label: t("answer"),
      type: "textarea",
      value: start.answer,
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
    also: button(t(kept ? "discard" : "cancel"), end),
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
  element.addEventListener("input", () => {
    const [status, answer] = [select.value, text.value];
    const isTyped = status !== before.status || answer !== before.answer;
    const json = JSON.stringify({ at: Date.now(), status, answer });
    if (isTyped) isUnkept = !browserStore.set(name, json);
    else browserStore.remove(name);
    draw();
  });
  text.before(createToolbar(text, undefined, visit.signal));
  text.after(preview);
  if (kept) element.prepend(h("p", { class: "note", role: "status" }, t("restored")));
  if (reason) element.prepend(h("p", { class: "soft" }, reason));
  draw();
  const removeGuard = addGuard({
    leave: () => !isUnkept || !element.isConnected || confirm(t("typedIsLost")),
    isNeeded: () => isUnkept && element.isConnected,
  });
  visit.signal.addEventListener("abort", removeGuard);
  return element;
}
