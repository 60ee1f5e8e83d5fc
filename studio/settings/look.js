import { BASE } from "../session.js";
import { h, t } from "../dom.js";
import { trusted } from "../preview.js";
import { createWork } from "../work.js";

const PAUSE_MS = 150;

/**
 * The settings that the head of a page shows; logos by their addresses.
 *
 * @typedef {{ title: string, home: string, accent: string, language: string,
 *   logo: string | null, logoDark: string | null }} Shown
 */

const SHELL = `<!doctype html><html><meta charset="utf-8">
<meta name="color-scheme" content="light dark"><base target="_blank">
<body class="wide">`;

/**
 * Shows the head of a page as the server would write it. `update` asks after a pause in typing.
 *
 * @param {AbortSignal} signal
 */
export function createLook(signal) {
  const sandbox = "allow-same-origin";
  const frame = h("iframe", { title: t("preview"), sandbox, tabindex: "-1" });
  frame.srcdoc = trusted.createHTML(SHELL);
  const work = createWork({ signal });
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  let style = "";

  /**
   * Loads a style before it takes the place of the former.
   *
   * @param {Document} page
   * @param {string} accent
   */
  function dress(page, accent) {
    const href = fileOf("preview.css", { accent }).href;
    if (href === style) return;
    style = href;
    const former = [...page.querySelectorAll("link")];
    const link = h("link", {
      rel: "stylesheet",
      href,
      load: () => {
        for (const one of former) one.remove();
      },
    });
    page.head.append(link);
  }

  return {
    element: frame,
    /** @param {Shown} shown */
    async update({ logo, logoDark, accent, ...words }) {
      const query = { ...words, logo: nameOf(logo), logoDark: nameOf(logoDark) };
      const found = await work.ask(async (signal) => {
        const response = await fetch(fileOf("head.json", query), { signal });
        return response.ok ? await response.json() : undefined;
      }, PAUSE_MS).catch(() => undefined);
      await loaded;
      const page = frame.contentDocument;
      // Without a connection, the last look stays.
      if (found === undefined || page === null) return;
      page.documentElement.lang = found.language;
      page.documentElement.dir = found.dir;
      page.body.innerHTML = trusted.createHTML(found.html);
      dress(page, accent);
    },
  };
}

/** @param {string} name @param {Record<string, string>} query */
function fileOf(name, query) {
  return new URL(`studio/${name}?${new URLSearchParams(query)}`, BASE);
}

/** The name of a logo, at the end of its address. @param {string | null} address */
function nameOf(address) {
  return address?.split("/").at(-1) ?? "";
}
