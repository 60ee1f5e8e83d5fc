/** @import { Child, Column } from "./dom.js" */
/** @import { Visit } from "./main.js" */
import { call, may } from "./client.js";
import { address, date, entryAddress, h, head, parse, pill, t, table, word } from "./dom.js";

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
  const get = (/** @type {string | undefined} */ cursor) =>
    call("GET", path, { query: { ...query, ...given, cursor, limit: "25" }, signal: visit.signal });
  let { data, nextCursor } = await get(cursor);
  // A search may come back before it has found anything.
  while (data.length === 0 && nextCursor) ({ data, nextCursor } = await get(nextCursor));
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
 * Links that set a filter, and leave the others as they are.
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
        href: filtered(name, value),
        "aria-current": value === chosen && "true",
      }, label)
    ),
  );
}

/**
 * The address of the list that is shown, with one filter changed.
 *
 * @param {string} name
 * @param {string} value
 */
export function filtered(name, value) {
  const { parts, query } = parse(location.hash);
  const { cursor: _, ...given } = Object.fromEntries(query);
  return address(parts, { ...given, [name]: value });
}

/**
 * A field that finds records by what is typed, once nothing was typed for a moment.
 *
 * @param {Visit} visit
 * @param {string} name The filter that it sets.
 * @param {string} label
 */
export function search(visit, name, label) {
  let timer = 0;
  const field = h("input", {
    type: "search",
    value: visit.query.get(name) ?? "",
    "aria-label": label,
    placeholder: label,
    autocomplete: "off",
    spellcheck: "false",
    dir: "auto",
    input: () => {
      clearTimeout(timer);
      timer = setTimeout(go, 300);
    },
  });
  function go() {
    clearTimeout(timer);
    if (!field.isConnected) return;
    const to = filtered(name, field.value.trim());
    if (to === location.hash) return;
    history.replaceState(null, "", to);
    dispatchEvent(new Event("filtered"));
  }
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    go();
  };
  return h("form", { role: "search", class: "search", submit }, field);
}

/**
 * Shows the entries, which most people see first: so it is here, and a start needs one module less.
 *
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function showEntries(visit) {
  const start = may("entries:write") &&
    h("a", { class: "primary", href: address(["entries", "new"]) }, t("newEntry"));
  const label = visit.query.get("label");
  return [
    head(t("entries"), { actions: start }),
    h(
      "div",
      { class: "filters" },
      search(visit, "q", t("findEntries")),
      label && h(
        "a",
        { class: "label", href: filtered("label", ""), "aria-label": t("allLabels") },
        label,
        " ×",
      ),
    ),
    tabs(visit, "state", [
      ["", t("all")],
      ["draft", t("drafts")],
      ["scheduled", t("scheduled")],
      ["published", t("published")],
    ]),
    await listing(visit, {
      name: t("entries"),
      path: "changelogs/entries",
      filters: ["state", "label", "q"],
      columns: [
        {
          title: t("title"),
          cell: ({ entryId, title, labels }) => [
            h("a", { class: "title", href: entryAddress(entryId), dir: "auto" }, title),
            labels.map((/** @type {string} */ label) =>
              h("a", { class: "label", href: filtered("label", label) }, label)
            ),
          ],
        },
        { title: t("state"), cell: ({ state }) => pill(state, word(state)) },
        {
          title: t("date"),
          wide: true,
          cell: ({ publishedAt, updatedAt }) => date(publishedAt ?? updatedAt),
        },
      ],
      empty: [h("p", null, t("noEntries")), start && start.cloneNode(true)],
    }),
  ];
}
