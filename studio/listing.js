/** @import { Child, Column } from "./dom.js" */
/** @import { Visit } from "./main.js" */
import { call, may } from "./client.js";
import {
  address,
  date,
  entryAddress,
  h,
  head,
  parse,
  pill,
  t,
  table,
  titled,
  word,
} from "./dom.js";

/** Where the page before one is, as far as this tab has been there. */
const before = new Map();

/**
 * Shows one page of a list of the API. What it is filtered by stands in the URL.
 *
 * @param {Visit} visit
 * @param {{ name: string, path: string, filters?: readonly string[], columns: readonly Column[],
 *   empty: string }} options
 * @returns {Promise<Child>}
 */
export async function listing(visit, { name, path, filters = [], columns, empty }) {
  const given = Object.fromEntries(filters.map((key) => [key, visit.query.get(key) ?? undefined]));
  const cursor = visit.query.get("cursor") ?? undefined;
  const get = (/** @type {string | undefined} */ cursor) =>
    call("GET", path, { query: { ...given, cursor, limit: "25" }, signal: visit.signal });
  let { data, nextCursor } = await get(cursor);
  // A search may come back before it has found anything.
  while (data.length === 0 && nextCursor) ({ data, nextCursor } = await get(nextCursor));
  if (data.length === 0 && !cursor) {
    const isFiltered = Object.values(given).some(Boolean);
    return h("div", { class: "empty" }, isFiltered ? t("noneLikeIt") : empty);
  }
  const next = nextCursor && address(visit.parts, { ...given, cursor: nextCursor });
  if (next) before.set(next, location.hash);
  const previous = cursor && (before.get(location.hash) ?? address(visit.parts, given));
  return [
    table(name, columns, data),
    (previous || next) && h(
      "nav",
      { class: "pages", "aria-label": t("pages") },
      previous ? h("a", { class: "button", href: previous }, t("previous")) : h("span"),
      next && h("a", { class: "button", href: next }, t("next")),
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
  const links = [["", t("all")], ...choices].map(([value, label]) =>
    h("a", { href: filtered(name, value), "aria-current": value === chosen && "true" }, label)
  );
  return h("nav", { class: "tabs", "aria-label": t("filter") }, links);
}

/**
 * The address of the list that is shown, with one filter changed.
 *
 * @param {string} name
 * @param {string} value
 */
function filtered(name, value) {
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
  const input = () => {
    clearTimeout(timer);
    timer = setTimeout(go, 300);
  };
  const field = h("input", {
    ...{ type: "search", value: visit.query.get(name) ?? "", "aria-label": label },
    ...{ placeholder: label, autocomplete: "off", spellcheck: "false", dir: "auto", input },
  });
  function go() {
    clearTimeout(timer);
    const to = filtered(name, field.value.trim());
    if (!field.isConnected || to === location.hash) return;
    history.replaceState(null, "", to);
    visit.reload();
  }
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    go();
  };
  return h("form", { role: "search", class: "search", submit }, field);
}

/**
 * Shows the entries, which most people see first: so they are here, and a start needs one module less.
 *
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function show(visit) {
  const start = h("a", { class: "primary", href: address(["entries", "new"]) }, t("newEntry"));
  const chosen = visit.query.get("label");
  const toLabel = (/** @type {string} */ label) =>
    h("a", { class: "label", href: filtered("label", label) }, label);
  return [
    head(t("entries"), { actions: may("entries:write") && start }),
    h(
      "div",
      { class: "filters" },
      search(visit, "q", t("findEntries")),
      chosen && h(
        "a",
        { class: "label", href: filtered("label", ""), "aria-label": t("allLabels") },
        `${chosen} ×`,
      ),
    ),
    tabs(visit, "state", [
      ["draft", t("drafts")],
      ["scheduled", t("scheduled")],
      ["published", t("published")],
    ]),
    await listing(visit, {
      name: t("entries"),
      path: "changelogs/entries",
      filters: ["state", "label", "q"],
      columns: [
        [t("title"), ({ entryId, title, labels }) => [
          titled(entryAddress(entryId), title),
          labels.map(toLabel),
        ]],
        [t("state"), ({ state }) => pill(state, word(state))],
        [t("date"), ({ publishedAt, updatedAt }) => date(publishedAt ?? updatedAt), "wide"],
      ],
      empty: t("noEntries"),
    }),
  ];
}
