// The parts of which places are made: heads, lists, tables, menus.

/** @import { Child } from "./dom.js" */
import { count, h, t } from "./dom.js";

/**
 * Creates the head of a place: its title, the link above it, and its actions.
 *
 * @param {Child} title
 * @param {{ up?: readonly [href: string, label: string], actions?: Child }} [options]
 */
export function head(title, { up, actions } = {}) {
  return h(
    "div",
    { class: "head" },
    up && h("a", { class: "up", href: up[0] }, h("bdi", null, up[1])),
    h("h1", { dir: "auto" }, title),
    actions && h("div", { class: "actions" }, actions),
  );
}

/** Creates the link to a record in a list. @param {string} href @param {Child} name */
export function titled(href, name) {
  return h("a", { class: "title", href, dir: "auto" }, name);
}

/**
 * Creates a list of names and values: `facts` below each other, `numbers` side by side.
 *
 * @param {"facts" | "numbers"} kind
 * @param {readonly (readonly [name: string, value: Child])[]} rows
 */
export function facts(kind, rows) {
  const row = (/** @type {string} */ name, /** @type {Child} */ value) =>
    h("div", null, h("dt", null, name), h("dd", null, value));
  return h("dl", { class: kind }, rows.map(([name, value]) => row(name, value)));
}

/** The tones of common labels, the same as on the pages. @type {Record<string, number>} */
const TONES = {
  new: 0,
  added: 0,
  feature: 0,
  breaking: 2,
  removed: 2,
  security: 2,
  changed: 3,
  improved: 3,
  bug: 5,
  fix: 5,
  fixed: 5,
};

/** Returns the tone of a label, the same as on the pages. @param {string} label */
export function toneOf(label) {
  const sum = [...label].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0);
  return TONES[label] ?? sum % 6;
}

/** Creates the mark of a state. @param {string} state @param {string} label */
export function pill(state, label) {
  return h("span", { class: `pill ${state}` }, label);
}

/**
 * A column: its cells are made from a record. A `wide` one is left out on a phone; a `reason` has
 * several words; a `number` stands before the `main` one, which names the record.
 *
 * @typedef {readonly [title: string, cell: (record: any) => Child,
 *   kind?: "wide" | "reason" | "number" | "main"]} Column
 */

/** @param {string} name @param {readonly Column[]} columns @param {readonly unknown[]} rows */
export function table(name, columns, rows) {
  const row = (/** @type {(column: Column) => Child} */ cell) => h("tr", null, columns.map(cell));
  return h(
    "table",
    null,
    h("caption", null, name),
    h("thead", null, row(([title, , kind]) => h("th", { scope: "col", class: kind }, title))),
    h(
      "tbody",
      null,
      rows.map((one) => row(([, cell, kind]) => h("td", { class: kind }, cell(one)))),
    ),
  );
}

/**
 * Creates a menu that closes after a choice and restores the focus.
 *
 * @param {Child} items
 */
export function menu(items) {
  const list = h("div", { id: "more", class: "more", popover: true }, items);
  // The focus is restored before the chosen action runs, because a dialog remembers the focused
  // element.
  list.addEventListener("click", () => list.hidePopover(), { capture: true });
  return [
    h("button", { type: "button", popovertarget: list.id, "aria-label": t("more") }, "⋯"),
    list,
  ];
}

/** The largest number of ideas that wait for a decision that is shown. */
export const MAX_WAITING = 99;

/** @param {number} number */
export function describeWaiting(number) {
  if (number === 0) return "";
  return number > MAX_WAITING ? `${count(MAX_WAITING)}+` : count(number);
}
