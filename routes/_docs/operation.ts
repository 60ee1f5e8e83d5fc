import { fieldRows, nameOf, renderFields, renderRow, renderTable } from "./fields.ts";
import { type SampleCall, writeSamples } from "./samples.ts";
import { type Html, markup, separate } from "../_html.ts";
import { renderBlocks, renderInline } from "./markdown.ts";
import { COMMON_HEADERS, OF_NO_OPERATION, RATE_HEADERS } from "../_openapi/problems.ts";
import type {
  OpenApi,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
} from "../_openapi/types.ts";
import { FORM_TYPE } from "../_body.ts";
import { PROBLEM_TYPE } from "../_problem.ts";
import { JSON_TYPE } from "../_reply.ts";

/** An operation, with the path and the method that lead to it. */
export interface Endpoint {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

/** Stands in a rendered page for the URL under which its reader reaches the server. */
export const BASE_URL_SLOT = "{base_url}";

const USUAL_HEADERS: readonly string[] = [...COMMON_HEADERS, ...RATE_HEADERS];

/** Lists the operations of a description in its order. */
export function listEndpoints({ paths }: OpenApi): readonly Endpoint[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    }))
  );
}

/**
 * Renders an operation: what it takes and returns, and examples of both; with `problem`, the code
 * of one, also an example of that.
 */
export function renderEndpoint(
  endpoint: Endpoint,
  api: OpenApi,
  { problem }: { readonly problem?: string } = {},
): Html {
  const { operationId, summary, description } = endpoint.operation;
  return markup`
<article id="${operationId}" class="columns" aria-labelledby="${operationId}-title">
<div>
<h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
${renderRoute(endpoint)}
${renderBlocks(description)}
${renderParameters(endpoint.operation, api)}
${renderResponses(endpoint.operation, api)}
</div>
<div class="examples">
${renderSamples(endpoint, api)}
${renderResponseExample(endpoint.operation, api)}
${problem && renderProblemExample(problem, api)}
</div>
</article>`;
}

/** Renders the method and the path of an operation. */
export function renderRoute({ method, path }: Endpoint): Html {
  // A path may be broken in front of each slash.
  const parts = path.split("/").slice(1);
  const code = markup`<code>${parts.map((part) => markup`<wbr>/${part}`)}</code>`;
  return markup`<div class="route">${renderMethod(method)} ${code}</div>`;
}

