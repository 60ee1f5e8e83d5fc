/** @import { Child } from "./dom.js" */
/** @import { Column } from "./parts.js" */
/** @import { Visit } from "./places.js" */
import { ApiProblem, call } from "./client.js";
import { connection } from "./connection.js";
import { address, button, h, nodes, parse, setAddress, t } from "./dom.js";
import { describeWaiting, table } from "./parts.js";
import { describe, describeField } from "./form.js";
import { createWork } from "./work.js";

/** The address of the page before one, as far as this tab has been there. */
const before = new Map();
const SEARCH_AFTER_MS = 300;

/**
 * A filter that is set by links, and removed above the list.
 *
 * @typedef {object} Filter
 * @property {string} name
 * @property {string} remove The label of what removes it.
 * @property {(value: string) => string} [nameOf] Returns the name of a value; default the value.
 */

/**
 * A list of the API: its records, and what they can be found and filtered by. The address of the
 * place has the filters.
 *
 * @typedef {object} List
 * @property {string} name
 * @property {string} path
 * @property {readonly Column[]} columns
 * @property {Child} empty What is shown where there are no records at all: a sentence, or a button
 *   too.
 * @property {readonly [name: string, label: string]} [search] A filter that is typed.
 * @property {readonly [name: string, choices: readonly (readonly [value: string, label: string,
 *   waiting?: number])[], first?: string]} [tabs] The first tab is "All", or what `first` says.
 *   `waiting` is how many records wait there for a decision.
 * @property {readonly [label: string, choices: readonly (readonly [value: string, label:
 *   string])[]]} [kinds] More values of the tabs' filter, which one selects.
 * @property {readonly [name: string, choices: readonly (readonly [value: string, label:
 *   string])[]]} [order] The first order is the default.
 * @property {(given: Record<string, string | undefined>) => Record<string, string | undefined>}
 *   [toQuery] Makes the query of the API from the filters; default the filters.
 * @property {readonly Filter[]} [filters] Filters that are set by links.
 * @property {(data: readonly any[]) => Child} [show] Shows the records; default a table.
 */

/**
 * Shows a list. A search changes what is below its field, and never the field: no letter is lost
 * while somebody composes or types on.
 *
 * @param {Visit} visit
 * @param {List} list
 * @returns {Promise<Child>}
 */
