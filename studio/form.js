/** @import { Child } from "./dom.js" */
/** @import { Work } from "./work.js" */
// Forms, and the sentences for what goes wrong.

import { ApiProblem } from "./client.js";
import { h, lacks, say, t, word } from "./dom.js";
import { forgetWords, keepWords, readWords } from "./drafts/form_words.js";
import { createWork } from "./work.js";

/**
 * A field of a form. `checks` and `radio` have options; the value of `checks` is words with spaces.
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {string} [type]
 * @property {string | null} [value]
 * @property {Child} [hint]
 * @property {boolean} [required] Where the field is shown.
 * @property {readonly (readonly (string | undefined)[])[]} [options] Value, label and hint of each.
 * @property {Record<string, unknown>} [attributes]
 */

/** @typedef {Record<string, string>} Values */

/** The types of fields with words that a person has typed. */
const TYPED = ["text", "textarea", "url", "email"];
/** The types of fields that are kept with typed words. A press mails or allows something. */
const KEPT = [...TYPED, "select"];

let ids = 0;

/**
 * Creates a form. `act` gets the values; its errors are shown at the fields that they name.
 * `submit` may depend on the values. The browser keeps what is typed under the name `keep` until
 * `act` is done or the words are forgotten, and a new form of that name has them again.
 *
 * @param {readonly Field[]} fields
 * @param {{ submit: string | ((values: Values) => string), danger?: boolean, also?: Child, work?:
 *   Work, keep?: string, act: (values: Values) => unknown }} options
 */
export function form(fields, { submit, danger, act, also, keep, work = createWork() }) {
  const rows = new Map(fields.map((field) => [field.name, createRow(field)]));
  const read = () => Object.fromEntries([...rows].map(([name, { read }]) => [name, read()]));
  const alert = h("p", { class: "error", role: "alert" });
  const pressed = h("button", { class: danger ? "danger" : "primary" });
  const label = () => pressed.textContent = typeof submit === "string" ? submit : submit(read());
  const restored = h("p", { class: "note", role: "status" });
  const element = h(
    "form",
    { novalidate: true, input: onInput },
    restored,
    [...rows.values()].map(({ element }) => element),
    alert,
    h("div", { class: "actions" }, pressed, also),
  );
  const typed = fields.filter(({ type = "text" }) => TYPED.includes(type));
  const readTyped = () => typed.map(({ name }) => rows.get(name)?.read()).join("\n");
  const [before, first] = [readTyped(), read()];
  let isUnkept = false;

  function onInput() {
    label();
    if (keep === undefined) return;
    // Others may change the other fields meanwhile.
    const changed = fields.filter(({ name, type = "text" }) =>
      KEPT.includes(type) && read()[name] !== first[name]
    );
    const pick = (/** @type {Values} */ values) =>
      Object.fromEntries(changed.map(({ name }) => [name, values[name]]));
    if (readTyped() === before) forget();
    else isUnkept = !keepWords(keep, { words: pick(read()), before: pick(first) });
  }

  function forget() {
    isUnkept = false;
    if (keep !== undefined) forgetWords(keep);
  }

  const kept = keep === undefined ? undefined : readWords(keep);
  for (const [name, value] of Object.entries(kept?.words ?? {})) {
    const now = first[name];
    rows.get(name)?.write(value);
    const isOthers = kept?.before[name] !== now && value !== now;
    if (isOthers) rows.get(name)?.fail(t("setMeanwhile", { value: now || "–" }));
  }
  if (readTyped() !== before) restored.textContent = t("restored");
  label();

  async function send() {
    alert.textContent = "";
    for (const { fail } of rows.values()) fail("");
    const missing = [...rows.values()].filter(({ isMissing }) => isMissing());
    for (const { fail, needed } of missing) fail(needed);
    try {
      if (missing.length === 0) {
        await act(read());
        forget();
      }
    } catch (error) {
      // The person has left the place meanwhile.
      if (!element.isConnected) return say(describe(error), { stays: true });
      const errors = error instanceof ApiProblem ? error.errors : [];
      for (const { field, ...one } of errors) {
        rows.get(field)?.fail(describeField({ field, ...one, value: rows.get(field)?.read() }));
      }
      const others = errors.filter(({ field }) => !rows.has(field));
      alert.textContent = errors.length ? others.map(describeField).join(" ") : describe(error);
    }
    /** @type {HTMLElement | null} */
    const bad = element.querySelector("[aria-invalid]");
    bad?.focus();
  }

  element.addEventListener("submit", (event) => {
    event.preventDefault();
    element.ariaBusy = "true";
    void work.change(send).finally(() => element.ariaBusy = work.isWorking ? "true" : null);
  });
  return Object.assign(element, {
    /**
     * Tells whether words were typed. Choices don't count, because they are repeated with one
     * press.
     */
    isTyped: () => readTyped() !== before,
    /** Tells whether the browser can't keep what was typed. */
    isUnkept: () => readTyped() !== before && (keep === undefined || isUnkept),
    /** Gives up the words that the browser keeps. */
    forget,
  });
}

