/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />
// @ts-check

/**
 * @typedef {{ url: string, title: string, summary?: string, date_published: string }} Item
 * @typedef {{ title?: string, language?: string, items: Item[], _boardcast?: { accent: string[],
 *   dir: string, locale: string, timeZone: string, unread: string, close: string, all: string,
 *   none: string } }}
 *   Feed
 */

const base = new URL("../changelog", import.meta.url).href;
/** @type {Feed} */
const NOTHING = { items: [] };
const SHOWN = 10;
/** @type {Map<string, Promise<Feed>>} */
const feeds = new Map();
/** @type {Record<string, string>} */
const memory = {};
/** @type {Set<Changelog>} */
const shown = new Set();

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
:host { display: inline-block }
:host([hidden]) { display: none }
div { box-sizing: border-box; --accent: var(--boardcast-accent, light-dark(var(--light, #18191b), var(--dark, #eaebed))); --paper: var(--boardcast-background, light-dark(#fff, #131417)); --ink: var(--boardcast-color, light-dark(#18191b, #eaebed)); --line: color-mix(in srgb, var(--ink) 12%, var(--paper)); --soft: color-mix(in srgb, var(--ink) 70%, var(--paper)) }
button { all: unset; position: relative; cursor: pointer; padding: .4em .6em; border-radius: .5em }
:focus-visible { outline: .16rem solid var(--accent); outline-offset: -.16rem }
b { position: absolute; top: -.4em; inset-inline-end: -.5em; min-width: .9rem; padding: 0 .25rem; border-radius: 1rem; background: var(--accent); color: var(--paper); font: 700 .75rem/1.2rem system-ui; text-align: center }
[popover] { inset: auto; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: .75rem; background: var(--paper); color: var(--ink); box-shadow: 0 .75rem 2.5rem #0003; font: .9375rem/1.45 system-ui; width: var(--boardcast-width, 24rem); max-width: calc(100vw - 1rem); max-height: min(34rem, 80vh); overflow: auto; overflow-wrap: anywhere }
header, .all { position: sticky; top: 0; bottom: 0; padding: .75rem 1rem; background: var(--paper); border: solid var(--line); border-width: 0 0 1px; font-weight: 600; z-index: 1 }
header { display: flex; justify-content: space-between; align-items: center; font-size: 1.0625rem; letter-spacing: -.012em }
header button { display: grid; place-items: center; width: 2rem; height: 2rem; margin: -.5rem; padding: 0; font-size: .9375rem; color: var(--soft) }
header button:hover { background: var(--line) }
ul { list-style: none; margin: 0; padding: 0 }
li + li { border-top: 1px solid var(--line) }
a { display: block; padding: .625rem 1rem; color: inherit; text-decoration: none }
a:hover strong, .all:hover { text-decoration: underline }
strong { font-weight: 600 }
time, p { display: block; margin: 0; font-size: .8125rem; color: var(--soft) }
p[part] { display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden }
.new strong::before { content: ""; display: inline-block; width: .5rem; height: .5rem; border-radius: 50%; background: var(--accent); margin-inline-end: .375rem; forced-color-adjust: none }
.none { padding: 1rem }
.all { border-width: 1px 0 0 }
`);

/** @param {string} url */
function load(url) {
  // The browser sends If-None-Match by itself.
  const found = feeds.get(url) ??
    fetch(url, { cache: "no-cache", credentials: "omit", referrerPolicy: "no-referrer" })
      .then((response) => response.json())
      .then((feed) => Array.isArray(feed.items) ? feed : NOTHING).catch(() => NOTHING);
  feeds.set(url, found);
  return found;
}

/**
 * Returns when the newest entry was published that was read; `at` sets it.
 * @param {string} url
 * @param {string} [at]
 */
function lastRead(url, at) {
  if (at) memory[url] = at;
  try {
    const key = `boardcast ${url}`;
    if (at) localStorage.setItem(key, at);
    memory[url] = localStorage.getItem(key) ?? "";
  } catch {
    // The page remembers the value while it is open.
  }
  return memory[url] ?? "";
}

/**
 * @param {string} name
 * @param {object} properties
 * @param {(Node | string)[]} children
 */
function create(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** `<boardcast-changelog label="new">What's new</boardcast-changelog>` */
class Changelog extends HTMLElement {
  #panel = create("div", { part: "panel", popover: "auto", role: "dialog", tabIndex: -1 });
  #badge = create("b", { part: "badge", role: "img", hidden: true });
  #button = create(
    "button",
    {
      part: "button",
      ariaHasPopup: "dialog",
      ariaExpanded: "false",
      popoverTargetElement: this.#panel,
    },
    create("slot", {}),
    this.#badge,
  );
  #box = create("div", {}, this.#button, this.#panel);
  #url = "";
  /** @type {Feed} */
  #feed = NOTHING;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    root.append(this.#box);
    this.#panel.addEventListener("beforetoggle", (event) => {
      if (event.newState === "open") this.#render();
    });
    this.#panel.addEventListener("toggle", ({ newState }) => {
      const isOpen = newState === "open";
      this.#button.ariaExpanded = `${isOpen}`;
      if (isOpen) this.#opened();
      else removeEventListener("resize", this.#move);
    });
    this.#panel.onkeydown = ({ key }) => {
      if (key === "Escape") this.#close();
    };
  }

  async connectedCallback() {
    shown.add(this);
    const label = this.getAttribute("label");
    this.#url = `${base}.json${label ? `?label=${encodeURIComponent(label)}` : ""}`;
    this.#feed = await load(this.#url);
    const [light, dark] = this.#feed._boardcast?.accent ?? [];
    this.#box.style.cssText = light ? `--light: ${light}; --dark: ${dark}` : "";
    this.count();
  }

  disconnectedCallback() {
    shown.delete(this);
    removeEventListener("resize", this.#move);
  }

  count() {
    const since = lastRead(this.#url);
    const { items, language = "", _boardcast: texts } = this.#feed;
    const unread = items.filter((item) => item.date_published > since).length;
    const count = unread > SHOWN ? `${SHOWN}+` : `${unread}`;
    this.#badge.hidden = !unread;
    this.#badge.textContent = count;
    this.#badge.lang = language;
    this.#badge.ariaLabel = texts?.unread.replace("0", count) ?? null;
  }

  #close() {
    this.#panel.hidePopover();
    this.#button.focus();
  }

  #opened() {
    this.#move();
    addEventListener("resize", this.#move);
    this.#panel.focus();
    const newest = this.#feed.items.map((item) => item.date_published).sort().at(-1);
    if (newest) lastRead(this.#url, newest);
    for (const element of shown) element.count();
  }

  #move = () => {
    const button = this.#button.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height, style } = this.#panel;
    const left = this.matches(":dir(rtl)") ? button.right - width : button.left;
    const below = button.bottom + 8;
    const top = below + height < innerHeight || button.top < height
      ? below
      : button.top - height - 8;
    style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    style.top = `${Math.max(8, Math.min(top, innerHeight - height - 8))}px`;
  };

  #render() {
    const { items, title = this.textContent ?? "", language, _boardcast: texts } = this.#feed;
    const since = lastRead(this.#url);
    const rows = items.slice(0, SHOWN).map(({ url, title, summary = "", date_published: at }) => {
      const { locale = language, timeZone = "UTC" } = texts ?? {};
      const day = new Date(at).toLocaleDateString(locale, { dateStyle: "long", timeZone });
      const link = create(
        "a",
        { part: "entry", href: url },
        create("strong", { part: "title", dir: "auto" }, title),
        create("time", { part: "date", dateTime: at }, day),
        create("p", { part: "excerpt", dir: "auto" }, summary),
      );
      return create("li", { className: at > since ? "new" : "" }, link);
    });
    const close = create("button", { part: "close", ariaLabel: texts?.close }, "✕");
    close.onclick = () => this.#close();
    this.#panel.ariaLabel = title;
    if (language && texts) Object.assign(this.#panel, { lang: language, dir: texts.dir });
    this.#panel.replaceChildren(
      create("header", { part: "header" }, create("span", { dir: "auto" }, title), close),
      rows.length || !texts
        ? create("ul", {}, ...rows)
        : create("p", { className: "none" }, texts.none),
      create("a", { className: "all", part: "all", href: base }, texts?.all ?? title),
    );
  }
}

if (!customElements.get("boardcast-changelog")) {
  customElements.define("boardcast-changelog", Changelog);
}
