import { join, resolve, sep } from "node:path";
import { changeOutsideCode } from "../model/entries/files/code_mask.ts";
import { IMAGE_TYPES, isImageId, type ShownImage } from "../model/images/image.ts";
import { quote } from "../model/values/text.ts";
import { CLIENT_OPTIONS, withApi } from "./api/client.ts";
import { readListing } from "./api/responses.ts";
import { RequestError, type SendRequest } from "./api/request.ts";
import type { Command } from "./shell/command.ts";
import { readFile, unreadable } from "./shell/files.ts";
import { UsageError } from "./shell/options.ts";

const PATH = "/api/v1/changelogs/images";
const MAX_BYTES = 5 * 1024 * 1024;
const NO_IMAGE = { imageId: "0000000000000000-1x1.png" };
// Matches an image in Markdown up to the end of its address, which may be in angle brackets.
const IN_MARKDOWN = /(!\[[^\]\n]*\]\(\s*<?)([^\s()<>]+)/g;

const addCommand: Command = {
  name: "images add",
  summary: "Add images, and print how Markdown shows each",
  positionals: ["FILE…"],
  options: CLIENT_OPTIONS,
  details:
    "FILE is a PNG, JPEG, GIF or WebP of up to 5 MiB. The place, the time and the camera are removed. " +
    "The same bytes are stored once.\n\n" +
    "Through a server, the key in BOARDCAST_KEY needs entries:write.",
  example: "boardcast images add screenshot.png",
  async run(invocation) {
    const { args, terminal } = invocation;
    const files = await Promise.all(args.positionals.map(readImage));
    await withApi(invocation, { isReading: false, mustExist: false }, async (send) => {
      for (const file of files) {
        const { imageId } = await addImage(send, file);
        terminal.out(`![](images/${imageId})\n`);
      }
    });
    return 0;
  },
};

export const imageCommands: readonly Command[] = [addCommand];

/** An image that was read, with its path for messages. */
interface ImageFile {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Writes all images into a folder, each under its identifier; returns how many. */
export async function saveImages(send: SendRequest, folder: string): Promise<number> {
  await Deno.mkdir(folder, { recursive: true });
  let count = 0;
  for await (const page of readListing<ShownImage>(send, { method: "GET", path: PATH })) {
    for (const { imageId } of page) {
      checkId(imageId);
      const response = await send({ method: "GET", path: `/changelog/images/${imageId}` });
      await Deno.writeFile(join(folder, imageId), new Uint8Array(await response.arrayBuffer()));
      count++;
    }
  }
  return count;
}

/** Adds the images of a folder that `saveImages` has written; returns how many. */
export async function addSavedImages(send: SendRequest, folder: string): Promise<number> {
  const files = await Array.fromAsync(Deno.readDir(folder)).catch((error) => {
    throw unreadable(folder, error);
  });
  let count = 0;
  for (const { name } of files) {
    if (!isImageId(name)) continue;
    await addImage(send, await readImage(join(folder, name)));
    count++;
  }
  return count;
}

/**
 * Adds the images that a Markdown text refers to by their paths in a folder. Returns the text with
 * identifiers in place of these paths. A path without a file in the folder stays as it is. A dry
 * run adds nothing, and puts the identifier of no image.
 */
export async function addNamedImages(
  send: SendRequest,
  text: string,
  { folder, isDryRun }: { readonly folder: string; readonly isDryRun: boolean },
): Promise<string> {
  const root = resolve(folder);
  const add = (file: ImageFile) => isDryRun ? Promise.resolve(NO_IMAGE) : addImage(send, file);
  const ids = new Map<string, string | undefined>();
  const replaceImages = (replace: (whole: string, start: string, path: string) => string) =>
    changeOutsideCode(text, (part) => part.replace(IN_MARKDOWN, replace));
  replaceImages((whole, _, path) => {
    ids.set(path, undefined);
    return whole;
  });
  for (const path of ids.keys()) ids.set(path, await addNamed(add, { root, path }));
  return replaceImages((whole, start, path) => {
    const imageId = ids.get(path);
    return imageId === undefined ? whole : `${start}images/${imageId}`;
  });
}

async function addNamed(
  add: (file: ImageFile) => Promise<Pick<ShownImage, "imageId">>,
  { root, path }: { readonly root: string; readonly path: string },
): Promise<string | undefined> {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(path)) return undefined;
  const name = decodePath(path.replace(/[?#].*$/, "").replace(/^\/+/, ""));
  const file = resolve(root, name);
  // A path in a changelog must not lead out of the folder.
  if (!file.startsWith(root + sep)) return undefined;
  const stat = await Deno.stat(file).catch(() => undefined);
  if (!stat?.isFile) return undefined;
  return (await add(await readImage(file))).imageId;
}

// Markdown writes a space as %20.
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function addImage(send: SendRequest, { path, bytes }: ImageFile): Promise<ShownImage> {
  try {
    const response = await send({
      method: "POST",
      path: PATH,
      // The server judges an image by its bytes.
      headers: { "Content-Type": IMAGE_TYPES.png },
      body: new Blob([bytes]).stream(),
    });
    const image = await response.json();
    checkId(image.imageId);
    return image;
  } catch (error) {
    const isFile = error instanceof RequestError &&
      ["unsupported_media_type", "body_too_large"].includes(error.code);
    throw isFile ? new UsageError(`${path}: ${error.message}`) : error;
  }
}

/** Refuses a name that could be a path on this machine, or that no server of ours gives. */
function checkId(imageId: unknown): void {
  if (!isImageId(`${imageId}`)) throw new Error(`the server names an image ${quote(`${imageId}`)}`);
}

async function readImage(path: string): Promise<ImageFile> {
  // The server refuses larger files.
  return { path, bytes: await readFile(path, MAX_BYTES) };
}
