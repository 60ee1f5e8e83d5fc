/** @import { Child } from "./dom.js" */
/** @import { Visit } from "./router.js" */
import { call } from "./client.js";
import { h } from "./dom.js";
import { address } from "./router.js";
import { t } from "./texts.js";

/**
 * A column: its cells are made from a record; a `wide` one is left out on a phone.
 *
 * @typedef {object} Column
 * @property {string} title
 * @property {(record: any) => Child} cell
 * @property {boolean} [wide]
 * @property {string} [class]
 */

/** Where the page before one is, as far as this tab has been there. */
const before = new Map();

/**
 * Shows one page of a list of the API. What it is filtered by stands in the URL.
 *
 * @param {Visit} visit
 * @param {{ name: string, path: string, filters?: readonly string[], query?: Record<string, string>,
 *   columns: readonly Column[], empty: Child }} options
 * @returns {Promise<Child>}
 */
export async function listing(visit, { name, path, filters = [], query, columns, empty }) {
  const given = Object.fromEntries(filters.map((key) => [key, visit.query.get(key) ?? undefined]));
  const cursor = visit.query.get("cursor") ?? undefined;
  const { data, nextCursor } = await call("GET", path, {
    query: { ...query, ...given, cursor, limit: "25" },
    signal: visit.signal,
  });
  if (data.length === 0 && !cursor) {
    const isFiltered = Object.values(given).some(Boolean);
    return h("div", { class: "empty" }, isFiltered ? h("p", null, t("noneLikeIt")) : empty);
  }
  const next = nextCursor && address(visit.parts, { ...given, cursor: nextCursor });
  if (next) before.set(next, location.hash);
  const previous = cursor && (before.get(location.hash) ?? address(visit.parts, given));
  return [
    table(name, columns, data),
    (previous || next) && h(
      "nav",
      { class: "pages", "aria-label": t("pages") },
      previous ? h("a", { href: previous }, t("previous")) : h("span"),
      next && h("a", { href: next }, t("next")),
    ),
  ];
}

/**
 * @param {string} name
 * @param {readonly Column[]} columns
 * @param {readonly unknown[]} rows
 */
export function table(name, columns, rows) {
  const classOf = (/** @type {Column} */ column) => ({
    class: column.class ?? (column.wide && "wide"),
  });
  return h(
    "table",
    null,
    h("caption", null, name),
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        columns.map((column) => h("th", { scope: "col", ...classOf(column) }, column.title)),
      ),
    ),
    h(
      "tbody",
      null,
      rows.map((row) =>
        h("tr", null, columns.map((column) => h("td", classOf(column), column.cell(row))))
      ),
    ),
  );
}

/**
 * Links that set a filter.
 *
 * @param {Visit} visit
 * @param {string} name
 * @param {readonly (readonly [value: string, label: string])[]} choices
 */
export function tabs(visit, name, choices) {
  const chosen = visit.query.get(name) ?? "";
  return h(
    "nav",
    { class: "tabs", "aria-label": t("filter") },
    choices.map(([value, label]) =>
      h("a", {
        href: address(visit.parts, { [name]: value }),
        "aria-current": value === chosen && "true",
      }, label)
    ),
  );
}

/**
 * The state of something, in a word.
 *
 * @param {string} state
 * @param {string} label
 */
export function pill(state, label) {
  return h("span", { class: `pill ${state}` }, label);
}
