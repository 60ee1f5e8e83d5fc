/** @typedef {Node | string | number | false | null | undefined} Leaf */
/** @typedef {Leaf | readonly (Leaf | readonly any[])[]} Child */

/**
 * Creates an element. Of its attributes, functions are listeners and `true` is an empty one; text is
 * always text.
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

/**
 * @param {Child} child
 * @returns {(Node | string)[]}
 */
export function nodes(child) {
  if (child === undefined || child === null || child === false) return [];
  if (child instanceof Node) return [child];
  return typeof child === "object" ? child.flatMap(nodes) : [`${child}`];
}

/**
 * Draws an icon of 16 by 16, which says nothing to a screen reader.
 *
 * @param {string} path
 */
export function icon(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.append(document.createElementNS("http://www.w3.org/2000/svg", "path"));
  /** @type {Element} */ (svg.firstChild).setAttribute("d", path);
  return svg;
}

const spoken = h("p", { role: "status", class: "toast" });

/**
 * Shows a message for some seconds, and has it read out.
 *
 * @param {string} text
 */
export function say(text) {
  if (!spoken.isConnected) document.body.append(spoken);
  spoken.textContent = text;
  clearTimeout(Number(spoken.dataset.timer));
  spoken.dataset.timer = `${setTimeout(() => spoken.textContent = "", 5000)}`;
}

/** @param {string} text */
export async function copy(text) {
  // Browsers give the clipboard to secure contexts only, so not over http from another machine.
  if (navigator.clipboard) return await navigator.clipboard.writeText(text);
  const input = h("textarea", { readonly: true }, text);
  (document.querySelector("dialog[open]") ?? document.body).append(input);
  input.select();
  document.execCommand("copy");
  input.remove();
}

/**
 * @param {string} name
 * @param {BlobPart} content
 * @param {string} type
 */
export function download(name, content, type) {
  const href = URL.createObjectURL(new Blob([content], { type }));
  const link = h("a", { href, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
