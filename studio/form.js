/** @import { Child } from "./dom.js" */
import { Problem } from "./client.js";
import { h, t, word } from "./dom.js";

/**
 * A field of a form. `checks` and `radio` have options; the value of `checks` is words with spaces.
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {string} [type]
 * @property {string | null} [value]
 * @property {Child} [hint]
 * @property {boolean} [required]
 * @property {readonly (readonly [value: string, label: string, hint?: string])[]} [options]
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
  const rows = new Map(fields.map((field) => [field.name, row(field)]));
  const alert = h("p", { class: "error", role: "alert" });
  const button = h("button", { class: danger ? "danger" : "primary" }, submit);
  const element = h(
    "form",
    { novalidate: true },
    [...rows.values()].map(({ element }) => element),
    alert,
    h("div", { class: "actions" }, button, also),
  );
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (element.ariaBusy) return;
    element.ariaBusy = "true";
    alert.textContent = "";
    for (const { fail } of rows.values()) fail("");
    try {
      const missing = fields.filter(({ name, required }) => required && !rows.get(name)?.read());
      if (missing.length > 0) throw needed(missing.map(({ name }) => name));
      await act(Object.fromEntries([...rows].map(([name, { read }]) => [name, read()])));
    } catch (error) {
      show(error);
    } finally {
      element.ariaBusy = null;
    }
  });

  /** @param {unknown} error */
  function show(error) {
    const errors = error instanceof Problem ? error.errors : [];
    const others = errors.filter(({ field }) => !rows.has(field));
    for (const one of errors) rows.get(one.field)?.fail(describeField(one));
    if (errors.length === 0) alert.textContent = describe(error);
    else alert.textContent = others.map(describeField).join(" ");
    /** @type {HTMLElement | null} */
    const first = element.querySelector("[aria-invalid]");
    first?.focus();
  }

  return element;
}

/** @param {readonly string[]} fields */
function needed(fields) {
  const errors = fields.map((field) => ({ field, code: "required", detail: "" }));
  return new Problem({ status: 422, code: "validation_failed", errors });
}

/** @param {Field} field */
function row({ label, type = "text", value, hint, required, options, attributes }) {
  const id = `field-${++ids}`;
  const about = { "aria-describedby": `${id}-hint ${id}-error` };
  const error = h("p", { class: "error", id: `${id}-error` });
  const hinted = h("p", { class: "soft", id: `${id}-hint` }, hint);
  const given = value ?? "";
  if (options !== undefined && type !== "select") {
    const inputs = options.map(([value]) =>
      h("input", {
        type: type === "checks" ? "checkbox" : "radio",
        name: id,
        value,
        checked: given.split(" ").includes(value),
      })
    );
    const labels = inputs.map((input, index) => {
      const [, label, hint] = options[index];
      return h("label", null, input, h("span", null, label, hint && h("small", null, hint)));
    });
    const element = h("fieldset", about, h("legend", null, label), labels, hinted, error);
    const read = () => inputs.flatMap((input) => input.checked ? [input.value] : []).join(" ");
    return { element, read, fail: failing(inputs[0], error) };
  }
  const rest = { id, required, ...about, ...attributes };
  if (type === "checkbox") {
    const input = h("input", { type, checked: given === "true", ...rest });
    const element = h("div", { class: "field" }, h("label", null, input, label), hinted, error);
    return { element, read: () => `${input.checked}`, fail: failing(input, error) };
  }
  const input = type === "textarea"
    ? h("textarea", { rows: 4, dir: "auto", ...rest }, given)
    : type === "select"
    ? h(
      "select",
      rest,
      options?.map(([value, label]) => h("option", { value, selected: value === given }, label)),
    )
    : h("input", { type, value: given, autocomplete: "off", ...rest });
  const marked = [label, !required && type !== "select" && h("span", null, ` (${t("optional")})`)];
  const element = h(
    "div",
    { class: "field" },
    h("label", { for: id }, marked),
    input,
    hinted,
    error,
  );
  return { element, read: () => input.value, fail: failing(input, error) };
}

/**
 * @param {HTMLElement} input
 * @param {HTMLElement} error
 */
function failing(input, error) {
  return (/** @type {string} */ text) => {
    error.textContent = text;
    if (text) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
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

/**
 * Says what went wrong and what to do, in the language of the page.
 *
 * @param {unknown} error
 */
export function describe(error) {
  if (!(error instanceof Problem)) throw error;
  const { code, status, scope, errors, requestId = "" } = error;
  if (scope) return t("lacks", { what: word(scope), scope });
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
