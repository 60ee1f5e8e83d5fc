import type { DocsPage } from "./docs/reply.ts";
import type { OpenApi } from "./openapi/types.ts";
import { FOUND_PAGE, type Operation, operation } from "../_http/operation.ts";
import { JSON_TYPE } from "../_http/reply.ts";
import { isStudioFile } from "./studio.ts";

/**
 * Adds the operations of the reference, which describe all operations under a base path. Their
 * modules are loaded at the first request, so that the server starts sooner.
 */
export function withReference(
  operations: readonly Operation[],
  basePath: string,
): readonly Operation[] {
  const home = operations.some(({ path }) => path === "/changelog") ? "/changelog" : "/docs";
  let description: OpenApi | undefined;
  let json: string | undefined;
  let page: DocsPage | undefined;

  async function describe(): Promise<OpenApi> {
    const { describeApi } = await import("./openapi/document.ts");
    // Programs need neither the redirect at "/" nor parts of a page.
    const described = all.filter((one) => one.path !== "/" && !isStudioFile(one));
    return description ??= describeApi(described, basePath);
  }

  const all: readonly Operation[] = [
    ...operations,

    operation("GET", "/", {
      operationId: "getRoot",
      summary: "Find a page for people",
      description: "Redirects to the changelog where it is public, else to the reference page.",
      successes: [{ status: 302, description: "Where to go.", headers: ["Location"] }],
      run: () => ({ status: 302, headers: { Location: `${basePath}${home}` } }),
    }),

    operation("GET", "/openapi.json", {
      operationId: "getOpenApi",
      summary: "Describe the API for programs",
      successes: [{ status: 200, schema: "OpenApi" }],
      async run() {
        json ??= JSON.stringify(await describe());
        return { status: 200, contentType: JSON_TYPE, body: json };
      },
    }),

    operation("GET", "/docs", {
      operationId: "getDocs",
      summary: "Describe the API for people",
      successes: [FOUND_PAGE],
      async run({ request }) {
        const { createDocsPage } = await import("./docs/reply.ts");
        page ??= await createDocsPage(await describe());
        return page(request, basePath);
      },
    }),
  ];
  return all;
}
