/** @import { Child } from "./dom.js" */
import { Problem } from "./client.js";
import { h, lacks, t, word } from "./dom.js";

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

let ids = 0;

/**
 * Creates a form. `act` gets the values; what it throws is shown at the fields that it names.
 *
 * @param {readonly Field[]} fields
 * @param {{ submit: string, danger?: boolean, act: (values: Values) => unknown, also?: Child }} options
 */
export function form(fields, { submit, danger, act, also }) {
  const rows = new Map(fields.map((field) => [field.name, createRow(field)]));
  const alert = h("p", { class: "error", role: "alert" });
  const element = h(
    "form",
    { novalidate: true },
    [...rows.values()].map(({ element }) => element),
    alert,
    h(
      "div",
      { class: "actions" },
      h("button", { class: danger ? "danger" : "primary" }, submit),
      also,
    ),
  );
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (element.ariaBusy) return;
    element.ariaBusy = "true";
    alert.textContent = "";
    for (const { fail } of rows.values()) fail("");
    const missing = [...rows.values()].filter(({ isMissing }) => isMissing());
    for (const { fail, needed } of missing) fail(needed);
    try {
      const values = Object.fromEntries([...rows].map(([name, { read }]) => [name, read()]));
      if (missing.length === 0) await act(values);
    } catch (error) {
      const errors = error instanceof Problem ? error.errors : [];
      for (const one of errors) rows.get(one.field)?.fail(describeField(one));
      const others = errors.filter(({ field }) => !rows.has(field));
      alert.textContent = errors.length ? others.map(describeField).join(" ") : describe(error);
    } finally {
      element.ariaBusy = null;
    }
    /** @type {HTMLElement | null} */
    const bad = element.querySelector("[aria-invalid]");
    bad?.focus();
  });
  return element;
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
    isMissing: () => required && read() === "" && element.checkVisibility(),
    needed: t(type === "checks" ? "chooseOne" : "required"),
    fail(/** @type {string} */ text) {
      error.textContent = text;
      first.ariaInvalid = text ? "true" : null;
    },
  };
}

/** Sentences for codes that say the same. @type {Readonly<Record<string, string>>} */
const SAME = {
  invalid_token: "badKey",
  missing_credentials: "badKey",
  malformed_credentials: "badKey",
  board_exists: "taken",
  entry_exists: "taken",
  body_too_large: "too_long",
  request_timeout: "offline",
};

/** Fields of which the same is said. @type {Readonly<Record<string, string>>} */
const FIELDS = { boardId: "id", entryId: "id", since: "at" };

/** Says what went wrong and what to do, in the language of the page. @param {unknown} error */
export function describe(error) {
  if (!(error instanceof Problem)) throw error;
  const { code, status, scope, errors, requestId = "" } = error;
  if (scope) return lacks(scope);
  if (errors.length > 0) return errors.map(describeField).join(" ");
  const key = SAME[code] ?? (status === 404 ? "gone" : code);
  const isKnown = key !== "internal_error" && word(key) !== key;
  return isKnown ? word(key) : t("internal_error", { id: requestId });
}

/**
 * Says what is wrong with a field. Problems that the page itself has found have no code.
 *
 * @param {{ field: string, code: string, detail: string }} error
 */
export function describeField({ field, code, detail }) {
  if (code === "") return detail;
  const ofField = `bad_${FIELDS[field] ?? field}`;
  const isOwn = !["required", "too_long", "unsupported_characters"].includes(code);
  if (isOwn && word(ofField) !== ofField) return word(ofField);
  return word(code) === code ? t("invalid_value") : word(code);
}
