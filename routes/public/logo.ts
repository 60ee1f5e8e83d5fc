import type { Brand } from "../../model/brand.ts";
import { initialOf, LOGO_PATH, type PublicSite, SVG_TYPE } from "./pages/site.ts";
import { type ServedFile, serveFile } from "../_http/served_file.ts";
import { type Operation, operation } from "../_http/operation.ts";

/** Creates the operation that serves the logo, which can run nothing wherever it is opened. */
export function logoOperation(site: PublicSite): Operation {
  const serve = serveFile(logoFile(site));
  return operation("GET", LOGO_PATH, {
    operationId: "getLogo",
    summary: "See the logo",
    description: "Returns the logo, or an icon with the first letter of the title.",
    successes: [{
      status: 200,
      description: "The image.",
      others: { [SVG_TYPE]: "ImageFile", "image/png": "ImageFile", "image/webp": "ImageFile" },
      headers: ["ETag"],
    }],
    run: ({ request }) => serve(request),
  });
}

/** Returns the logo of a brand, or the icon that stands for it. */
export function logoFile({ logo, title, accent }: Brand): ServedFile {
  return {
    body: logo?.bytes ?? drawIcon(title, accent.light.color),
    contentType: logo?.contentType ?? SVG_TYPE,
    headers: {
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "Cross-Origin-Resource-Policy": "cross-origin",
      "Cache-Control": "public, max-age=60",
    },
  };
}

/** Draws the icon of a changelog without a logo. */
function drawIcon(title: string, color: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">
<rect width="64" height="64" rx="14" fill="${color}"/>
<text x="32" y="33" fill="#fff" font-family="system-ui, sans-serif" font-size="38" font-weight="700"
text-anchor="middle" dominant-baseline="central">${initialOf(title)}</text>
</svg>
`;
}
