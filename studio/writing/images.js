// Pictures in a text: from the clipboard, a folder or a phone to the server.

import { ApiProblem, call, path } from "../client.js";
import { connection } from "../connection.js";
import { BASE, parseStored } from "../session.js";
import { ask } from "../dialog.js";
import { button, h, say, t } from "../dom.js";
import { putBlocks } from "./blocks.js";
import { isMoving } from "./moving.js";
import { postFile } from "../upload.js";
import { addGuard, reconnected } from "../work.js";
import { change, createBookmark } from "./toolbar.js";

const IMAGES = new URL("api/v1/changelogs/images", BASE);
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const MAX_BYTES = 5 * 1024 * 1024;
/** Wider pictures take time to load, and no reader sees more of them. */
const MAX_WIDTH = 1600;
/** Colour profiles and comments before the pixels are shorter. */
const HEAD_BYTES = 1024 * 1024;
const JPEG_QUALITY = 0.86;

/** @typedef {{ name: string, blob: Blob }} Picture */

/**
 * Returns a function that inserts pictures into a field of Markdown. It uploads them while it asks
 * for their descriptions, and deletes those that are not wanted. They are inserted where the caret
 * was, and one undo removes them.
 *
 * @param {HTMLTextAreaElement} field
 * @param {{ progress: HTMLElement, signal: AbortSignal }} options `progress` shows how far it is
 *   once the dialog was closed.
 */
export function createImageTaker(field, { progress, signal }) {
  return async (/** @type {readonly File[]} */ files) => {
    const place = createBookmark(field);
    const prepared = await Promise.all(files.map(prepare));
    const pictures = prepared.filter((one) => one !== undefined);
    if (pictures.length > 0 && !signal.aborted) {
      await take(field, pictures, { place, progress, signal });
    }
    place.release();
  };
}

/**
 * @param {HTMLTextAreaElement} field
 * @param {readonly Picture[]} pictures
 * @param {{ place: ReturnType<typeof createBookmark>, progress: HTMLElement, signal: AbortSignal }}
 *   options
 */
async function take(field, pictures, { place, progress, signal }) {
  const stopped = new AbortController();
  const until = AbortSignal.any([signal, stopped.signal]);
  const parts = pictures.map(() => 0);
  const bar = h("progress", { max: 1, value: 0, "aria-label": t("progress") });
  const shown = h("span");
  const giveUp = button(t("cancel"), () => stopped.abort(), { class: "link" });
  const row = h("span", null, shown, " ", giveUp);

  /** @param {number} index @param {number} part */
  function show(index, part) {
    parts[index] = part;
    bar.value = parts.reduce((sum, one) => sum + one, 0) / parts.length;
    shown.textContent = `${t("image")} ${Math.round(bar.value * 100)} %`;
  }
  const sending = Promise.all(pictures.map(({ blob }, index) => {
    show(index, 0);
    return send(blob, { signal: until, onProgress: (part) => show(index, part) });
  }));
  // The person may cancel before the promise is awaited.
  sending.catch(() => {});

  let isWanted = false;
  let isClosed = false;
  /** @type {readonly string[] | undefined} */
  let lines;

  async function act(/** @type {Record<string, string>} */ texts) {
    isWanted = true;
    progress.append(row);
    const removeGuard = addGuard({
      leave: ({ go }) => {
        const options = { submit: t("leave"), cancel: t("stay"), about: t("pictureGoesOn") };
        void ask(t("image"), [], options).then((isSure) => isSure && go());
        return false;
      },
      isNeeded: () => true,
    });
    try {
      const sent = await sending;
      if (until.aborted) return;
      lines = sent.map(({ imageId }, index) => markdownOf(imageId, texts[index]));
      if (isClosed) insert(lines);
    } catch (error) {
      if (!until.aborted) throw error;
    } finally {
      removeGuard();
      row.remove();
    }
  }

  /** @param {readonly string[]} lines */
  function insert(lines) {
    const { text, start, end } = place.read();
    const isTyping = document.activeElement === field;
    const caret = isTyping ? field.selectionStart : start;
    // Typing continues below the picture.
    const blocks = lines.join("\n") + (end < text.length ? "" : "\n");
    const next = putBlocks({ text, start, end }, blocks);
    const grown = next.text.length - text.length;
    const isThere = caret >= start && caret <= end;
    const at = isThere ? next.start : caret < start ? caret : caret + grown;
    // An undo removes only the picture, and not the words typed before it.
    field.blur();
    change(field, { text: next.text, start: at, end: at });
  }

  const fields = pictures.map(({ name }, index) => ({
    name: `${index}`,
    label: pictures.length === 1 ? t("imageAlt") : `${t("imageAlt")}: ${name}`,
    hint: t("aboutAlt"),
  }));
  await ask(t("image"), fields, { submit: t("done"), about: bar, act });
  isClosed = true;
  if (lines) insert(lines);
  if (isWanted) return;
  stopped.abort();
  // A picture that was here before may belong to others, too.
  const made = await sending.catch(() => []);
  for (const { imageId, isNew } of made) {
    if (isNew) await call("DELETE", path`changelogs/images/${imageId}`).catch(() => {});
  }
}

