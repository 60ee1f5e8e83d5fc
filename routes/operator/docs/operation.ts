import { type Html, markup, separate } from "../../../model/values/html.ts";
import type {
  Content,
  OpenApi,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
} from "../openapi/types.ts";
import {
  componentNameOf,
  fieldRows,
  renderDescription,
  renderFields,
  renderInline,
  renderTable,
  renderTableRow,
} from "./fields.ts";
import { writeCurl } from "./curl.ts";

/** An operation with its method and path. */
export interface DescribedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

/** A placeholder in rendered pages for the URL under which a reader reaches the server. */
export const BASE_URL_SLOT = "{base_url}";

type StatusResponse = readonly [status: string, response: ResponseObject];

/** Lists the operations of a description. */
export function listOperations({ paths }: OpenApi): readonly DescribedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    }))
  );
}

/**
 * Renders an operation: its parameters, body and responses with examples, and an example of the
 * problem with the code `problem`, if given.
 */
export function renderOperation(
  described: DescribedOperation,
  { components }: OpenApi,
  { problem }: { readonly problem?: string } = {},
): Html {
  const { operation } = described;
  const { operationId, summary, description } = operation;
  const parameters = operation.parameters.map((it) => resolve(it, components.parameters));
  const responses = Object.entries(operation.responses)
    .map(([status, it]): StatusResponse => [status, resolve(it, components.responses)]);
  const [[status, success]] = responses;
  const [{ example = undefined } = {}] = Object.values(success.content ?? {});
  return markup`
<article id="${operationId}" class="columns" aria-labelledby="${operationId}-title">
<div>
<h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
${renderRoute(described)}
${renderDescription(description)}
${renderParameters(parameters, operation)}
${renderResponses(responses, components)}
</div>
<div class="examples">
${renderSample(described, parameters, success)}
${typeof example !== "object" ? undefined : renderExample(`Response ${status}`, example)}
${problem && renderProblemExample(problem, components.examples[problem].value)}
</div>
</article>`;
}

export function renderRoute({ method, path }: DescribedOperation): Html {
  // A line may break before each slash.
  const parts = path.split("/").slice(1);
  const code = markup`<code>${parts.map((part) => markup`<wbr>/${part}`)}</code>`;
  return markup`<div class="route">${renderMethod(method)} ${code}</div>`;
}

/** The colours of methods: those of labels. */
const METHOD_TONES: Readonly<Record<string, number>> = {
  GET: 0,
  PUT: 1,
  DELETE: 2,
  POST: 3,
  PATCH: 4,
};

export function renderMethod(method: string): Html {
  return markup`<span class="method tone-${METHOD_TONES[method]}">${method}</span>`;
}

function renderParameters(
  parameters: readonly ParameterObject[],
  { requestBody }: OperationObject,
): Html {
  const own = parameters.filter(({ name }) => name !== "X-Request-Id");
  const inPlace = (place: ParameterObject["in"]) => own.filter((it) => it.in === place);
  // JSON comes last, and its description says more: a form may have empty fields.
  const { schema = {} } = Object.values(requestBody?.content ?? {}).at(-1) ?? {};
  const caption = requestBody?.required === false
    ? "Fields of the body, which may be omitted"
    : "Fields of the body, a form or JSON";
  return markup`
${renderFields("Path parameters", inPlace("path"))}
${renderFields("Query parameters", inPlace("query"))}
${renderFields("Request headers", inPlace("header"))}
${renderFields(caption, fieldRows(schema))}`;
}

function renderResponses(
  responses: readonly StatusResponse[],
  { examples, schemas, headers: described }: OpenApi["components"],
): Html {
  const successes = responses.filter(([status]) => Number(status) < 400);
  const rows = successes.map(([status, { description, content, headers }]) =>
    renderTableRow(
      status,
      markup`${renderMeaning(description, content, schemas)} ${
        renderHeaders(Object.keys(headers).filter((name) => !described[name]["x-everywhere"]))
      }`,
    )
  );
  const problems = responses.flatMap(([status, { content }]) =>
    Object.values(content ?? {}).flatMap(({ examples = {} }) => Object.keys(examples))
      .filter((code) => !examples[code]["x-everywhere"])
      .map((code) =>
        markup`<li><a href="#${code}"><span>${status}</span> <code>${code}</code></a></li>`
      )
  );
  const table = renderTable("Responses", rows, {
    columns: ["Status", "Meaning"],
    kind: "responses",
  });
  return markup`${table}
<h4>Problems</h4>
<ul class="codes">${problems}</ul>`;
}

