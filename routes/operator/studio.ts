import { FOUND_PAGE, type Operation, operation, type Outcome } from "../_http/operation.ts";
import { lazy } from "../../model/lazy.ts";
import { createStudioFiles, type StudioSite } from "./studio/files.ts";

/** Creates the operations of the studio. */
export function studioOperations(site: StudioSite): readonly Operation[] {
  const load = lazy(() => createStudioFiles(site));

  async function serve(name: string, request: Request): Promise<Outcome> {
    return await (await load()).get(name)?.(request) ?? "not_found";
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
      description: "Returns a page that does with an API key what this API does.",
      successes: [{ ...FOUND_PAGE, headers: ["ETag"] }],
      run: ({ request }) => serve("", request),
    }),
    file("/studio/:file", "getStudioFile"),
    file("/studio/:folder/:file", "getStudioFileOfFolder"),
  ];
}

/** Tells whether an operation serves only the studio. */
export function isStudioFile({ path }: Pick<Operation, "path">): boolean {
  return path.startsWith("/studio/");
}
