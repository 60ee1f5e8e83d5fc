// Pictures in a text: from the clipboard, a folder or a phone to the server.

import { BASE, connection, Problem } from "./client.js";
import { ask } from "./dialog.js";
import { h, say, t } from "./dom.js";
import { describe } from "./form.js";
import { postFile } from "./upload.js";
import { change, insert } from "./writing.js";

const IMAGES = new URL("api/v1/changelogs/images", BASE);
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const MAX_BYTES = 5 * 1024 * 1024;
/** What is wider takes time to load, and no reader sees it. */
const MAX_WIDTH = 1600;
const JPEG_QUALITY = 0.86;

/**
 * Returns what takes pictures into a field of Markdown: a placeholder stands in the text while one is on its
 * way, and undo takes it away.
 *
 * @param {HTMLTextAreaElement} field
 * @param {{ show: (text: string) => void, signal: AbortSignal }} options `show` tells how far it is.
 */
export function createImageTaker(field, { show, signal }) {
  let count = 0;
  /** How far each is. @type {Map<string, number>} */
  const parts = new Map();

  function progress() {
    const all = [...parts.values()];
    const part = all.reduce((sum, one) => sum + one, 0) / all.length;
    show(all.length === 0 ? "" : `${t("image")} ${Math.round(part * 100)} %`);
  }

  /** @param {File} file */
  async function take(file) {
    const name = file.name || t("image");
    const placeholder = `![${t("imageLoading", { name }).replace(/[[\]\\]/g, "")} ${++count}]()`;
    const { value, selectionStart } = field;
    const isInLine = selectionStart > 0 && value[selectionStart - 1] !== "\n";
    insert(field, `${isInLine ? "\n\n" : ""}${placeholder}\n`);
    parts.set(placeholder, 0);
    progress();
    try {
      const imageId = await send(file, (part) => {
        parts.set(placeholder, part);
        progress();
      });
      replace(placeholder, `![](images/${imageId})`);
      return { imageId, name };
    } catch (error) {
      replace(placeholder, "");
      if (!signal.aborted) {
        say(error instanceof Problem ? sentence(error, name) : t("noPicture", { name }));
      }
    } finally {
      parts.delete(placeholder);
      progress();
    }
  }

  /**
   * Replaces a part of the text, unless somebody has taken it away; the caret stays with its words.
   *
   * @param {string} part
   * @param {string} by
   */
  function replace(part, by) {
    const { value: text, selectionStart, selectionEnd } = field;
    const at = text.indexOf(part);
    if (at < 0) return;
    const moved = (/** @type {number} */ caret) =>
      caret <= at ? caret : Math.max(at + by.length, caret + by.length - part.length);
    const focused = document.activeElement;
    change(field, {
      text: text.slice(0, at) + by + text.slice(at + part.length),
      ...{ start: moved(selectionStart), end: moved(selectionEnd) },
    });
    if (focused instanceof HTMLElement && focused !== field) focused.focus();
  }

  /** @param {File} file @param {(part: number) => void} onProgress */
  async function send(file, onProgress) {
    const blob = await scaled(file);
    if (!TYPES.includes(blob.type) || blob.size > MAX_BYTES) throw new TypeError("no picture");
    while (true) {
      try {
        const options = { type: blob.type, signal, onProgress };
        const { imageId } = JSON.parse(await postFile(IMAGES, blob, options));
        return imageId;
      } catch (error) {
        if (!(error instanceof Problem && error.code === "offline")) throw error;
        // It waits here until the server can be reached again.
        await back(signal);
      }
    }
  }

  return async function takeImages(/** @type {readonly File[]} */ files) {
    const others = files.filter(({ type }) => !type.startsWith("image/"));
    for (const { name } of others) say(t("noPicture", { name }));
    const taken = await Promise.all(files.filter((file) => !others.includes(file)).map(take));
    const images = taken.filter((one) => one !== undefined);
    if (images.length > 0 && !signal.aborted) await askForTexts(images);
  };

  /** @param {readonly { imageId: string, name: string }[]} images */
  async function askForTexts(images) {
    const fields = images.map(({ imageId, name }) => ({
      name: imageId,
      label: images.length === 1 ? t("imageAlt") : `${t("imageAlt")}: ${name}`,
      hint: t("aboutAlt"),
    }));
    await ask(t("image"), fields, {
      submit: t("done"),
      act(texts) {
        for (const [imageId, text] of Object.entries(texts)) {
          const alt = text.trim().replace(/[[\]\\]/g, "\\$&").replace(/\s+/g, " ");
          if (alt) replace(`![](images/${imageId})`, `![${alt}](images/${imageId})`);
        }
      },
    });
    field.focus();
  }
}

/** @param {Problem} problem @param {string} name */
function sentence(problem, name) {
  return [413, 415].includes(problem.status) ? t("noPicture", { name }) : describe(problem);
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
  if (file.type === "image/gif") return file;
  const bitmap = await createImageBitmap(file);
  const { width, height } = bitmap;
  const isTaken = TYPES.includes(file.type);
  if (isTaken && width <= MAX_WIDTH && file.size <= MAX_BYTES) return file;
  const factor = Math.min(1, MAX_WIDTH / width);
  const canvas = h("canvas", {
    width: Math.round(width * factor),
    height: Math.round(height * factor),
  });
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const png = file.type === "image/png" ? await toBlob(canvas, "image/png") : undefined;
  return png && png.size <= MAX_BYTES ? png : await toBlob(canvas, "image/jpeg");
}

/** @param {HTMLCanvasElement} canvas @param {string} type @returns {Promise<Blob>} */
function toBlob(canvas, type) {
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => blob ? resolve(blob) : reject(new TypeError(type)), type, JPEG_QUALITY)
  );
}
