/** @import { Child } from "./dom.js" */
/** @import { Visit } from "./main.js" */
import { Problem } from "./client.js";
import { button, copy, h, say, t, word } from "./dom.js";

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

/**
 * Opens a dialog, which Escape closes. Returns what it was closed with.
 *
 * @param {string} title
 * @param {(close: (value?: string) => void) => Child} content
 * @returns {Promise<string>}
 */
export function openDialog(title, content) {
  const { promise, resolve } = Promise.withResolvers();
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" });
  dialog.append(
    h("h2", { id: "dialog-title", dir: "auto" }, title),
    h("div", null, content((value) => dialog.close(value))),
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(dialog.returnValue);
  });
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}

/**
 * Opens a dialog with a form; it closes when the form has done its work. Returns whether it has. What
 * is dangerous isn't what Enter does at once.
 *
 * @param {string} title
 * @param {readonly Field[]} fields
 * @param {{ submit: string, about?: Child, danger?: boolean, act?: (values: Values) => unknown }} options
 */
export async function ask(title, fields, { submit, about, danger, act }) {
  const answer = await openDialog(title, (close) => {
    const autofocus = danger && fields.length === 0;
    const cancel = button(t("cancel"), () => close(), { autofocus });
    return [
      about && h("div", { class: "about" }, about),
      form(fields, {
        submit,
        danger,
        also: cancel,
        act: async (values) => {
          await act?.(values);
          close("done");
        },
      }),
    ];
  });
  return answer === "done";
}

/**
 * Does something, says so and shows the place anew; what goes wrong is said.
 *
 * @param {Visit} visit
 * @param {() => unknown} act
 * @param {string} [done]
 */
export async function doing(visit, act, done = t("done")) {
  try {
    await act();
  } catch (error) {
    return say(describe(error));
  }
  say(done);
  visit.reload();
}

/**
 * Asks, does it, shows the secret that came of it or says that it is done, and shows the place anew or
 * goes to another.
 *
 * @param {Visit} visit
 * @param {string} title
 * @param {object} options
 * @param {readonly Field[]} [options.fields]
 * @param {string} [options.submit]
 * @param {Child} [options.about]
 * @param {boolean} [options.danger]
 * @param {(values: Values) => unknown} options.act What it returns as `key` or `secret` is shown once.
 * @param {string} [options.to] The address of the other place.
 */
export async function task(visit, title, { fields = [], submit = title, act, to, ...about }) {
  /** @type {any} */
  let made;
  const run = async (/** @type {Values} */ values) => void (made = await act(values));
  if (!await ask(title, fields, { submit, ...about, act: run })) return;
  const secret = made?.key ?? made?.secret;
  if (secret) await showSecret(title, secret);
  else say(t("done"));
  if (to === undefined) visit.reload();
  else location.hash = to;
}

/**
 * Asks whether to delete something, by its name, and does it.
 *
 * @param {Visit} visit
 * @param {string} name
 * @param {{ act: () => unknown, to: string }} options
 */
export function deleting(visit, name, options) {
  const about = t("aboutDelete");
  return task(visit, t("deleteIt", { name }), {
    submit: t("delete"),
    about,
    danger: true,
    ...options,
  });
}

/**
 * Shows a secret, to be copied.
 *
 * @param {string} title
 * @param {string} secret
 * @param {string} [about]
 */
export function showSecret(title, secret, about = t("shownOnce")) {
  return openDialog(title, (close) => {
    const copying = button(t("copy"), async () => {
      await copy(secret);
      copying.textContent = t("copied");
      say(t("copied"));
    }, { class: "primary" });
    return [
      h("p", null, about),
      h("p", null, h("code", { class: "secret", tabindex: "0" }, secret)),
      h("div", { class: "actions" }, copying, button(t("done"), () => close())),
    ];
  });
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
