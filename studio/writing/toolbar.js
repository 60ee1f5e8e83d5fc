// The field in which Markdown is written, with its buttons and keys.

/** @import { Command } from "./marks.js" */
/** @import { Selected } from "./selection.js" */
import { call } from "../client.js";
import { connection } from "../connection.js";
import { button, h, icon, isComposing, say, t } from "../dom.js";
import { isBlock, isInCode, putBlocks } from "./blocks.js";
import { COMMANDS, pasteLink } from "./marks.js";
import { differenceOf, movedPlace, putText } from "./selection.js";

const CHAIN =
  "M7 9a2.5 2.5 0 0 0 3.5 0l2-2A2.5 2.5 0 0 0 9 3.5l-1 1M9 7a2.5 2.5 0 0 0-3.5 0l-2 2A2.5 2.5 0 0 0 7 12.5l1-1";
const CODE = "M5.500 4.500 2 8l3.500 3.500m5-7L14 8l-3.500 3.500";
const PICTURE = "M2 3h12v10H2zm0 8 3.5-3.5 3 3 2-2L14 12M10.500 6.500h.01";
const LIST = "M6 4h8M6 8h8M6 12h8M2.500 4h.01M2.500 8h.01M2.500 12h.01";
const QUOTE =
  "M3 11V7.500C3 5.500 4.200 4.500 6 4.500M9.500 11V7.500c0-2 1.200-3 3-3M3 8.500h3V11H3zm6.500 0h3V11h-3z";
/** Formats that plain text would lose. */
const FORMATTED =
  /<(?:a|b|blockquote|code|del|em|h[1-6]|hr|i|img|li|ol|pre|s|strong|table|ul)[\s>]|font-weight:\s*(?:bold|[6-9]00)|font-style:\s*italic|mso-list/i;
const CONVERTED_MS = 5000;

/** The texts for parts that a conversion has lost, by the API's word. */
const LOST_PARTS = /** @type {const} */ ({
  picture: "lostPicture",
  "picture at an address that expires": "lostExpiring",
  drawing: "lostDrawing",
  formula: "lostFormula",
  video: "lostVideo",
  sound: "lostSound",
  "embedded content": "lostEmbedded",
  form: "lostForm",
  "phone link": "lostPhone",
  link: "lostLink",
  formatting: "lostFormat",
  "raised or lowered text": "lostRaised",
  table: "lostTable",
  layout: "lostLayout",
});

/** @param {string} part */
function nameLost(part) {
  const key = LOST_PARTS[/** @type {keyof typeof LOST_PARTS} */ (part)];
  return key === undefined ? part : t(key);
}

/** @param {HTMLTextAreaElement} field @returns {Selected} */
function selectedIn({ value: text, selectionStart: start, selectionEnd: end }) {
  return { text, start, end };
}

/**
 * Makes a change as if it were typed, so that one undo reverts all of it.
 *
 * @param {HTMLTextAreaElement} field
 * @param {Selected} next
 */
