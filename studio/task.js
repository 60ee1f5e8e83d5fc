// Tasks: changes that a button starts. Each asks first if necessary, and its outcome is told.

/** @import { Child } from "./dom.js" */
/** @import { Field, Values } from "./form.js" */
/** @import { Visit } from "./places.js" */
import { ApiProblem, call } from "./client.js";
import { ask, openDialog } from "./dialog.js";
import { button, copy, h, parse, say, t } from "./dom.js";
import { forgetFormsAt } from "./drafts/form_words.js";
import { describe } from "./form.js";
import { carryOut, createWork } from "./work.js";

/** The place in which a task is started. @typedef {Pick<Visit, "isShown" | "reload">} Here */

/**
 * @typedef {object} Task
 * @property {(values: Values, changed: Record<string, string | null>) => unknown} run Gets the
 *   values of the fields, and those that were changed, with null for empty ones. A `key` or
 *   `secret` that it returns is shown once.
 * @property {string | ((made: any) => Child)} done The sentence that tells what was done.
 * @property {((error: unknown) => unknown) | "tell"} [recover] Finds out what came of it when the
 *   response was lost; by default it is run again. `tell`: running it again would do it twice.
 * @property {readonly Field[]} [fields]
 * @property {Child} [about]
 * @property {string} [name] The name of its object, where there are several.
 * @property {string} [id] The identifier of its object, under which this browser keeps what is
 *   typed; default the place and the name.
 * @property {string} [title] The title of the dialog; default the label and the name.
 * @property {string | ((values: Values) => string)} [submit] Default the label.
 * @property {boolean} [danger]
 * @property {string} [cancel] The label of the button that closes the dialog; default "Cancel".
 * @property {string | ((made: any) => string)} [to] The address of the place that is shown then;
 *   default this one, anew.
 * @property {HTMLElement} [near] The button at which an error is told.
 */

/**
 * Carries out a task, after a dialog if it has fields or a text. The task is completed and its
 * outcome is told wherever the visitor goes meanwhile.
 *
 * @param {Here} visit
 * @param {string} label
 * @param {Task} options
 */
export async function task(visit, label, { run, done, recover, fields = [], ...rest }) {
  const { about, name, id, to, near, title = name ? `${label}: ${name}` : label } = rest;

  async function act(/** @type {Values} */ values) {
    const changed = fields.filter(({ name, value }) => values[name] !== (value ?? ""))
      .map(({ name }) => [name, values[name] || null]);
    const attempt = () => run(values, Object.fromEntries(changed));
    return await carryOut(attempt, recover === "tell" ? tellLost : recover ?? attempt);
  }

  async function finish(/** @type {any} */ made) {
    const secret = made?.key ?? made?.secret;
    const text = typeof done === "string" ? done : done(made);
    if (secret) await showSecret(title, secret, made.aboutSecret);
    else if (text) say(text);
    // A visitor who has left the place is not brought back.
    if (to === undefined) visit.reload();
    else if (visit.isShown()) location.hash = typeof to === "string" ? to : to(made);
  }

  if (about || fields.length > 0) {
    await ask(title, fields, {
      submit: label,
      ...rest,
      keep: [id ?? `${shownPlace()} ${name ?? ""}`, label].join(" "),
      async act(values, dialog) {
        const made = await act(values);
        dialog.close("done");
        void finish(made);
      },
    });
    return;
  }
  try {
    await finish(await act({}));
  } catch (error) {
    tellAt(near, `${title}: ${describe(error)}`);
  }
}

/**
 * Tells what went wrong beside the button that it is about, until it is pressed again; wherever the
 * visitor is, if the button is gone.
 *
 * @param {HTMLElement | undefined} near
 * @param {string} text Empty: nothing did.
 */
export function tellAt(near, text) {
  // A menu has closed.
  const at = near?.closest("[popover]")?.parentElement ?? near?.parentElement;
  at?.querySelector(":scope > .problem")?.remove();
  if (text === "") return;
  if (at?.isConnected) at.append(h("p", { class: "error problem", role: "alert" }, text));
  else say(text, { stays: true });
}

/** Throws the error that the outcome of a task is unknown. */
function tellLost() {
  throw new ApiProblem({ status: 0, code: "unknown_outcome" });
}

/**
 * Creates the button of a task.
 *
 * @param {Here} visit
 * @param {string} label
 * @param {Task & { attributes?: Record<string, unknown> }} options
 */
export function action(visit, label, { attributes, ...options }) {
  const { danger, name } = options;
  const isAsked = options.fields || options.about;
  const element = button(label, () => {
    tellAt(element, "");
    // Each dialog has its own owner of work.
    if (isAsked) void task(visit, label, options);
    else void work.change(() => task(visit, label, { ...options, near: element }));
  }, { class: danger && "danger", "aria-label": name && `${label}: ${name}`, ...attributes });
  const work = createWork({ element });
  return element;
}

/** The place that is shown, under which this browser keeps what is typed there. */
function shownPlace() {
  return parse(location.hash).parts.join("/");
}

/**
 * Creates the button that deletes a record after a question with its name.
 *
 * @param {Here} visit
 * @param {string} name
 * @param {{ path: string, to?: string, about?: Child, done?: () => void }} options `to` is the
 *   address to which the visitor goes if this place is that of the record. `done` is called once it
 *   is gone.
 */
export function deletion(visit, name, { path, to, about = t("aboutDelete"), done }) {
  const place = shownPlace();
  const run = async () => {
    await call("DELETE", path).catch((error) => {
      // The browser may have sent the request twice.
      if (!(error instanceof ApiProblem && error.status === 404)) throw error;
    });
    if (to !== undefined) forgetFormsAt(place);
    done?.();
  };
  const title = t("deleteIt", { name });
  return action(visit, t("delete"), {
    title,
    about,
    danger: true,
    run,
    to,
    done: t("deletedIt", { name }),
  });
}

/**
 * Shows a secret with a button that copies it.
 *
 * @param {string} title
 * @param {string} secret
 * @param {string} [about] Without it, the secret is shown only once, and closing asks before it was
 *   copied.
 */
export function showSecret(title, secret, about) {
  let isCopied = about !== undefined;
  return openDialog(title, ({ close }) => {
    const copied = () => isCopied = true;
    const copying = button(t("copy"), async () => {
      await copy(secret);
      copied();
      copying.textContent = t("copied");
      say(t("copied"));
    }, { class: "primary" });
    return [
      h("p", null, about ?? t("shownOnce")),
      h("p", null, h("code", { class: "secret", tabindex: "0", copy: copied }, secret)),
      h("div", { class: "actions" }, copying, button(t("done"), () => close())),
    ];
  }, { isUnsaved: () => !isCopied, warning: t("notCopied") });
}
