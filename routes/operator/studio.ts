import type { RouteContext } from "../branded.ts";
import { FOUND_PAGE, type Operation, operation, type Outcome } from "../_http/operation.ts";
import { lazy, remember } from "../../model/lazy.ts";
import type { Brand } from "../../model/brand.ts";
import { providerName } from "../../model/oidc/oidc_options.ts";
import {
  createBrandedFiles,
  createScripts,
  PAGE_WITH_CODES,
  type StudioSite,
} from "./studio/files.ts";
import { LOOKS, showHead, showStyle } from "./studio/look.ts";

/** Creates the operations of the studio. */
export function operations(
  { publicUrl, oidc, brandNow: brand }: RouteContext,
): readonly Operation[] {
  const site: StudioSite = { publicUrl, provider: oidc && providerName(oidc) };
  const load = lazy(createScripts);
  const filesOf = remember(async (shown: Brand) =>
    createBrandedFiles({ ...site, brand: shown }, await load())
  );

  async function serve(name: string, request: Request): Promise<Outcome> {
    const query = new URLSearchParams(request.url.split("?")[1]);
    if (name === LOOKS.head) return showHead(await brand(), query);
    const style = name === LOOKS.style ? showStyle(query) : undefined;
    if (style !== undefined) return style;
    const script = (await load()).servers.get(name);
    const server = script ?? (await filesOf(await brand())).get(name);
    return await server?.(request) ?? "not_found";
  }

  const file = (path: string, operationId: string) =>
    operation("GET", path, {
      operationId,
      summary: "Load a part of the studio",
      successes: [{ status: 200, description: "The file." }],
      run: ({ request, params }) => serve(params.join("/"), request),
    });

  return [
    operation("GET", "/studio", {
      operationId: "getStudio",
      summary: "Write in a browser",
      description: "Returns a page that does what this API does, for who signs in.",
      successes: [{ ...FOUND_PAGE, headers: ["ETag"] }],
      async run({ request, hasMail }) {
        const hasCodes = site.publicUrl !== undefined && await hasMail();
        return await serve(hasCodes ? PAGE_WITH_CODES : "", request);
      },
    }),
    file("/studio/:file", "getStudioFile"),
    file("/studio/:folder/:file", "getStudioFileOfFolder"),
  ];
}

/** Tells whether an operation serves only the studio. */
export function isStudioFile({ path }: Pick<Operation, "path">): boolean {
  return path.startsWith("/studio/");
}
