/** @import { Child } from "./dom.js" */
/** @import { Field, Values } from "./form.js" */
/** @import { Visit } from "./main.js" */
import { call } from "./client.js";
import { button, copy, duration, h, say, t } from "./dom.js";
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
 * @param {{ submit: string, about?: Child, danger?: boolean, cancel?: string,
 *   act?: (values: Values) => unknown }} options
 */
export async function ask(title, fields, { submit, about, danger, cancel = t("cancel"), act }) {
  const answer = await openDialog(title, (close) => {
    const autofocus = danger && fields.length === 0;
    return [
      about && h("p", { class: "soft" }, about),
      form(fields, {
        submit,
        danger,
        also: button(cancel, () => close(), { autofocus }),
        act: async (values) => {
          await act?.(values);
          close("done");
        },
      }),
    ];
  });
  return answer === "done";
}

/** Where something is done. @typedef {Pick<Visit, "signal" | "reload">} Here */

/**
 * @typedef {object} Task
 * @property {(values: Values, changed: Record<string, string | null>) => unknown} run Gets the values of
 *   the fields, and those that differ from what stood there, with null for what is empty. What it returns
 *   as `key` or `secret` is shown once.
 * @property {readonly Field[]} [fields]
 * @property {Child} [about]
 * @property {string} [name] Of what it is done to, where there are several.
 * @property {string} [title] Of the dialog; default the label and the name.
 * @property {string} [submit] Default the label.
 * @property {boolean} [danger]
 * @property {string} [cancel] What closes the dialog; default "Cancel".
 * @property {string} [to] The address of the place that is shown then; default this one, anew.
 */

/**
 * Does something, once it has asked where there is something to ask or to say before; shows the secret
 * that came of it, or says that it is done.
 *
 * @param {Here} visit
 * @param {string} label
 * @param {Task} options
 */
export async function task(visit, label, { run, fields = [], about, name, to, ...rest }) {
  const { title = name ? `${label}: ${name}` : label } = rest;
  /** @type {any} */
  let made;
  const act = async (/** @type {Values} */ values) => {
    const changed = fields.filter(({ name, value }) => values[name] !== (value ?? ""))
      .map(({ name }) => [name, values[name] || null]);
    made = await run(values, Object.fromEntries(changed));
  };
  if (about || fields.length > 0) {
    if (!await ask(title, fields, { submit: label, about, ...rest, act })) return;
  } else {
    try {
      await act({});
    } catch (error) {
      return visit.signal.aborted ? undefined : say(describe(error));
    }
  }
  const secret = made?.key ?? made?.secret;
  if (secret) await showSecret(title, secret);
  else say(t("done"));
  if (to === undefined) visit.reload();
  else location.hash = to;
}

/**
 * The button of a task.
 *
 * @param {Here} visit
 * @param {string} label
 * @param {Task & { attributes?: Record<string, unknown> }} options
 */
export function action(visit, label, { attributes, ...options }) {
  const { danger, name } = options;
  const pressed = button(label, async () => {
    if (pressed.ariaBusy) return;
    // A dialog shows by itself that something goes on.
    if (!options.fields && !options.about) pressed.ariaBusy = "true";
    await task(visit, label, options).finally(() => pressed.ariaBusy = null);
  }, { class: danger && "danger", "aria-label": name && `${label}: ${name}`, ...attributes });
  return pressed;
}

/**
 * The button that deletes something, once it has asked by its name.
 *
 * @param {Here} visit
 * @param {string} name
 * @param {{ path: string, to: string, done?: () => void }} options `done` is called once it is gone.
 */
export function deletion(visit, name, { path, to, done }) {
  const title = t("deleteIt", { name });
  const run = () => call("DELETE", path).then(done);
  return action(visit, t("delete"), { title, about: t("aboutDelete"), danger: true, run, to });
}

/**
 * The button that replaces a secret, which works on for as long as somebody chooses: up to so many days.
 *
 * @param {Here} visit
 * @param {string} path
 * @param {{ days: readonly number[], name?: string }} options
 */
export function rotation(visit, path, { days, ...options }) {
  const overlap = {
    ...{ name: "overlap", label: t("overlap"), type: "select", value: "24h" },
    options: [
      ["0s", t("notAtAll")],
      ["1h", duration(1, "hour")],
      ...days.map((many) => [`${many * 24}h`, duration(many, "day")]),
    ],
  };
  const run = (/** @type {Values} */ json) => call("POST", `${path}/rotate`, { json });
  return action(visit, t("rotate"), {
    fields: [overlap],
    about: t("aboutRotate"),
    run,
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
