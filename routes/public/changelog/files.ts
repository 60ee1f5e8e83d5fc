import { type Brand, type Logo, SVG_TYPE } from "../../../model/brand.ts";
import { IMAGE_TYPES } from "../../../model/images/image.ts";
import { IMAGES } from "../../../model/kinds.ts";
import { readImage } from "../../../services/images/images.ts";
import { replyUnlessUnchanged } from "../../_http/conditions.ts";
import { type Operation, operation } from "../../_http/operation.ts";
import { Problem } from "../../_http/problem.ts";
import { SCRIPT_TYPE, serveDated, type ServedFile, serveFile } from "../../_http/served_file.ts";
import { DARK_LOGO_PATH, initialOf, LOGO_PATH, type PublicSite } from "../_page/site.ts";
import widget from "./widget.js" with { type: "text" };

// Prevents a file that is opened by itself from running or loading anything.
const SHOWN_ANYWHERE = {
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "Cross-Origin-Resource-Policy": "cross-origin",
} as const;

/** Serves images by identifiers that name their bytes, one part at a time as clients read. */
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
        ...SHOWN_ANYWHERE,
      },
    });
    if (reply instanceof Problem || reply.body === undefined) return reply;
    return { ...reply, headers: { ...reply.headers, "Content-Length": `${image.bytes}` } };
  },
});

/** Creates the operations that serve the logos. Their policy keeps an SVG from running scripts. */
export function logoOperations(site: PublicSite): readonly Operation[] {
  const { logoDark } = site;
  const serve = serveFile(logoFile(site));
  const serveDark = logoDark === undefined ? serve : serveFile(fileOfLogo(logoDark));
  const successes = [{
    status: 200,
    description: "The image.",
    others: { [SVG_TYPE]: "ImageFile", "image/png": "ImageFile", "image/webp": "ImageFile" },
    headers: ["ETag"],
  }] as const;
  return [
    operation("GET", LOGO_PATH, {
      operationId: "getLogo",
      summary: "See the logo",
      description: "Returns the logo, or an icon with the first letter of the title.",
      successes,
      run: ({ request }) => serve(request),
    }),
    operation("GET", DARK_LOGO_PATH, {
      operationId: "getDarkLogo",
      summary: "See the logo for the dark scheme",
      description:
        "Returns the logo for readers with a dark scheme, or the other one if there is none.",
      successes,
      run: ({ request }) => serveDark(request),
    }),
  ];
}

/** Returns the logo of a brand, or its icon. */
export function logoFile({ logo, title, accent }: Brand): ServedFile {
  return logo === undefined
    ? { ...LOGO_FILE, body: drawIcon(title, accent.light.color), contentType: SVG_TYPE }
    : fileOfLogo(logo);
}

/** Returns a logo as a file that can run nothing. */
export function fileOfLogo({ bytes, contentType }: Logo): ServedFile {
  return { ...LOGO_FILE, body: bytes, contentType };
}

const FOR_A_MINUTE = { "Cache-Control": "public, max-age=60" };
const LOGO_FILE = { headers: { ...SHOWN_ANYWHERE, ...FOR_A_MINUTE } };

/** Draws an icon for a changelog without a logo. */
function drawIcon(title: string, color: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">
<rect width="64" height="64" rx="14" fill="${color}"/>
<text x="32" y="33" fill="#fff" font-family="system-ui, sans-serif" font-size="38" font-weight="700"
text-anchor="middle" dominant-baseline="central">${initialOf(title)}</text>
</svg>
`;
}

/**
 * Creates the operation that serves robots.txt with the address of the sitemap, if the service is
 * at the root of its host.
 */
export function robotsOperations({ publicUrl }: PublicSite): readonly Operation[] {
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
export function widgetOperation(): Operation {
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
