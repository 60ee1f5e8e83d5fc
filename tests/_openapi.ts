import type { Handler, HandlerOptions } from "../mod.ts";
import type { Endpoint } from "../routes/_docs/operation.ts";
import type { OpenApi, ParameterObject, Reference } from "../routes/_openapi/types.ts";
import type { Schema } from "../routes/_openapi/schema.ts";
import { FORM, JSON_TYPE } from "./_calls.ts";
import { createService, OPERATOR_KEY } from "./_service.ts";

/** What a call of an operation carries. */
export interface Call {
  readonly key?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, unknown>>;
  readonly json?: Readonly<Record<string, unknown>>;
  /** Sent as it is, with its media type. */
  readonly content?: readonly [mediaType: string, text: string];
}

/**
 * Creates a handler over a new storage in memory, at the time of the examples, with the default limit
 * and all operations.
 */
export function createTestHandler(options: Partial<HandlerOptions> = {}): Handler {
  const publicUrl = "https://boards.example.com";
  return createService({ rateLimit: undefined, publicUrl, ...options }).handler;
}

/** Reads the description that a handler serves. */
export async function readApi(handler: Handler, basePath = ""): Promise<OpenApi> {
  return await (await handler(new Request(`http://localhost${basePath}/openapi.json`))).json();
}

/** Lists the parameters of an operation that are in one place. */
export function parametersOf(
  api: OpenApi,
  { operation }: Endpoint,
  place: ParameterObject["in"],
): readonly ParameterObject[] {
  return operation.parameters.map((parameter) => follow<ParameterObject>(api, parameter))
    .filter((parameter) => parameter.in === place);
}

/** Returns the fields of a body in a form or in JSON; none where the body is no set of fields. */
export function fieldsOf(
  { operation }: Endpoint,
  mediaType: typeof FORM | typeof JSON_TYPE,
): Readonly<Record<string, Schema>> {
  return operation.requestBody?.content[mediaType]?.schema.properties ?? {};
}

/** Returns what a reference leads to, or the value itself. */
export function follow<T extends object>(api: OpenApi, value: T | Reference): T {
  if (!("$ref" in value)) return value;
  const names = value.$ref.split("/").slice(1);
  return names.reduce<unknown>(
    (node, name) => (node as Record<string, unknown>)[name],
    api,
  ) as T;
}

/** Makes the request of a call; path parameters that are not given have the value of examples. */
export function requestOf(api: OpenApi, endpoint: Endpoint, call: Call = {}): Request {
  const path = parametersOf(api, endpoint, "path").reduce((text, { name, schema }) => {
    const value = call.params?.[name] ?? String(schema.examples?.[0]);
    return text.replace(`{${name}}`, encodeURIComponent(value));
  }, endpoint.path);
  const { key = OPERATOR_KEY, form, json, content: [mediaType, text] = [] } = call;
  const url = `http://localhost${path}?${new URLSearchParams(call.query)}`;
  const headers = new Headers(call.headers);
  if (key !== "") headers.set("Authorization", `Bearer ${key}`);
  const contentType = json !== undefined ? JSON_TYPE : form !== undefined ? FORM : mediaType;
  if (contentType !== undefined) headers.set("Content-Type", contentType);
  const fields = Object.entries(form ?? {}).map(([name, value]) => [name, `${value}`]);
  return new Request(url, {
    method: endpoint.method,
    headers,
    body: json !== undefined
      ? JSON.stringify(json)
      : form !== undefined
      ? `${new URLSearchParams(fields)}`
      : text,
  });
}