/** @param {string} imageId @param {string} [text] */
function markdownOf(imageId, text = "") {
  const alt = text.trim().replace(/[[\]\\]/g, "\\$&").replace(/\s+/g, " ");
  return `![${alt}](images/${imageId})`;
}

/**
 * Turns a file into a picture, or tells why that is impossible.
 *
 * @param {File} file
 * @returns {Promise<Picture | undefined>}
 */
async function prepare(file) {
  const name = file.name || t("image");
  const blob = await scaled(file).catch(() => undefined);
  if (blob && TYPES.includes(blob.type) && blob.size <= MAX_BYTES) return { name, blob };
  say(t("noPicture", { name }), { stays: true });
}

/**
 * Uploads a picture; waits while the server can't be reached.
 *
 * @param {Blob} blob
 * @param {{ signal: AbortSignal, onProgress?: (part: number) => void }} options
 */
async function send(blob, options) {
  while (true) {
    try {
      let isNew = false;
      const onStatus = (/** @type {number} */ status) => void (isNew = status === 201);
      const text = await postFile(IMAGES, blob, { type: blob.type, onStatus, ...options });
      const { imageId } = parseStored(text) ?? {};
      if (typeof imageId !== "string") {
        throw new ApiProblem({ status: 200, code: "strange_response" });
      }
      return { imageId, isNew };
    } catch (error) {
      if (!(error instanceof ApiProblem && error.code === "offline")) throw error;
      connection.lose();
      await reconnected(options.signal);
    }
  }
}

/**
 * Uploads pictures outside a text; reports files that are no pictures.
 *
 * @param {readonly File[]} files
 * @param {AbortSignal} signal
 */
export async function addPictures(files, signal) {
  for (const file of files) {
    const picture = await prepare(file);
    if (picture) await send(picture.blob, { signal });
  }
}

/**
 * Makes a wide picture narrower, and converts unsupported formats to JPEG. Leaves animations
 * unchanged.
 *
 * @param {File} file
 * @returns {Promise<Blob>}
 */
async function scaled(file) {
  if (isMoving(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()))) return file;
  const bitmap = await createImageBitmap(file);
  const { width, height } = bitmap;
  const isTaken = TYPES.includes(file.type);
  if (isTaken && width <= MAX_WIDTH && file.size <= MAX_BYTES) return file;
  const factor = Math.min(1, MAX_WIDTH / width);
  const canvas = new OffscreenCanvas(Math.round(width * factor), Math.round(height * factor));
  const drawing = canvas.getContext("2d");
  if (drawing === null) throw new TypeError("no room to draw");
  drawing.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const png = file.type === "image/png" ? await canvas.convertToBlob() : undefined;
  if (png && png.size <= MAX_BYTES) return png;
  // Without a background, transparent parts would become black.
  drawing.globalCompositeOperation = "destination-over";
  drawing.fillStyle = "white";
  drawing.fillRect(0, 0, canvas.width, canvas.height);
  return await canvas.convertToBlob({ type: "image/jpeg", quality: JPEG_QUALITY });
}
