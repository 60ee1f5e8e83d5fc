import { call } from "./client.js";
import { BASE, may } from "./session.js";
import { h, LANGUAGE, t } from "./dom.js";
import { createWork } from "./work.js";

const PAUSE_MS = 250;
/** The preview loads pictures from this server, whatever their public address is. */
const PUBLIC_IMAGES = `src="${document.documentElement.dataset.changelog}/images/`;
const IMAGES = `src="${new URL("changelog/images/", BASE)}`;

/** Only here, HTML of the server becomes elements. The policy of the page runs none of it. */
export const trusted = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("preview", {
  createHTML: (/** @type {string} */ html) => html,
}) ?? { createHTML: (/** @type {string} */ html) => html };

/** The Markdown that this tab has seen rendered, and the HTML of it. @type {Map<string, string>} */
const known = new Map();
const MAX_KNOWN = 200;

/**
 * Requests the HTML of a text; `undefined` if the server can't be reached, or may not tell.
 *
 * @param {string} body
 * @param {AbortSignal} signal
 */
async function render(body, signal) {
  const html = known.get(body);
  if (html !== undefined || !may("entries:read")) return html;
  const json = { title: "–", body };
  const made = await call("POST", "changelogs/entries/preview", { json, signal }).catch(() => {});
  if (known.size >= MAX_KNOWN) known.clear();
  if (made) known.set(body, made.html);
  return made?.html;
}

/**
 * Shows Markdown as readers see it; as it was written, until the server has rendered it.
 *
 * @param {string} body
 * @param {{ signal: AbortSignal, finish?: (element: Element) => void }} options `finish` changes
 *   what is shown.
 */
export function rendered(body, { signal, finish = () => {} }) {
  const element = h("div", { class: "words", dir: "auto" }, body);
  finish(element);
  void render(body, signal).then((html) => {
    if (html === undefined) return;
    element.classList.add("rendered");
    element.innerHTML = trusted.createHTML(html.replaceAll(PUBLIC_IMAGES, IMAGES));
    for (const link of element.querySelectorAll("a")) {
      link.target = "_blank";
      link.rel = "noopener nofollow";
    }
    finish(element);
  });
  return element;
}

const SHELL = `<!doctype html><html lang="${LANGUAGE}" dir="${
  document.dir || "ltr"
}"><meta charset="utf-8">
<meta name="color-scheme" content="light dark"><base target="_blank">
<link rel="stylesheet" href="${new URL("studio/preview.css", BASE)}">
<body class="narrow"><main><article><h2 class="title" dir="auto"></h2>
<div class="body" dir="auto"></div></article></main>`;

/**
 * Shows the entry as readers will see it. `update` asks the server after a pause in typing.
 *
 * @param {AbortSignal} signal
 */
export function createPreview(signal) {
  // The frame runs no scripts, so it may have the same origin. This lets it keep its scroll
  // position while the person types.
  const sandbox = "allow-same-origin allow-popups allow-popups-to-escape-sandbox";
  const frame = h("iframe", { title: t("preview"), sandbox, tabindex: "0" });
  frame.srcdoc = trusted.createHTML(SHELL);
  const work = createWork({ signal });
  let latest = { title: "", html: "" };
  let part = 0;

  function draw() {
    const page = frame.contentDocument;
    const [title, body] = [page?.querySelector(".title"), page?.querySelector(".body")];
    if (!title || !body) return;
    title.textContent = latest.title;
    body.innerHTML = trusted.createHTML(latest.html.replaceAll(PUBLIC_IMAGES, IMAGES));
    place();
  }

  /** Scrolls the preview to the part that is being written. */
  function place() {
    const page = frame.contentDocument?.documentElement;
    page?.scrollTo(0, part * (page.scrollHeight - page.clientHeight));
  }
  frame.addEventListener("load", draw);

  /** @param {{ title: string, body: string }} words */
  async function update({ title, body }) {
    const json = { title: title.trim() || "–", body };
    const render = async (/** @type {AbortSignal} */ signal) => {
      if (body === "") return "";
      return (await call("POST", "changelogs/entries/preview", { json, signal })).html;
    };
    // Without a connection, the last preview stays.
    const html = await work.ask(render, PAUSE_MS).catch(() => undefined);
    if (html === undefined) return;
    latest = { title, html };
    draw();
  }

  return {
    frame,
    /** Scrolls the preview along with the text. @param {HTMLElement} text */
    follow(text) {
      const { top, height } = text.getBoundingClientRect();
      const room = height - innerHeight / 2;
      part = room > 0 ? Math.min(1, Math.max(0, (innerHeight / 4 - top) / room)) : 0;
      place();
    },
    update,
    /**
     * Takes files that are dropped on the preview.
     *
     * @param {(files: readonly File[]) => void} take
     */
    takeFiles(take) {
      frame.addEventListener("load", () => {
        const page = frame.contentDocument;
        page?.addEventListener("dragover", (event) => event.preventDefault());
        page?.addEventListener("drop", (event) => {
          event.preventDefault();
          const files = [...event.dataTransfer?.files ?? []];
          if (files.length > 0 && document.querySelector("dialog") === null) take(files);
        });
      });
    },
  };
}