/** @param {Field} field */
function createRow({ label, type = "text", value, hint, required, options = [], attributes }) {
  const id = `field-${++ids}`;
  const error = h("p", { class: "error", id: `${id}-error` });
  const below = [h("p", { class: "soft", id: `${id}-hint` }, hint), error];
  const about = { "aria-describedby": `${id}-hint ${id}-error` };
  const rest = { id, required, ...about, ...attributes };
  const given = value ?? "";
  /** @type {any} */
  let first;
  let element;
  let read = () => type === "select" ? first.value : first.value.trim();
  if (type === "checks" || type === "radio") {
    const kind = type === "radio" ? type : "checkbox";
    const chosen = given.split(" ");
    const inputs = options.map(([value = ""]) =>
      h("input", { type: kind, name: id, value, checked: chosen.includes(value) })
    );
    const labels = options.map(([, label, hint], index) =>
      h("label", null, inputs[index], h("span", null, label, hint && h("small", null, hint)))
    );
    [first] = inputs;
    read = () => inputs.filter(({ checked }) => checked).map(({ value }) => value).join(" ");
    element = h("fieldset", about, h("legend", null, label), labels, below);
  } else if (type === "checkbox") {
    first = h("input", { type, checked: given === "true", ...rest });
    read = () => `${first.checked}`;
    element = h("div", { class: "field" }, h("label", null, first, h("span", null, label)), below);
  } else {
    const choices = options.map(([value, label]) =>
      h("option", { value, selected: value === given }, label)
    );
    first = type === "textarea"
      ? h("textarea", { rows: 4, dir: "auto", ...rest }, given)
      : type === "select"
      ? h("select", rest, choices)
      : h("input", { type, value: given, autocomplete: "off", ...rest });
    const isOptional = !required && type !== "select";
    const optional = isOptional && h("span", { class: "soft" }, ` (${t("optional")})`);
    element = h("div", { class: "field" }, h("label", { for: id }, label, optional), first, below);
  }
  return {
    element,
    read,
    /** Fills a field that has one input. @param {string} value */
    write(value) {
      first.value = value;
    },
    isMissing: () => required && read() === "" && element.checkVisibility(),
    needed: t(type === "checks" ? "chooseOne" : "required"),
    fail(/** @type {string} */ text) {
      error.textContent = text;
      first.ariaInvalid = text ? "true" : null;
    },
  };
}

/** Codes that share the sentence of another code. @type {Readonly<Record<string, string>>} */
const SAME = {
  invalid_token: "badKey",
  missing_credentials: "badKey",
  malformed_credentials: "badKey",
  board_exists: "taken",
  entry_exists: "taken",
  body_too_large: "too_long",
  request_timeout: "offline",
};

/** Fields that share the sentences of others. @type {Readonly<Record<string, string>>} */
const SENTENCES = {
  boardId: "bad_id",
  entryId: "bad_id",
  since: "bad_at",
  title: "row_title",
  home: "bad_url",
};

/**
 * Returns a sentence about an error and its remedy, in the language of the page.
 *
 * @param {unknown} error
 */
export function describe(error) {
  if (!(error instanceof ApiProblem)) throw error;
  const { code, status, scope, errors, requestId = "" } = error;
  if (scope) return lacks(scope);
  if (errors.length > 0) return errors.map(describeField).join(" ");
  if (code === "strange_response") return t(code, { status });
  const key = SAME[code] ?? (status === 404 ? "gone" : code);
  const isKnown = key !== "internal_error" && word(key) !== key;
  return isKnown ? word(key) : t("internal_error", { id: requestId });
}

/**
 * Returns a sentence about a wrong field. Problems that the page itself has found have no code.
 *
 * @param {{ field: string, code: string, detail: string, value?: string }} error
 */
export function describeField({ field, code, detail, value }) {
  if (code === "") return detail;
  const excess = code === "too_long" && value !== undefined ? excessOf(detail, value) : 0;
  if (excess > 0) return t("tooLongBy", { n: excess });
  const ofField = SENTENCES[field] ?? `bad_${field}`;
  // An identifier of these characters is refused for another reason, such as a word of the API.
  const isWellFormed = ofField === "bad_id" && /^[\w.~-]+$/.test(value ?? "");
  const isOwn = !isWellFormed && !["required", "too_long", "unsupported_characters"].includes(code);
  if (isOwn && word(ofField) !== ofField) return word(ofField);
  return word(code) === code ? t("invalid_value") : word(code);
}

/**
 * Returns by how much a text is longer than the limit that the server names; 0 if it names none.
 *
 * @param {string} detail
 * @param {string} value
 */
function excessOf(detail, value) {
  const [, limit, unit] = /(\d+) (characters|bytes)/.exec(detail) ?? [];
  if (limit === undefined) return 0;
  const text = value.trim();
  const length = unit === "bytes" ? new TextEncoder().encode(text).length : [...text].length;
  return length - Number(limit);
}
