import type { Brand } from "../../model/brand.ts";
import { nextTurn } from "../../model/turns.ts";
import { createDocsPage } from "./docs/reply.ts";
import { describeApi } from "./openapi/document.ts";
import type { OpenApi } from "./openapi/types.ts";
import { FOUND_PAGE, type Operation, operation, showsPage } from "../_http/operation.ts";
import { JSON_TYPE } from "../_http/reply.ts";
import { type FileServer, serveCompressed } from "../_http/served_file.ts";
import { remember } from "../../model/lazy.ts";
import { publicPathOf } from "../../model/public_site.ts";
import type { RouteContext } from "../branded.ts";
import { SHOWN_LOGO_PATH } from "../public/_page/site.ts";
import { isStudioFile } from "./studio.ts";

/** Creates the operations of the reference, which describes all operations of a handler. */
export function operations(context: RouteContext): readonly Operation[] {
  const { basePath = "", publicUrl, brandNow: brand, loadAll } = context;
  const publicPath = publicPathOf(context);
  const home = publicUrl === undefined ? "/docs" : "/changelog";
  let description: OpenApi | undefined;
  let json: FileServer | undefined;
  const pageOf = remember(async (shown: Brand) => await createDocsPage(await describe(), shown));

  async function describe(): Promise<OpenApi> {
    // Programs need neither the redirect at "/" nor pages and their parts.
    const described = (await loadAll()).filter((one) =>
      one.path !== "/" && !showsPage(one) && !isStudioFile(one) && one.path !== SHOWN_LOGO_PATH
    );
    description ??= describeApi(described, basePath);
    // Rendering the page takes a turn of its own.
    await nextTurn();
    return description;
  }

  return [
    operation("GET", "/", {
      operationId: "getRoot",
      summary: "Find a page for people",
      description: "Redirects to the changelog where it is public, else to the reference page.",
      successes: [{ status: 302, description: "Where to go.", headers: ["Location"] }],
      run: () => ({ status: 302, headers: { Location: `${publicPath}${home}` } }),
    }),

    operation("GET", "/openapi.json", {
      operationId: "getOpenApi",
      summary: "Describe the API for programs",
      successes: [{ status: 200, schema: "OpenApi", headers: ["ETag", "Vary"] }],
      async run({ request }) {
        json ??= serveCompressed({
          body: JSON.stringify(await describe()),
          contentType: JSON_TYPE,
          headers: { "Cache-Control": "no-store" },
        });
        return await json(request);
      },
    }),

    operation("GET", "/docs", {
      operationId: "getDocs",
      summary: "Describe the API for people",
      successes: [FOUND_PAGE],
      async run({ request }) {
        return await (await pageOf(await brand()))(request, basePath);
      },
    }),
  ];
}
