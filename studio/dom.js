/** @import { Texts } from "./texts/en.js" */

/** @typedef {Node | string | number | false | null | undefined} Leaf */
/** @typedef {Leaf | readonly (Leaf | readonly any[])[]} Child */
/** @typedef {keyof Texts} TextKey */

/** The language of the page, which the server chose. */
export const LANGUAGE = document.documentElement.lang;

/** @type {{ default: Texts }} */
const { default: texts } = await import(`./texts/${LANGUAGE}.js`);

/**
 * Returns a text in the language of the page, with `{name}` replaced.
 *
 * @param {keyof Texts} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  return texts[key].replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    return typeof value === "number" ? count(value) : `${value}`;
  });
}

/**
 * Returns the text for a word of the API, or the word itself if there is none.
 *
 * @param {string} word
 */
export function word(word) {
  return texts[/** @type {keyof Texts} */ (word)] ?? word;
}

/** Returns the sentence that names the missing scope. @param {string} scope */
export function lacks(scope) {
  return t("lacks", { what: word(scope), scope });
}

// The pages use the digits of the surrounding text, and so does the studio.
const LOCALE = { en: "en-GB", ar: "ar-u-nu-latn" }[LANGUAGE] ?? LANGUAGE;

/** @param {number} number */
export function count(number) {
  return new Intl.NumberFormat(LOCALE).format(number);
}

/** @param {number} number @param {"hour" | "day"} unit */
export function duration(number, unit) {
  return new Intl.NumberFormat(LOCALE, { style: "unit", unit, unitDisplay: "long" }).format(number);
}

/** The time zone of the public pages. */
const TIME_ZONE = document.documentElement.dataset.timeZone;

/**
 * Formats a time of the API in the time zone of the pages; `null` as a dash. A time that is still
 * to come is also told in the reader's zone, if that differs.
 *
 * @param {string | null | undefined} time
 */
export function date(time) {
  const isOwn = TIME_ZONE === Intl.DateTimeFormat().resolvedOptions().timeZone;
  /** @type {Intl.DateTimeFormatOptions} */
  const style = isOwn ? { dateStyle: "medium", timeStyle: "short" } : {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: TIME_ZONE,
    timeZoneName: "short",
  };
  if (!time) return "–";
  const at = new Date(time);
  const text = new Intl.DateTimeFormat(LOCALE, style).format(at);
  if (isOwn || at.getTime() <= Date.now()) return text;
  const own = new Intl.DateTimeFormat(LOCALE, { ...style, timeZone: undefined }).format(at);
  return `${text} (${own})`;
}

const HOUR_MS = 3_600_000;
/** The units of ages, and their lengths. */
const AGES = /** @type {const} */ ([
  ["year", 365 * 24 * HOUR_MS],
  ["month", 30 * 24 * HOUR_MS],
  ["day", 24 * HOUR_MS],
  ["hour", HOUR_MS],
  ["minute", HOUR_MS / 60],
]);

/** Says how long ago a time of the API is, in one unit: "3 d". @param {string} time */
export function age(time) {
  const ms = Math.max(0, Date.now() - Date.parse(time));
  const [unit, length] = AGES.find(([, length]) => ms >= length) ?? AGES[4];
  const unitDisplay = unit === "month" ? "short" : "narrow";
  const format = new Intl.NumberFormat(LOCALE, { style: "unit", unit, unitDisplay });
  return h("time", { datetime: time, title: date(time) }, format.format(Math.floor(ms / length)));
}

/**
 * Creates an element. Functions among the attributes become listeners, and `true` becomes an empty
 * attribute. Text is never parsed as HTML.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, unknown> | null} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") {
      element.addEventListener(key, /** @type {EventListener} */ (value));
    } else if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(key, value === true ? "" : `${value}`);
    }
  }
  element.append(...nodes(children));
  return element;
}

/** @param {Child} child @returns {(Node | string)[]} */
export function nodes(child) {
  if (child === undefined || child === null || child === false) return [];
  if (child instanceof Node) return [child];
  return typeof child === "object" ? child.flatMap(nodes) : [`${child}`];
}

/**
 * Replaces the content of an element, and restores the focus.
 *
 * @param {HTMLElement} element
 * @param {Child} content
 */
