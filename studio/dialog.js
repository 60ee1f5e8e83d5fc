// Dialogs, which ask before they lose what was typed or what works.

/** @import { Child } from "./dom.js" */
/** @import { Field, Values } from "./form.js" */
/** @import { Work } from "./work.js" */
import { button, h, isComposing, t } from "./dom.js";
import { form } from "./form.js";
import { addGuard, createWork } from "./work.js";

/**
 * An open dialog.
 *
 * @typedef {object} Dialog
 * @property {(value?: string) => void} close
 * @property {() => boolean} leave Closes it, or asks first where that would lose something.
 * @property {Work} work What it has under way.
 */

let dialogs = 0;

/**
 * Opens a dialog. Escape and Back close it; it asks first while it works, or if `isUnsaved` tells
 * that typed words would be given up. Returns the value with which it was closed.
 *
 * @param {string} title
 * @param {(dialog: Dialog) => Child} content
 * @param {{ isUnsaved?: () => boolean, isUnkept?: () => boolean, discard?: () => void, warning?:
 *   string }} [options] `isUnkept` tells whether closing the tab would lose something; by default
 *   it is `isUnsaved`. `discard` gives up what was typed. `warning` says what would be lost.
 * @returns {Promise<string>}
 */
export function openDialog(title, content, options = {}) {
  const { isUnsaved = () => false, isUnkept = isUnsaved, discard, warning } = options;
  const { promise, resolve } = Promise.withResolvers();
  const id = `dialog-${++dialogs}`;
  // Without `closedby`, a second Escape would close a dialog without asking.
  const element = h("dialog", { "aria-labelledby": id, closedby: "none" });
  const work = createWork({ element });
  const question = h("div", { class: "note", role: "alert" });
  /** @type {Element | null} */
  let asked;
  const opener = document.activeElement;
  // Browsers restore the focus of a text field with the caret at its start.
  const caret = opener instanceof HTMLTextAreaElement
    ? /** @type {const} */ ([opener.selectionStart, opener.selectionEnd])
    : undefined;
  const isAsking = () => question.childElementCount > 0;

  function goOn() {
    question.replaceChildren();
    if (asked instanceof HTMLElement) asked.focus();
  }

  /** @param {string} text @param {string} label @param {() => void} [end] */
  function ask(text, label, end) {
    asked = document.activeElement;
    const stay = button(t("goOn"), goOn);
    const closing = button(label, () => {
      end?.();
      close();
    }, { class: "danger" });
    const actions = [stay, closing];
    question.replaceChildren(h("p", null, text), h("div", { class: "actions" }, actions));
    stay.focus();
    question.scrollIntoView({ block: "nearest" });
  }

  function leave() {
    // Signing out has removed the dialog.
    if (!element.isConnected) removeGuard();
    else if (isAsking()) goOn();
    else if (work.isWorking) ask(t("stillWorking"), t("closeAnyway"));
    else if (isUnsaved()) ask(warning ?? t("typedIsLost"), t("discard"), discard);
    else close();
    return !element.isConnected;
  }

  function close(value = "") {
    if (!element.isConnected) return;
    removeGuard();
    document.removeEventListener("keydown", onKey);
    element.close();
    element.remove();
    if (caret && opener instanceof HTMLTextAreaElement) opener.setSelectionRange(...caret);
    // The button that opened the dialog may have been redrawn meanwhile.
    if (document.activeElement === document.body) sameAs(opener)?.focus({ preventScroll: true });
    resolve(value);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.key !== "Escape" || isComposing(event)) return;
    if ([...document.querySelectorAll("dialog")].at(-1) !== element) return;
    event.preventDefault();
    leave();
  }

  const dialog = { close, leave, work };
  element.append(
    h("h2", { id, dir: "auto" }, title),
    h("div", null, content(dialog)),
    question,
  );
  element.addEventListener("cancel", (event) => {
    event.preventDefault();
    leave();
  });
  document.addEventListener("keydown", onKey);
  const removeGuard = addGuard({
    // Back only closes the dialog.
    leave: ({ isBack }) => leave() && !isBack,
    isNeeded: () => element.isConnected && isUnkept(),
  });
  document.body.append(element);
  element.showModal();
  return promise;
}

/**
 * Finds the button that has replaced another one; if there is none, the heading.
 *
 * @param {Element | null} button
 */
function sameAs(button) {
  const nameOf = (/** @type {Element | null} */ one) => one?.ariaLabel ?? one?.textContent;
  /** @type {NodeListOf<HTMLElement>} */
  const found = document.querySelectorAll("main button");
  const buttons = [...found];
  const heading = /** @type {HTMLElement | null} */ (document.querySelector("main h1"));
  return buttons.find((one) => nameOf(one) === nameOf(button) && one.checkVisibility()) ?? heading;
}

/**
 * Opens a dialog with a form that closes once `act` is done. Returns whether `act` was done before
 * the dialog was closed. Enter does not submit a dangerous form.
 *
 * @param {string} title
 * @param {readonly Field[]} fields
 * @param {{ submit: string | ((values: Values) => string), about?: Child, danger?: boolean,
 *   cancel?: string, keep?: string, act?: (values: Values, dialog: Dialog) => unknown }} options
 *   The browser keeps what is typed under the name `keep`.
 */
export async function ask(title, fields, { submit, about, danger, cancel, keep, act }) {
  /** @type {ReturnType<typeof form> | undefined} */
  let element;
  const result = await openDialog(title, (dialog) => {
    const autofocus = danger && fields.length === 0;
    element = form(fields, {
      submit,
      danger,
      keep,
      work: dialog.work,
      also: button(cancel ?? t("cancel"), () => dialog.leave(), { autofocus }),
      async act(values) {
        await act?.(values, dialog);
        dialog.close("done");
      },
    });
    return [about && h("p", { class: "soft" }, about), element];
  }, {
    isUnsaved: () => element !== undefined && element.isTyped(),
    isUnkept: () => element !== undefined && element.isUnkept(),
    discard: () => element?.forget(),
  });
  return result === "done";
}
