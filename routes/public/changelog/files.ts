import type { RouteContext } from "../../branded.ts";
import { IMAGE_TYPES } from "../../../model/images/image.ts";
import { IMAGES } from "../../../model/kinds.ts";
import { readImage } from "../../../services/images/images.ts";
import { replyUnlessUnchanged } from "../../_http/conditions.ts";
import { type Operation, operation } from "../../_http/operation.ts";
import { Problem } from "../../_http/problem.ts";
import { SCRIPT_TYPE, serveDated } from "../../_http/served_file.ts";
import { FOR_EVER, SHOWN_ANYWHERE } from "./logos.ts";
import widget from "./widget.js" with { type: "text" };

/** Serves images by identifiers that name their bytes, one part at a time as clients read. */
const shownImage: Operation = operation("GET", "/changelog/images/:imageId", {
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
        ...FOR_EVER,
        ...SHOWN_ANYWHERE,
      },
    });
    if (reply instanceof Problem || reply.body === undefined) return reply;
    return { ...reply, headers: { ...reply.headers, "Content-Length": `${image.bytes}` } };
  },
});

const FOR_A_MINUTE = { "Cache-Control": "public, max-age=60" };

/**
 * Creates the operation that serves robots.txt with the address of the sitemap, if the service is
 * at the root of its host.
 */
function robotsOperations(publicUrl: string): readonly Operation[] {
  if (new URL(publicUrl).pathname !== "/") return [];
  const serve = serveDated({
    body: `User-agent: *\nDisallow:\n\nSitemap: ${publicUrl}/sitemap.xml\n`,
    contentType: "text/plain; charset=utf-8",
    headers: FOR_A_MINUTE,
  });
  return [
    operation("GET", "/robots.txt", {
      operationId: "getRobotsFile",
      summary: "Find the sitemap",
      description: "Returns rules for crawlers. They allow every page, and name the sitemap.",
      successes: [{ status: 200, schema: "RobotsFile", headers: ["ETag", "Last-Modified"] }],
      run: serve,
    }),
  ];
}

/** Creates the operation that serves the custom element for other sites. */
function widgetOperation(): Operation {
  return operation("GET", "/changelog/widget.js", {
    operationId: "getWidget",
    summary: "Load the widget",
    description:
      "Returns the module of the element `<boardcast-changelog>`, for pages of any origin.",
    successes: [{
      status: 200,
      schema: "Script",
      headers: ["ETag", "Last-Modified", "Access-Control-Allow-Origin"],
    }],
    run: serveDated({
      // Comments are only for readers of the source.
      body: widget.replace(/^\s*(?:\/\/|\/?\*).*\n/gm, ""),
      contentType: SCRIPT_TYPE,
      headers: { "Access-Control-Allow-Origin": "*", ...FOR_A_MINUTE },
    }),
  });
}

/** Without a public URL, only images are served, which the studio shows. */
export const operations = ({ publicUrl }: RouteContext): readonly Operation[] => [
  shownImage,
  ...publicUrl === undefined ? [] : [widgetOperation(), ...robotsOperations(publicUrl)],
];
