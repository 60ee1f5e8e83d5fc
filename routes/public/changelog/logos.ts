import type { BrandContext } from "../../branded.ts";
import { type Brand, type Logo, LOGO_TYPES, SVG_TYPE } from "../../../model/brand.ts";
import { type Operation, operation } from "../../_http/operation.ts";
import { type ServedFile, serveFile } from "../../_http/served_file.ts";
import { DARK_LOGO_PATH, initialOf, LOGO_PATH, SHOWN_LOGO_PATH } from "../_page/site.ts";

/** Prevents a file that is opened by itself from running or loading anything. */
export const SHOWN_ANYWHERE = {
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "Cross-Origin-Resource-Policy": "cross-origin",
} as const;
/** Lets caches keep a file whose address changes with its bytes. */
export const FOR_EVER = { "Cache-Control": "public, max-age=31536000, immutable" } as const;

const FOR_A_MINUTE = { "Cache-Control": "public, max-age=60" } as const;
// Another process may already show a logo that this one has not read yet.
const FOR_NOW = { "Cache-Control": "no-cache" } as const;

const SUCCESSES: Operation["successes"] = [{
  status: 200,
  description: "The image.",
  others: Object.fromEntries(Object.values(LOGO_TYPES).map((type) => [type, "ImageFile" as const])),
  headers: ["ETag"],
}];

/** Creates the operation that serves the logos by addresses that change with their bytes. */
function shownLogoOperation(brand: Brand): Operation {
  const logos = [brand.logo, brand.logoDark].filter((logo) => logo !== undefined);
  const servers = new Map(logos.map((logo) => [logo.name, serveFile(fileOfLogo(logo, FOR_EVER))]));
  const serveOther = serveFile({ ...logoFile(brand), headers: { ...SHOWN_ANYWHERE, ...FOR_NOW } });
  return operation("GET", SHOWN_LOGO_PATH, {
    operationId: "showLogo",
    summary: "Show a logo",
    description: "Returns the logo with this address; for a former one, the current logo.",
    successes: SUCCESSES,
    run: ({ request, param }) => (servers.get(param) ?? serveOther)(request),
  });
}

/** Creates the operations that serve the current logos. */
function logoOperations(brand: Brand): readonly Operation[] {
  const { logoDark } = brand;
  const serve = serveFile(logoFile(brand));
  const serveDark = logoDark === undefined ? serve : serveFile(fileOfLogo(logoDark));
  return [
    operation("GET", LOGO_PATH, {
      operationId: "getLogo",
      summary: "See the logo",
      description: "Returns the logo, or an icon with the first letter of the title.",
      successes: SUCCESSES,
      run: ({ request }) => serve(request),
    }),
    operation("GET", DARK_LOGO_PATH, {
      operationId: "getDarkLogo",
      summary: "See the logo for the dark scheme",
      description:
        "Returns the logo for readers with a dark scheme, or the other one if there is none.",
      successes: SUCCESSES,
      run: ({ request }) => serveDark(request),
    }),
  ];
}

/** Without a public URL, only logos by their own addresses are served, which the studio shows. */
export const operations = ({ brand, publicUrl }: BrandContext): readonly Operation[] => [
  shownLogoOperation(brand),
  ...publicUrl === undefined ? [] : logoOperations(brand),
];

/** Returns the logo of a brand, or its icon. */
export function logoFile({ logo, title, accent }: Brand): ServedFile {
  return logo === undefined
    ? {
      body: drawIcon(title, accent.light.color),
      contentType: SVG_TYPE,
      headers: { ...SHOWN_ANYWHERE, ...FOR_A_MINUTE },
    }
    : fileOfLogo(logo);
}

/** Returns a logo as a file that can run nothing. */
export function fileOfLogo(
  { bytes, contentType }: Logo,
  caching: Readonly<Record<string, string>> = FOR_A_MINUTE,
): ServedFile {
  return { body: bytes, contentType, headers: { ...SHOWN_ANYWHERE, ...caching } };
}

/** Draws an icon for a changelog without a logo. */
function drawIcon(title: string, color: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">
<rect width="64" height="64" rx="14" fill="${color}"/>
<text x="32" y="33" fill="#fff" font-family="system-ui, sans-serif" font-size="38" font-weight="700"
text-anchor="middle" dominant-baseline="central">${initialOf(title)}</text>
</svg>
`;
}
