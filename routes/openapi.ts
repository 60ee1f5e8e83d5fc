import type { OpenApi } from "./_openapi/types.ts";
import { type Operation, operation } from "./_operation.ts";
import { JSON_TYPE } from "./_reply.ts";

/** Creates the operation that answers with the description of the API. */
export function openApiOperation(describe: () => Promise<OpenApi>): Operation {
  let body: string | undefined;
  return operation({
    method: "GET",
    path: "/openapi.json",
    operationId: "getOpenApi",
    summary: "Describe the API for programs",
    description: "Returns this description in OpenAPI 3.1.",
    tag: "Reference",
    successes: [{ status: 200, description: "The description.", schema: "OpenApi" }],
    async run() {
      body ??= JSON.stringify(await describe());
      return { status: 200, contentType: JSON_TYPE, body };
    },
  });
}
