import { optionDefault } from "../../model/options.ts";
import { HANDLER_OPTIONS } from "../options.ts";
import type { RouteContext } from "../branded.ts";
import { concat } from "../../std.ts";
import { object, texts } from "../../model/declare.ts";
import { IMAGES } from "../../model/kinds.ts";
import { cleanImage } from "../../model/images/clean_image.ts";
import { IMAGE, IMAGE_TYPES } from "../../model/images/image.ts";
import {
  deleteImage,
  findEntriesWith,
  isImagePublic,
  listImages,
  showImage,
  storeImage,
} from "../../services/images/images.ts";
import { authorOf, NOT_PUBLISHING } from "./_entries.ts";
import { createLimit } from "../_http/rate_limit.ts";
import { type Operation, operation } from "../_http/operation.ts";
import { ORDERED_PAGE_FIELDS, pageReply } from "../_http/page.ts";
import { Problem } from "../_http/problem.ts";
import { jsonReply } from "../_http/reply.ts";

const PATH = "/api/v1/changelogs/images";
const TYPES = Object.values(IMAGE_TYPES);
const FILE = { schema: "ImageFile", maxBytes: 5 * 1024 * 1024 } as const;

const RECORD = object("ImageRecord", "An image, with the entries that show it.", {
  ...IMAGE.fields,
  usedBy: texts("The ids of the entries that show it, the newest first.", []),
});

// Each upload keeps its bytes in memory.
const inLimit = createLimit(16, "uploads of images");

/** Creates the operations on images, whose total size may be `maxBytes`. */
export function operations(
  { images: maxBytes = optionDefault(HANDLER_OPTIONS.images) }: RouteContext,
): readonly Operation[] {
  return [
    operation("POST", PATH, {
      operationId: "addImage",
      summary: "Add an image",
      description:
        "Takes a PNG, JPEG, GIF or WebP of up to 64 million pixels, whose bytes tell its " +
        "type. Removes the place, the time and the camera. The same bytes are stored once. In " +
        "Markdown, the image is `![text](images/ID)`.",
      scope: "entries:write",
      streams: Object.fromEntries(TYPES.map((type) => [type, FILE])),
      successes: [
        { status: 201, schema: IMAGE, headers: ["Location"] },
        { status: 200, description: "The image, which was stored before.", schema: IMAGE },
      ],
      problems: ["images_full"],
      run: (context) =>
        inLimit(async () => {
          const { storage, chunks, clock, basePath } = context;
          const pieces: Uint8Array[] = [];
          for await (const chunk of chunks) pieces.push(chunk);
          const cleaned = await cleanImage(concat(pieces));
          if (typeof cleaned === "string") {
            const headers = { Accept: TYPES.join(", ") };
            return new Problem("unsupported_media_type", cleaned, { headers });
          }
          const stored = await storeImage(storage, cleaned, { maxBytes, at: clock().text });
          if (stored === "full") return "images_full";
          const { image, isNew } = stored;
          const Location = `${basePath}${PATH}/${image.imageId}`;
          return jsonReply(isNew ? 201 : 200, showImage(image), isNew ? { Location } : undefined);
        }),
    }),

    operation("GET", PATH, {
      operationId: "listImages",
      summary: "List images",
      description: "The newest first.",
      scope: "entries:read",
      query: ORDERED_PAGE_FIELDS,
      successes: [{ status: 200, description: "A page of images.", page: IMAGE }],
      run: ({ storage, query }) =>
        pageReply(query, (page) => listImages(storage, page), {
          listing: "images",
          positionOf: ({ imageId, createdAt }) => ({ key: imageId, by: createdAt }),
          show: showImage,
        }),
    }),

    operation("GET", `${PATH}/:imageId`, {
      operationId: "getImage",
      summary: "Read the record of an image",
      description: "Returns the record of the image. Its bytes are at `path`.",
      scope: "entries:read",
      successes: [{ status: 200, schema: RECORD }],
      async run({ storage, param, now }) {
        const image = await storage.get(IMAGES, param);
        if (image === undefined) return "image_not_found";
        const entries = await findEntriesWith(storage, param, now.text);
        const usedBy = entries.map(({ entryId }) => entryId);
        return jsonReply(200, { ...showImage(image), usedBy });
      },
    }),

    operation("DELETE", `${PATH}/:imageId`, {
      operationId: "deleteImage",
      summary: "Delete an image",
      description:
        "Deletes the image permanently. Entries show its text instead. An image in a public " +
        "entry also needs `entries:publish`.",
      scope: "entries:write",
      successes: [{ status: 204, description: "The image is gone." }],
      async run({ storage, param, caller, now }) {
        const { mayPublish } = authorOf(caller, now);
        const image = await storage.get(IMAGES, param);
        if (image === undefined) return "image_not_found";
        if (!mayPublish && await isImagePublic(storage, param, now.text)) return NOT_PUBLISHING;
        return await deleteImage(storage, param, now.text) ? { status: 204 } : "image_not_found";
      },
    }),
  ];
}
