/** @import { Child } from "./dom.js" */
/** @import { Field, Values } from "./form.js" */
/** @import { Visit } from "./main.js" */
import { button, copy, h, say, t } from "./dom.js";
import { describe, form } from "./form.js";

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