/** Renders a method. */
export function renderMethod(method: string): Html {
  return markup`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function renderParameters({ parameters, requestBody }: OperationObject, api: OpenApi): Html {
  const all = parameters.map((parameter) => resolve(parameter, api.components.parameters));
  const inPlace = (place: ParameterObject["in"]) =>
    all.filter((parameter) => parameter.in === place && parameter.name !== "X-Request-Id");
  // That of a form says less, as its fields may be empty.
  const body = requestBody?.content[JSON_TYPE]?.schema ?? {};
  const caption = requestBody?.required === false
    ? "Fields of the body, which may be omitted"
    : "Fields of the body, a form or JSON";
  return markup`
${renderFields("Path parameters", inPlace("path"))}
${renderFields("Query parameters", inPlace("query"))}
${renderFields("Request headers", inPlace("header"))}
${renderFields(caption, fieldRows(body))}`;
}

function renderResponses({ responses }: OperationObject, api: OpenApi): Html {
  const all = Object.entries(responses).map(([status, response]) => ({
    status,
    response: resolve(response, api.components.responses),
  }));
  const problems = all.flatMap(({ status, response }) =>
    Object.keys(response.content?.[PROBLEM_TYPE]?.examples ?? {})
      .filter((code) => !OF_NO_OPERATION.some((other) => other === code))
      .map((code) => ({ status, code }))
  );
  const rows = all.filter(({ status }) => Number(status) < 400).map(({ status, response }) => {
    const details = markup`${renderContentLink(response)} ${renderOwnHeaders(response)}`;
    return renderRow(status, markup`${renderInline(response.description)} ${details}`);
  });
  return markup`${
    renderTable("Responses", rows, { columns: ["Status", "Meaning"], kind: "responses" })
  }
<h4>Problems</h4>
<ul class="codes">${
    problems.map(({ status, code }) =>
      markup`<li><a href="#${code}"><span>${status}</span> <code>${code}</code></a></li>`
    )
  }</ul>`;
}

function renderContentLink({ content = {} }: ResponseObject): Html | undefined {
  const [media] = Object.values(content);
  const ref = media?.schema.$ref;
  // Objects alone have a section of their own.
  if (ref === undefined || typeof media.example !== "object") return undefined;
  return markup`Content: <a href="#${nameOf(ref)}"><code>${nameOf(ref)}</code></a>.`;
}

function renderOwnHeaders({ headers }: ResponseObject): Html | undefined {
  const own = Object.keys(headers).filter((name) => !USUAL_HEADERS.includes(name));
  if (own.length === 0) return undefined;
  return markup`Headers: ${separate(", ", own.map((name) => markup`<code>${name}</code>`))}.`;
}

function renderSamples(endpoint: Endpoint, api: OpenApi): Html {
  const samples = writeSamples(sampleCall(endpoint, api));
  return markup`${
    samples.map(({ id, language, code }) =>
      renderCode(`${endpoint.operation.summary} · ${language}`, code, { kind: `sample ${id}` })
    )
  }`;
}

function sampleCall({ path, method, operation }: Endpoint, api: OpenApi): SampleCall {
  const filled = operation.parameters.map((parameter) =>
    resolve(parameter, api.components.parameters)
  )
    .filter((parameter) => parameter.in === "path")
    .reduce((text, { name, schema }) => {
      const example = encodeURIComponent(String(schema.examples?.[0] ?? name));
      return text.replace(`{${name}}`, example.replaceAll("%40", "@"));
    }, path);
  const example = operation.requestBody?.content[FORM_TYPE]?.example;
  const form = typeof example === "object" && example !== null
    ? Object.fromEntries(Object.entries(example).map(([name, value]) => [name, String(value)]))
    : undefined;
  const [contentType, media] = Object.entries(operation.requestBody?.content ?? {}).at(-1) ?? [];
  const text = contentType !== undefined && typeof media?.example === "string"
    ? { contentType, content: media.example }
    : undefined;
  const [, { content = {} }] = successOf(operation, api);
  const [type] = Object.keys(content);
  return {
    method,
    url: `${BASE_URL_SLOT}${filled}`,
    needsKey: operation.security.length > 0,
    form,
    text,
    response: type === undefined ? undefined : type === JSON_TYPE ? "json" : "text",
  };
}

function successOf({ responses }: OperationObject, { components }: OpenApi) {
  const [status, response] = Object.entries(responses)[0];
  return [status, resolve(response, components.responses)] as const;
}

function renderResponseExample(operation: OperationObject, api: OpenApi): Html | undefined {
  const [status, { content }] = successOf(operation, api);
  const example = content?.[JSON_TYPE]?.example;
  return example === undefined ? undefined : renderCode(`Response ${status}`, writeJson(example));
}

function renderProblemExample(code: string, { components }: OpenApi): Html {
  const value = components.examples[code].value as { readonly status: number };
  return renderCode(`Response ${value.status} · ${code}`, writeJson(value));
}

// Short lists and objects within others take one line.
function writeJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /(\{|\[)\n\s+([^{}[\]]{1,120})\n\s+(\}|\])/g,
    (_, open: string, members: string, close: string) => {
      const space = open === "{" ? " " : "";
      return open + space + members.replace(/\n\s+/g, " ") + space + close;
    },
  );
}

function renderCode(caption: string, code: string, { kind = "response" } = {}): Html {
  return markup`
<figure class="${kind}">
<figcaption>${caption}</figcaption>
<pre><code>${code}</code></pre>
</figure>`;
}

function resolve<T extends object>(value: T | Reference, components: Record<string, T>): T {
  return "$ref" in value ? components[nameOf(value.$ref)] : value;
}