export async function listing(visit, { name, path, columns, empty, search, tabs, ...options }) {
  const { filters = [], order, kinds, toQuery = (given) => given } = options;
  const { show = (data) => table(name, columns, data) } = options;
  const names = [
    ...filters.map(({ name }) => name),
    ...order ? [order[0]] : [],
    ...search ? [search[0]] : [],
    ...tabs ? [tabs[0]] : [],
  ];
  const region = h("div", { class: "list" });
  const links = h("nav", { class: "tabs", "aria-label": t("filter") });
  const problem = h("p", { class: "error", id: "search-error" });
  const kind = h("select", {
    "aria-label": kinds?.[0],
    change: () => location.hash = filtered({ [`${tabs?.[0]}`]: kind.value }),
  });
  const work = createWork({ element: region, signal: visit.signal });
  const field = search && h("input", {
    type: "search",
    "aria-label": search[1],
    placeholder: search[1],
    autocomplete: "off",
    spellcheck: "false",
    dir: "auto",
    "aria-describedby": problem.id,
    value: visit.query.get(search[0]) ?? "",
  });

  /** @param {URLSearchParams} query @param {AbortSignal} signal @returns {Promise<Child>} */
  async function read(query, signal) {
    const given = Object.fromEntries(names.map((key) => [key, query.get(key) ?? undefined]));
    const cursor = query.get("cursor") ?? undefined;
    const get = (/** @type {string | undefined} */ cursor) =>
      call("GET", path, { query: { ...toQuery(given), cursor, limit: "25" }, signal });
    let { data, nextCursor } = await get(cursor);
    // A search may come back before it has found anything.
    while (data.length === 0 && nextCursor) ({ data, nextCursor } = await get(nextCursor));
    if (data.length === 0 && !cursor) {
      const isFiltered = Object.values(given).some(Boolean);
      return h("div", { class: "empty" }, isFiltered ? h("p", null, t("noneLikeIt")) : empty);
    }
    const here = address(visit.parts, { ...given, cursor });
    const next = nextCursor && address(visit.parts, { ...given, cursor: nextCursor });
    if (next) before.set(next, here);
    const previous = cursor && (before.get(here) ?? address(visit.parts, given));
    return [
      show(data),
      (previous || next) && h(
        "nav",
        { class: "pages", "aria-label": t("pages") },
        previous ? h("a", { class: "button", href: previous }, t("previous")) : h("span"),
        next && h("a", { class: "button", href: next }, t("next")),
      ),
    ];
  }

  /** @param {URLSearchParams} query @param {number} [afterMs] */
  async function load(query, afterMs) {
    try {
      const content = await work.ask((signal) => read(query, signal), afterMs);
      if (content === undefined) return;
      region.replaceChildren(...nodes(content));
      problem.textContent = "";
      if (field) field.ariaInvalid = null;
    } catch (error) {
      // A refused search is mended in its field.
      const refused = error instanceof ApiProblem &&
        error.errors.find((one) => one.field === search?.[0]);
      if (!field || !refused) throw error;
      problem.textContent = describeField({ ...refused, value: field.value });
      field.ariaInvalid = "true";
    }
  }

  function drawTabs() {
    if (!tabs) return;
    const [name, choices, first = t("all")] = tabs;
    const chosen = parse(location.hash).query.get(name) ?? "";
    const all = /** @type {const} */ ([["", first], ...choices]);
    links.replaceChildren(...all.map(([value, label, waiting = 0]) => {
      const href = filtered({ [name]: value });
      const number = waiting > 0 && h("span", { class: "badge" }, describeWaiting(waiting));
      return h("a", { href, "aria-current": value === chosen && "true" }, label, number);
    }));
    if (!kinds) return;
    const isKind = kinds[1].some(([value]) => value === chosen);
    kind.replaceChildren(
      h("option", { value: "", hidden: true, selected: !isKind }, kinds[0]),
      ...kinds[1].map(([value, label]) =>
        h("option", { value, selected: value === chosen }, label)
      ),
    );
  }

  /** @param {number} [afterMs] */
  async function find(afterMs) {
    if (!field || !search) return;
    const to = filtered({ [search[0]]: field.value.trim() });
    if (!afterMs && to === location.hash) return;
    try {
      await load(parse(to).query, afterMs);
    } catch (error) {
      problem.textContent = describe(error);
      const isLost = error instanceof ApiProblem && error.code === "offline";
      const again = () => void find(SEARCH_AFTER_MS);
      const { signal } = visit;
      if (isLost) connection.addEventListener("back", again, { once: true, signal });
      return;
    }
    if (visit.signal.aborted || field.value.trim() !== (parse(to).query.get(search[0]) ?? "")) {
      return;
    }
    setAddress(to);
    drawTabs();
  }

  field?.addEventListener("input", (event) => {
    if (event instanceof InputEvent && event.isComposing) return;
    void find(SEARCH_AFTER_MS);
  });
  field?.addEventListener("compositionend", () => void find(SEARCH_AFTER_MS));
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    void find();
  };
  await load(visit.query);
  drawTabs();
  const chosen = filters.map((filter) => chosenFilter(filter, visit.query.get(filter.name)))
    .filter(Boolean);
  return [
    h("div", { class: "finding" }, [
      tabs && links,
      (field || order || chosen.length > 0) && h(
        "div",
        { class: "filters" },
        chosen,
        field && h("form", { role: "search", class: "search", submit }, field, problem),
        kinds && kind,
        order && createOrder(order, visit.query.get(order[0])),
      ),
    ]),
    region,
  ];
}

/**
 * Creates the choice of the order of a list.
 *
 * @param {NonNullable<List["order"]>} order
 * @param {string | null} chosen
 */
function createOrder([name, choices], chosen) {
  const select = h(
    "select",
    {
      "aria-label": t("order"),
      change: () => location.hash = filtered({ [name]: select.value }),
    },
    choices.map(([value, label]) => h("option", { value, selected: value === chosen }, label)),
  );
  return select;
}

/**
 * Creates the link that removes a filter, if it is set.
 *
 * @param {Filter} filter
 * @param {string | null} value
 */
function chosenFilter({ name, remove, nameOf = (value) => value }, value) {
  if (!value) return undefined;
  const label = nameOf(value);
  const href = filtered({ [name]: "" });
  return h("a", { class: "label", href, "aria-label": `${label}: ${remove}` }, `${label} ×`);
}

/**
 * The address of the list that is shown, with some filters changed.
 *
 * @param {Record<string, string>} filters
 */
export function filtered(filters) {
  const { parts, query } = parse(location.hash);
  const { cursor: _, ...given } = Object.fromEntries(query);
  return address(parts, { ...given, ...filters });
}

/**
 * Returns the content of an empty list: a sentence, and a copy of the place's button.
 *
 * @param {string} text
 * @param {HTMLElement | false} start
 */
export function emptyList(text, start) {
  const press = start && button(t("begin"), () => start.click(), { class: "primary" });
  return [h("p", null, text), press];
}
