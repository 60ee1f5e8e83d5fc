import type { DocsPage } from "./_docs/reply.ts";
import type { OpenApi } from "./_openapi/types.ts";
import { type Operation, operation } from "./_operation.ts";

/** Creates the operation at the root, which leads to a page. */
export function rootOperation(page: string): Operation {
  return operation({
    method: "GET",
    path: "/",
    operationId: "getRoot",
    summary: "Find a page for people",
    description: "Redirects to the changelog where it is public, else to the reference page.",
    tag: "Reference",
    successes: [{ status: 302, description: "Where to go.", headers: ["Location"] }],
    run: ({ basePath }) => ({ status: 302, headers: { Location: `${basePath}${page}` } }),
  });
}

/** Creates the operation that answers with the reference page of the API. */
export function docsOperation(describe: () => Promise<OpenApi>): Operation {
  let page: DocsPage | undefined;
  return operation({
    method: "GET",
    path: "/docs",
    operationId: "getDocs",
    summary: "Describe the API for people",
    description: "Returns an HTML reference page.",
    tag: "Reference",
    successes: [
      { status: 200, description: "The page.", schema: "Page", contentType: "text/html" },
    ],
    async run({ request, basePath }) {
      if (page === undefined) {
        // What makes the page is loaded when somebody reads it, and not at each start.
        const { createDocsPage } = await import("./_docs/reply.ts");
        page = await createDocsPage(await describe());
      }
      return page(request, basePath);
    },
  });
}
