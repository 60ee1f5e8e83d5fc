import { ABOUT, VERSION } from "../../../model/about.ts";
import { FORM_TYPE } from "../../_http/body.ts";
import type { InputFields, Inputs } from "../../_http/fields.ts";
import type { Operation, Success } from "../../_http/operation.ts";
import type { ProblemCode } from "../../_http/problem.ts";
import { type ContentName, JSON_TYPE } from "../../_http/reply.ts";
import { GUIDE } from "./guide.ts";
import { REQUEST_HEADERS, RESPONSE_HEADERS } from "./headers.ts";
import {
  COMMON_HEADERS,
  conditionsOf,
  describeProblemExamples,
  describeProblemResponse,
  headerRefs,
  isConditional,
  PROBLEM_SCHEMAS,
  problemResponseName,
  problemsOf,
  RATE_HEADERS,
} from "./problems.ts";
import type { Schema } from "../../../model/values/json_schema.ts";
import { exampleOf } from "../../../model/declare.ts";
import type { Described } from "../../../model/resource.ts";
import { CONTENTS, RECORDS_WITHIN } from "./contents.ts";
import {
  describeJsonInput,
  describeRecords,
  describeTextInput,
  mapValues,
  pageOf,
  schemaRef,
} from "./schema.ts";
import { describeTags, parametersOf, tagsOf } from "./paths.ts";
import { describeWebhooks, EVENT_DATA } from "./webhooks.ts";
import type {
  Content,
  MediaType,
  OpenApi,
  OperationObject,
  ParameterObject,
  PathItem,
  Reference,
  RequestBody,
  ResponseObject,
} from "./types.ts";

/** Describes operations under a base path in OpenAPI 3.1. */
export function describeApi(operations: readonly Operation[], basePath: string): OpenApi {
  const paths: Record<string, PathItem> = {};
  const responses: Record<string, ResponseObject> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, "{$1}");
    const method = operation.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: describeOperation(operation) };
    if (operation.isPage) continue;
    for (const codes of problemsOf(operation).values()) {
      responses[problemResponseName(codes)] ??= describeProblemResponse(codes);
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Boardcast API",
      version: VERSION,
      summary: `${ABOUT}.`,
      description: GUIDE,
      contact: { name: "The operator of this server" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: basePath || "/", description: "This server." }],
    tags: describeTags(),
    paths,
    webhooks: describeWebhooks(),
    components: {
      schemas: describeSchemas(operations),
      responses,
      headers: RESPONSE_HEADERS,
      parameters: mapValues(
        REQUEST_HEADERS,
        (header, name): ParameterObject => ({ name, in: "header", required: false, ...header }),
      ),
      examples: describeProblemExamples(),
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key that holds the scope that the operation names.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-boardcast-team",
          description:
            "The session of a member of the team, whose role has the scope. The name of the cookie " +
            "ends in a hyphen and 8 letters of the server, and lacks `__Host-` unless the public " +
            "URL is https. It counts only with the header `Boardcast-Studio: 1`.",
        },
      },
    },
  };
}

function describeSchemas(operations: readonly Operation[]): Readonly<Record<string, Schema>> {
  const all = operations.flatMap(({ successes, streams = {} }) => [
    ...successes.flatMap((success) => [contentOf(success), ...Object.values(success.others ?? {})]),
    ...Object.values(streams).map(({ schema }) => schema),
  ]);
  const records = all.filter((content) => typeof content === "object");
  const names = all.filter((content) => typeof content === "string");
  return {
    ...describeRecords([
      ...records,
      ...EVENT_DATA,
      ...names.flatMap((name) => RECORDS_WITHIN[name] ?? []),
    ]),
    ...Object.fromEntries(["Page" as const, ...names].map((name) => [name, CONTENTS[name]])),
    ...PROBLEM_SCHEMAS,
  };
}

function contentOf({ schema, page }: Success): Described | ContentName | undefined {
  return page === undefined ? schema : pageOf(page);
}

function describeOperation(operation: Operation): OperationObject {
  const { operationId, path, summary, description = "", scope } = operation;
  const { alsoScopes = [] } = operation;
  const credentials = scope === undefined
    ? "Needs no key."
    : scope === "any"
    ? "Needs a key, whatever its scopes."
    : `Needs a key with the scope ${
      [scope, ...alsoScopes].map((name) => `\`${name}\``).join(" and ")
    }.`;
  return {
    operationId,
    summary,
    description: `${description}\n\n${credentials}`.trim(),
    tags: tagsOf(path),
    security: securityOf(operation),
    // OpenAPI 3.1 allows scopes in `security` as names of roles, but linters do not.
    "x-scope": scope,
    parameters: describeParameters(operation),
    requestBody: describeRequestBody(operation),
    responses: describeResponses(operation),
  };
}

/** Returns the credentials that an operation accepts: a session in the API alone. */
function securityOf({ scope, path }: Operation): OperationObject["security"] {
  if (scope === undefined) return [];
  return path.startsWith("/api/v1/") ? [{ apiKey: [] }, { session: [] }] : [{ apiKey: [] }];
}

function describeResponses(operation: Operation): OperationObject["responses"] {
  const responses: Record<string, ResponseObject | Reference> = {};
  const isLimited = operation.scope !== undefined;
  for (const success of operation.successes) {
    responses[success.status] = describeSuccess(success, isLimited);
    if (!isConditional(operation, success)) continue;
    const description = "The client's copy is still current.";
    const { headers } = success;
    responses[304] = describeSuccess({ status: 304, description, headers }, isLimited);
  }
  for (const [status, codes] of problemsOf(operation)) {
    const page = responses[status] as ResponseObject | undefined;
    if (operation.isPage) responses[status] = page ?? describeProblemPage(codes);
    else {
      responses[status] = page === undefined
        ? { $ref: `#/components/responses/${problemResponseName(codes)}` }
        : join(page, describeProblemResponse(codes));
    }
  }
  return responses;
}