export function change(field, next) {
  field.focus();
  if (field.value !== next.text) {
    const { from, to, by } = differenceOf(field.value, next.text);
    field.setSelectionRange(from, to);
    if (!document.execCommand(by === "" ? "delete" : "insertText", false, by)) {
      field.setRangeText(by, from, to, "end");
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }
  field.setSelectionRange(next.start, next.end);
}

/**
 * Tracks a selection in a field while the person goes on typing.
 *
 * @param {HTMLTextAreaElement} field
 */
export function createBookmark(field) {
  let { text, start, end } = selectedIn(field);
  function read() {
    const now = field.value;
    [start, end] = [start, end].map((at) => movedPlace(at, text, now));
    text = now;
    return { text, start, end };
  }
  field.addEventListener("input", read);
  return { read, release: () => field.removeEventListener("input", read) };
}

/**
 * Finds the position in a text under the pointer; `undefined` if the browser can't tell.
 *
 * @param {HTMLTextAreaElement} field
 * @param {MouseEvent} at
 */
function placeUnder(field, { clientX, clientY }) {
  const found = document.caretPositionFromPoint?.(clientX, clientY);
  return found?.offsetNode === field ? found.offset : undefined;
}

/**
 * Turns a field into an editor of Markdown, and returns its toolbar. `takeImages` gets pictures
 * that are pasted, chosen, or dropped anywhere on the page; without it, the text takes none.
 *
 * @param {HTMLTextAreaElement} field
 * @param {((files: readonly File[]) => void) | undefined} takeImages
 * @param {AbortSignal} signal
 */
export function createToolbar(field, takeImages, signal) {
  /** @param {Command} command */
  function run(command) {
    const next = COMMANDS[command](selectedIn(field));
    if (next) change(field, next);
    return next !== undefined;
  }
  const chosen = h("input", {
    type: "file",
    accept: "image/png,image/jpeg,image/gif,image/webp",
    multiple: true,
    hidden: true,
    change: () => {
      takeImages?.([...chosen.files ?? []]);
      chosen.value = "";
    },
  });
  const commands = /** @type {const} */ ([
    ["bold", h("b", null, "B"), "b"],
    ["italic", h("i", null, "I"), "i"],
    ["link", icon(CHAIN), "k"],
    ["heading", "H", ""],
    ["list", icon(LIST), ""],
    ["quote", icon(QUOTE), ""],
    ["code", icon(CODE), "e"],
  ]);
  const buttons = commands.map(([name, sign, key]) => {
    const hint = key ? `${t(name)} (Ctrl+${key.toUpperCase()})` : t(name);
    return button(sign, () => run(name), { title: hint, "aria-label": hint });
  });
  const picture = button(icon(PICTURE), () => chosen.click(), {
    title: t("image"),
    "aria-label": t("image"),
  });

  field.addEventListener("keydown", (event) => {
    const { key } = event;
    if (isComposing(event) || event.altKey) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const found = commands.find(([, , other]) => other !== "" && other === key.toLowerCase());
    const isEnter = key === "Enter" && !isCommand && !event.shiftKey;
    if (isCommand && !event.shiftKey && found ? run(found[0]) || true : isEnter && run("enter")) {
      event.preventDefault();
    }
  });
  field.addEventListener("paste", (event) => {
    const data = event.clipboardData;
    if (data === null) return;
    const [text, html] = [data.getData("text/plain"), data.getData("text/html")];
    const images = [...data.files].filter(({ type }) => type.startsWith("image/"));
    const at = selectedIn(field);
    // In code, text is pasted unchanged, because anything else could end the code block.
    const isCode = isInCode(at);
    const linked = isCode ? undefined : pasteLink(at, text.trim());
    // A spreadsheet offers its cells as words and as a picture; the words are wanted.
    if (takeImages && images.length > 0 && text.trim() === "") takeImages(images);
    else if (linked) change(field, linked);
    else if (!isCode && FORMATTED.test(html)) void pasteFormatted(field, html, text);
    else return;
    event.preventDefault();
  });
  if (takeImages) onDrop(field, takeImages, signal);
  // A toolbar is one stop of the Tab key; arrow keys move between its buttons.
  const stops = takeImages ? [...buttons, picture] : buttons;
  const reach = (/** @type {number} */ number) => {
    const next = stops.at(number % stops.length);
    for (const stop of stops) stop.tabIndex = stop === next ? 0 : -1;
    return next;
  };
  reach(0);
  const keydown = (/** @type {KeyboardEvent} */ { key }) => {
    const forth = document.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
    if (!/^Arrow(?:Left|Right)$/.test(key)) return;
    const at = stops.findIndex((stop) => stop === document.activeElement);
    reach(at + (key === forth ? 1 : -1))?.focus();
  };
  const named = { role: "toolbar", "aria-label": "Markdown" };
  return h("div", { class: "marks", ...named, keydown }, stops, takeImages && chosen);
}

/**
 * Takes the files that are dropped anywhere on the page, at the position under the pointer.
 *
 * @param {HTMLTextAreaElement} field
 * @param {(files: readonly File[]) => void} takeImages
 * @param {AbortSignal} signal
 */
function onDrop(field, takeImages, signal) {
  // Otherwise, a file dropped beside the text would replace the page.
  document.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    field.classList.add("target");
    const at = placeUnder(field, event);
    field.focus({ preventScroll: true });
    if (at !== undefined) field.setSelectionRange(at, at);
  }, { signal });
  const endDrag = () => field.classList.remove("target");
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && endDrag(), {
    signal,
  });
  document.addEventListener("drop", (event) => {
    endDrag();
    const files = [...event.dataTransfer?.files ?? []];
    if (files.length === 0) return;
    event.preventDefault();
    const at = placeUnder(field, event);
    if (at !== undefined) field.setSelectionRange(at, at);
    if (document.querySelector("dialog") === null) takeImages(files);
  }, { signal });
}

/**
 * Pastes formatted text as Markdown, or as plain text if the server can't be reached. It is
 * inserted where the caret was at the paste; the caret moves behind it unless the person has moved
 * it.
 *
 * @param {HTMLTextAreaElement} field
 * @param {string} html
 * @param {string} text
 */
async function pasteFormatted(field, html, text) {
  const place = createBookmark(field);
  field.ariaBusy = "true";
  const insert = (/** @type {string} */ markdown) => {
    const at = place.read();
    const { selectionStart: caret } = field;
    const next = isBlock(markdown)
      ? putBlocks(at, markdown.replace(/\n+$/, ""))
      : putText(at, markdown);
    const isThere = caret >= at.start && caret <= at.end;
    const grown = next.text.length - at.text.length;
    const moved = isThere ? next.start : caret < at.start ? caret : caret + grown;
    change(field, { text: next.text, start: moved, end: moved });
  };
  try {
    if (connection.isLost) throw new Error("offline");
    const signal = AbortSignal.timeout(CONVERTED_MS);
    const json = { html };
    const { body, lost } = await call("POST", "changelogs/entries/markdown", { json, signal });
    insert(body || text);
    if (lost.length > 0) say(t("pasteLost", { what: lost.map(nameLost).join(", ") }));
  } catch {
    insert(text);
    say(t("pastedPlain"));
  } finally {
    field.ariaBusy = null;
    place.release();
  }
}
