/** @import { Child } from "../dom.js" */
/** @import { Draft, Fault } from "../drafts/draft.js" */
/** @import { Keeper } from "../keeper.js" */
import { may, Problem } from "../client.js";
import { address, button, h, t } from "../dom.js";
import { isLive } from "../drafts/draft.js";
import { describe } from "../form.js";
import { showConflict } from "./conflict.js";

/**
 * Says what keeps the words of an editor from being stored, and offers what can be done.
 *
 * @param {{ keeper: Keeper, now: string, title: HTMLElement, body: HTMLElement }} editor
 * @returns {Child}
 */
export function noteOf({ keeper, now, title, body }) {
  const { draft } = keeper;
  const note = (/** @type {string} */ text, /** @type {Child} */ actions) =>
    h("div", { class: "note" }, h("p", null, text), h("div", { class: "actions" }, actions));
  switch (now) {
    case "conflict":
      return showConflict(draft, keeper.resolve);
    case "gone":
      return note(t("isDeleted"), [
        button(t("keepBoth"), () => {
          keeper.again();
          history.replaceState(null, "", address(["entries", "new"]));
        }),
        button(t("discard"), () => {
          keeper.discard();
          location.hash = address(["entries"]);
        }),
      ]);
    case "held":
      return note(t("restored"), [
        button(t("goOn"), () => {
          keeper.accept();
          body.focus();
        }),
        button(t("discard"), () => {
          keeper.discard();
          title.focus();
        }),
      ]);
    default:
      return draft.fault && h("p", { class: "error" }, sentence(draft.fault));
  }
}

/** What it would take to write. @param {Draft} draft */
export function lacking(draft) {
  return may("entries:write") && isLive(draft) ? "entries:publish" : "entries:write";
}

/** @param {Fault} fault */
export function sentence(fault) {
  return describe(fault instanceof Problem ? fault : new Problem({ ...fault, errors: [] }));
}
