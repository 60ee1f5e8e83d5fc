// Pictures in a text: from the clipboard, a folder or a phone to the server.

import { BASE, connection, Problem } from "./client.js";
import { ask } from "./dialog.js";
import { button, h, say, t } from "./dom.js";
import { describe } from "./form.js";
import { postFile } from "./upload.js";
import { movedPlace } from "./marks.js";
import { change } from "./writing.js";

const IMAGES = new URL("api/v1/changelogs/images", BASE);
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const MAX_BYTES = 5 * 1024 * 1024;
/** What is wider takes time to load, and no reader sees it. */
const MAX_WIDTH = 1600;
/** No colour profile or comment before the pixels is longer. */
const HEAD_BYTES = 1024 * 1024;
const JPEG_QUALITY = 0.86;

/**
 * Returns what takes pictures into a field of Markdown: they stand where the caret was once all have been
 * sent, so that nothing unfinished is ever stored, and one undo takes them away.
 *
 * @param {HTMLTextAreaElement} field
 * @param {{ progress: HTMLElement, signal: AbortSignal }} options `progress` shows how far it is.
 */
export function createImageTaker(field, { progress, signal }) {
  return async (/** @type {readonly File[]} */ files) => {
    const place = { text: field.value, at: field.selectionStart };
    const follow = () => {
      place.at = movedPlace(place.at, place.text, field.value);
      place.text = field.value;
    };
    field.addEventListener("input", follow);
    const stopped = new AbortController();
    const until = AbortSignal.any([signal, stopped.signal]);
    const parts = files.map(() => 0);
    const shown = h("span");
    const row = h(
      "span",
      null,
      shown,
      " ",
      button(t("cancel"), () => stopped.abort(), { class: "link" }),
    );
    const show = () => {
      const part = parts.reduce((sum, one) => sum + one, 0) / parts.length;
      shown.textContent = `${t("image")} ${Math.round(part * 100)} %`;
    };
    show();
    progress.append(row);
    const taken = await Promise.all(files.map(async (file, index) => {
      const name = file.name || t("image");
      try {
        const onProgress = (/** @type {number} */ part) => {
          parts[index] = part;
          show();
        };
        return { name, imageId: await send(file, { signal: until, onProgress }) };
      } catch (error) {
        if (!until.aborted) say(sentence(error, name));
      }
    }));
    row.remove();
    const images = taken.filter((one) => one !== undefined);
    const texts = images.length > 0 && !until.aborted ? await askForTexts(images) : undefined;
    field.removeEventListener("input", follow);
    if (texts === undefined || signal.aborted) return;
    follow();
    const { text, at } = place;
    const isInLine = at > 0 && text[at - 1] !== "\n";
    const by = `${isInLine ? "\n\n" : ""}${texts.join("\n")}\n`;
    const [start, end] = [field.selectionStart, field.selectionEnd].map((caret) =>
      caret < at ? caret : caret + by.length
    );
    change(field, { text: text.slice(0, at) + by + text.slice(at), start, end });
  };
}

/**
 * Asks what pictures show, and returns them as Markdown; `undefined` where they aren't wanted any more.
 *
 * @param {readonly { imageId: string, name: string }[]} images
 */
async function askForTexts(images) {
  const fields = images.map(({ imageId, name }) => ({
    name: imageId,
    label: images.length === 1 ? t("imageAlt") : `${t("imageAlt")}: ${name}`,
    hint: t("aboutAlt"),
  }));
  /** @type {Record<string, string>} */
  let texts = {};
  const act = (/** @type {typeof texts} */ given) => void (texts = given);
  if (!await ask(t("image"), fields, { submit: t("done"), act })) return undefined;
  return images.map(({ imageId }) => {
    const alt = (texts[imageId] ?? "").trim().replace(/[[\]\\]/g, "\\$&").replace(/\s+/g, " ");
    return `![${alt}](images/${imageId})`;
  });
}

/**
 * @param {File} file
 * @param {{ signal: AbortSignal, onProgress: (part: number) => void }} options
 * @returns {Promise<string>}
 */
async function send(file, options) {
  const blob = await scaled(file);
  if (!TYPES.includes(blob.type) || blob.size > MAX_BYTES) throw new TypeError("no picture");
  while (true) {
    try {
      return JSON.parse(await postFile(IMAGES, blob, { type: blob.type, ...options })).imageId;
    } catch (error) {
      if (!(error instanceof Problem && error.code === "offline")) throw error;
      // It waits here until the server can be reached again.
      await back(options.signal);
    }
  }
}

/** @param {unknown} error @param {string} name */
function sentence(error, name) {
  const isOther = !(error instanceof Problem) || [413, 415].includes(error.status);
  return isOther ? t("noPicture", { name }) : describe(error);
}

/** Resolves once the server can be reached again. @param {AbortSignal} signal */
function back(signal) {
  const { promise, resolve, reject } = Promise.withResolvers();
  connection.addEventListener("back", resolve, { once: true });
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise;
}

/**
 * Makes a wide picture narrower, and one that no server takes a JPEG. Moving ones stay as they are.
 *
 * @param {File} file
 * @returns {Promise<Blob>}
 */
async function scaled(file) {
  const { isMoving } = await import("./moving.js");
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
  // What one can see through would be black.
  drawing.globalCompositeOperation = "destination-over";
  drawing.fillStyle = "white";
  drawing.fillRect(0, 0, canvas.width, canvas.height);
  return await canvas.convertToBlob({ type: "image/jpeg", quality: JPEG_QUALITY });
}
