import { IMAGES } from "../../model/kinds.ts";
import { IMAGE_TYPES } from "../../model/images/image.ts";
import { readImage } from "../../services/images/images.ts";
import { replyUnlessUnchanged } from "../_http/conditions.ts";
import { type Operation, operation } from "../_http/operation.ts";
import { Problem } from "../_http/problem.ts";

/** Shows images, whose identifiers name their bytes. They are read part by part, as clients take them. */
export const shownImageOperation: Operation = operation("GET", "/changelog/images/:imageId", {
  operationId: "showImage",
  summary: "Show an image",
  description: "Returns the bytes of an image of entries, which never change.",
  isPage: true,
  successes: [{
    status: 200,
    description: "The image, of the type that its identifier ends with.",
    others: Object.fromEntries(Object.values(IMAGE_TYPES).map((type) => [type, "ImageFile"])),
    headers: ["ETag"],
  }],
  problems: ["storage_unavailable"],
  async run({ request, storage, param }) {
    const image = await storage.get(IMAGES, param);
    if (image === undefined) return "image_not_found";
    const reply = replyUnlessUnchanged(request, {
      status: 200,
      contentType: image.type,
      body: readImage(storage, image),
      headers: {
        ETag: `"${image.imageId}"`,
        "Cache-Control": "public, max-age=31536000, immutable",
        // What else a file may be, opened by itself it runs and loads nothing.
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Cross-Origin-Resource-Policy": "cross-origin",
      },
    });
    if (reply instanceof Problem || reply.body === undefined) return reply;
    return { ...reply, headers: { ...reply.headers, "Content-Length": `${image.bytes}` } };
  },
});
