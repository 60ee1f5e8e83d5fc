/** @import { Child } from "./dom.js" */
/** @import { Field, Values } from "./form.js" */
import { copy, h, say } from "./dom.js";
import { form } from "./form.js";
import { t } from "./texts.js";

/**
 * Opens a dialog, which Escape closes. Returns it, and what resolves when it is closed.
 *
 * @param {string} title
 * @param {(close: (value?: string) => void) => Child} content
 * @returns {Promise<string>}
 */
export function openDialog(title, content) {
  const { promise, resolve } = Promise.withResolvers();
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" });
  dialog.append(h("h2", { id: "dialog-title" }, title));
  const inside = h("div", null, content((value) => dialog.close(value)));
  dialog.append(inside);
  dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(dialog.returnValue);
  });
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}

/**
 * Opens a dialog with a form; it closes when the form has done its work. Returns whether it has.
 *
 * @param {string} title
 * @param {readonly Field[]} fields
 * @param {{ submit: string, about?: Child, danger?: boolean, act?: (values: Values) => unknown }} options
 */
export async function ask(title, fields, { submit, about, danger, act }) {
  const answer = await openDialog(title, (close) => {
    const cancel = h("button", { type: "button", click: () => close() }, t("cancel"));
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
 * Shows a secret, to be copied.
 *
 * @param {string} title
 * @param {string} secret
 * @param {string} [about]
 */
export function showSecret(title, secret, about = t("shownOnce")) {
  return openDialog(title, (close) => {
    const button = h("button", {
      type: "button",
      class: "primary",
      click: async () => {
        await copy(secret);
        button.textContent = t("copied");
        say(t("copied"));
      },
    }, t("copy"));
    return [
      h("p", null, about),
      h("p", null, h("code", { class: "secret", tabindex: "0" }, secret)),
      h(
        "div",
        { class: "actions" },
        button,
        h("button", { type: "button", click: () => close() }, t("done")),
      ),
    ];
  });
}