export function redraw(element, content) {
  const had = document.activeElement;
  const isWithin = element.contains(had);
  const nameOf = (/** @type {Element} */ { tagName, ariaLabel, textContent, id }) =>
    `${tagName} ${ariaLabel ?? textContent} ${id}`;
  /** @type {HTMLInputElement | null} */
  const search = element.querySelector("[type=search]");
  element.replaceChildren(...nodes(content));
  if (search) retype(element.querySelector("[type=search]"), search);
  if (!isWithin || had === null) return;
  const same = [...element.querySelectorAll(had.tagName)].find((one) =>
    nameOf(one) === nameOf(had)
  );
  const next = had.isConnected ? had : same ?? element.querySelector("[data-next]");
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
}

/**
 * Copies letters into a new search field that were typed into the old one.
 *
 * @param {HTMLInputElement | null} field
 * @param {HTMLInputElement} before
 */
function retype(field, { value, selectionStart, selectionEnd }) {
  if (field === null || field.value === value) return;
  field.value = value;
  field.setSelectionRange(selectionStart, selectionEnd);
  field.dispatchEvent(new Event("input"));
}

/** Draws an icon of 16 × 16 pixels, hidden from screen readers. @param {string} path */
export function icon(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.append(document.createElementNS("http://www.w3.org/2000/svg", "path"));
  /** @type {Element} */ (svg.firstChild).setAttribute("d", path);
  return svg;
}

/**
 * Creates a button outside forms.
 *
 * @param {Child} label
 * @param {(event: MouseEvent) => unknown} click
 * @param {Record<string, unknown>} [attributes]
 */
export function button(label, click, attributes) {
  return h("button", { type: "button", click, ...attributes }, label);
}

const toast = h("div", { role: "status", class: "toast" });
const SHOWN_MS = 5000;
const ACTION_MS = 12_000;
let hiding = 0;

/**
 * Shows a message, which screen readers announce. It disappears after some seconds, unless it
 * `stays` until it is closed.
 *
 * @param {Child} message
 * @param {{ stays?: boolean, action?: readonly [label: string, run: () => unknown] }} [options]
 */
export function say(message, { stays = false, action } = {}) {
  if (!toast.isConnected) document.body.append(toast);
  clearTimeout(hiding);
  const hide = () => toast.replaceChildren();
  const run = action && (() => {
    hide();
    action[1]();
  });
  toast.replaceChildren(
    h("span", null, message),
    ...nodes(run && button(action[0], run, { class: "link" })),
    ...nodes(stays && button(t("close"), hide, { class: "link" })),
  );
  if (!stays) hiding = setTimeout(hide, action ? ACTION_MS : SHOWN_MS);
}

/**
 * Tells whether a key belongs to an input method. Safari reports the Enter that ends a composition
 * afterwards, as key 229.
 *
 * @param {KeyboardEvent} event
 */
export function isComposing(event) {
  return event.isComposing || event.keyCode === 229;
}

/** @param {string} text */
export async function copy(text) {
  // Browsers offer the clipboard only in secure contexts, so not over http from another machine.
  if (navigator.clipboard) return await navigator.clipboard.writeText(text);
  const input = h("textarea", { readonly: true }, text);
  (document.querySelector("dialog[open]") ?? document.body).append(input);
  input.select();
  document.execCommand("copy");
  input.remove();
}

/** @param {string} name @param {BlobPart} content @param {string} type */
export function download(name, content, type) {
  const href = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/**
 * Returns the address of a place, without empty values.
 *
 * @param {readonly string[]} parts
 * @param {Record<string, string | undefined>} [query]
 */
export function address(parts, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value);
  const text = new URLSearchParams(/** @type {[string, string][]} */ (given)).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${text && `?${text}`}`;
}

/**
 * Returns the parts of an entry's address. The address of an entry `new` differs from the place
 * that creates one.
 *
 * @param {string} entryId
 */
export function entryParts(entryId) {
  return entryId === "new" ? ["entries", entryId, "edit"] : ["entries", entryId];
}

/** @param {string} entryId */
export function entryAddress(entryId) {
  return address(entryParts(entryId));
}

/**
 * Changes the address of the current visit.
 *
 * @param {string} hash
 */
export function setAddress(hash) {
  if (hash !== location.hash) history.replaceState(history.state, "", hash);
}

/** Parses the address of a place. @param {string} hash */
export function parse(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { parts, query: new URLSearchParams(query) };
}