/** Describes a response and links to the object that is its content. */
function renderMeaning(
  description: string,
  content: Content = {},
  schemas: OpenApi["components"]["schemas"],
): Html {
  const [{ schema = {}, example = undefined } = {}] = Object.values(content);
  const isObject = schema.$ref !== undefined && typeof example === "object";
  const text = isObject
    ? `${description} Content: \`${componentNameOf(schema.$ref!)}\`.`
    : description;
  return {
    html: renderInline(text).html.replace(/<code>(\w+)<\/code>/g, (code, name) =>
      // Only objects have a section.
      schemas[name]?.properties === undefined ? code : `<a href="#${name}">${code}</a>`),
  };
}

function renderHeaders(names: readonly string[]): Html | undefined {
  if (names.length === 0) return undefined;
  return markup`Headers: ${separate(", ", names.map((name) => markup`<code>${name}</code>`))}.`;
}

function renderSample(
  { path, method, operation }: DescribedOperation,
  parameters: readonly ParameterObject[],
  { content: returned = {} }: ResponseObject,
): Html {
  const filled = parameters.reduce((text, { name, schema }) => {
    const example = encodeURIComponent(String(schema.examples?.[0] ?? name));
    return text.replace(`{${name}}`, example.replaceAll("%40", "@"));
  }, path);
  const query = new URLSearchParams(
    parameters.filter(({ in: place, required }) => place === "query" && required)
      .map(({ name, schema }) => [name, String(schema.examples?.[0])]),
  );
  const sent = operation.requestBody?.content ?? {};
  const [, form] = Object.entries(sent).find(([type]) => type.endsWith("form-urlencoded")) ?? [];
  const file = Object.keys(sent).find((type) => type.startsWith("image/"));
  const [contentType, content] =
    Object.entries(sent).findLast(([, { example }]) => typeof example === "string") ?? [];
  const [type] = Object.keys(returned);
  const code = writeCurl({
    method,
    url: `${BASE_URL_SLOT}${filled}${query.size > 0 ? `?${query}` : ""}`,
    needsKey: operation.security.length > 0,
    form: form &&
      Object.fromEntries(
        Object.entries(form.example as object).map(([name, value]) => [name, String(value)]),
      ),
    text: contentType === undefined
      ? undefined
      : { contentType, content: String(content?.example) },
    file: file ? { contentType: "image/png", name: "screenshot.png" } : undefined,
    isSaved: type !== undefined && /^image\/(?!svg)/.test(type),
  });
  return renderCode(`${operation.summary} · curl`, code, { kind: "sample" });
}

function renderProblemExample(code: string, value: unknown): Html {
  const { status } = value as { readonly status: number };
  return renderExample(`Response ${status} · ${code}`, value);
}

function renderExample(caption: string, value: unknown): Html {
  // Short nested lists and objects take one line.
  const json = JSON.stringify(value, null, 2).replace(
    /(\{|\[)\n\s+([^{}[\]]{1,120})\n\s+(\}|\])/g,
    (_, open: string, members: string, close: string) => {
      const space = open === "{" ? " " : "";
      return open + space + members.replace(/\n\s+/g, " ") + space + close;
    },
  );
  return renderCode(caption, json);
}

function renderCode(caption: string, code: string, { kind = "response" } = {}): Html {
  return markup`
<figure class="${kind}">
<figcaption>${caption}</figcaption>
<pre><code>${code}</code></pre>
</figure>`;
}

function resolve<T extends object>(value: T | Reference, components: Record<string, T>): T {
  return "$ref" in value ? components[componentNameOf(value.$ref)] : value;
}