function describeSuccess(success: Success, isLimited: boolean): ResponseObject {
  const { others, headers = [] } = success;
  const content = contentOf(success);
  const names = [...COMMON_HEADERS, ...(isLimited ? RATE_HEADERS : []), ...headers];
  const known: Pick<Schema, "description" | "contentMediaType"> | undefined =
    typeof content === "string" ? CONTENTS[content] : content;
  const { description = known?.description ?? "" } = success;
  const response = { description, headers: headerRefs(names) };
  if (content === undefined && others === undefined) return response;
  const { contentMediaType = JSON_TYPE } = known ?? {};
  const contents = { ...content && { [contentMediaType]: content }, ...others };
  return { ...response, content: mapValues(contents, describeMedia) };
}

function describeProblemPage(codes: readonly ProblemCode[]): ResponseObject {
  const { description, headers } = describeProblemResponse(codes);
  return { description, headers, content: { "text/html": describeMedia("Page") } };
}

/** Joins the descriptions of a page and of a problem with the same status. */
function join(page: ResponseObject, problem: ResponseObject): ResponseObject {
  return {
    description: `${page.description}\n\n${problem.description}`,
    headers: { ...page.headers, ...problem.headers },
    content: { ...page.content, ...problem.content },
  };
}

function describeParameterRef(name: string): Reference {
  return { $ref: `#/components/parameters/${name}` };
}

function describeRequestBody(operation: Operation): RequestBody | undefined {
  const { body, bodyInputs, streams } = operation;
  if (streams !== undefined) return { required: true, content: describeStreams(streams) };
  return body && bodyInputs && describeBody(body, bodyInputs, operation);
}

function describeStreams(streams: NonNullable<Operation["streams"]>): Content {
  return mapValues(streams, ({ schema, maxBytes }) => ({
    ...describeMedia(schema),
    "x-max-bytes": maxBytes,
  }));
}

function describeMedia(content: Described | ContentName): MediaType {
  if (typeof content === "object") {
    return { schema: schemaRef(content.title), example: exampleOf(content.fields) };
  }
  const { examples = [] }: Schema = CONTENTS[content];
  const lines = RECORDS_WITHIN[content]?.map(({ title }) => schemaRef(title));
  const items = lines && { "x-item-schema": { oneOf: lines } };
  return { schema: schemaRef(content), ...items, example: examples[0] };
}

function describeParameters(operation: Operation): OperationObject["parameters"] {
  const { path, query = {}, queryInputs = {} } = operation;
  return [
    ...Object.entries(parametersOf(path)).map(
      ([name, { schema: { description = "", examples } }]): ParameterObject => {
        const schema: Schema = { type: "string", minLength: 1, examples };
        return { name, in: "path", required: true, description, schema };
      },
    ),
    ...Object.entries(query).map(([name, field]): ParameterObject => {
      const input = queryInputs[name];
      const { description, ...schema } = describeTextInput(field, input);
      return { name, in: "query", required: input.required, description, schema };
    }),
    describeParameterRef("X-Request-Id"),
    ...conditionsOf(operation).map(describeParameterRef),
  ];
}

function describeBody(
  fields: InputFields,
  inputs: Inputs,
  { bodyOptional, maxBodyBytes }: Pick<Operation, "bodyOptional" | "maxBodyBytes">,
): RequestBody {
  const required = Object.keys(inputs).filter((name) => inputs[name].required);
  function describe(write: typeof describeJsonInput): MediaType {
    const properties = mapValues(fields, (field, name) => write(field, inputs[name]));
    const examples = Object.entries(properties).flatMap(([name, schema]) =>
      schema.examples === undefined ? [] : [[name, schema.examples[0]]]
    );
    return {
      schema: {
        type: "object",
        properties,
        // Tools for older drafts of JSON Schema (before 6) refuse an empty list.
        required: required.length > 0 ? required : undefined,
      },
      example: Object.fromEntries(examples),
      "x-max-bytes": maxBodyBytes,
    };
  }
  const content = {
    [FORM_TYPE]: describe(describeTextInput),
    [JSON_TYPE]: describe(describeJsonInput),
  };
  return { required: !bodyOptional, content };
}
