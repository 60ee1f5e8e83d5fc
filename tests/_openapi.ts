import { openMemoryStorage } from "../adapters/memory.ts";
import { createHandler, type Handler, type HandlerOptions } from "../mod.ts";
import type {
  OpenApi,
  OperationObject,
  ParameterObject,
  Reference,
} from "../routes/_openapi/types.ts";

/** A key of the operator's own, which holds every scope. */
export const OPERATOR_KEY = "a-key-of-24-characters-or-more";
/** The time at which every example of the description was made. */
export const EXAMPLE_TIME = "2026-11-21T10:00:00.000Z";

/** An operation as it is described. */
export interface Described {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** What a call of an operation carries. */
export interface Call {
  readonly key?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, unknown>>;
  readonly json?: Readonly<Record<string, unknown>>;
}

/** Creates a handler over a new storage in memory, at the time of the examples. */
export function createTestHandler(options: Partial<HandlerOptions> = {}): Handler {
  return createHandler({
    storage: openMemoryStorage(),
    operatorKey: OPERATOR_KEY,
    clock: () => Date.parse(EXAMPLE_TIME),
    ...options,
  });
}

/** Reads the description that a handler serves. */
export async function readApi(handler: Handler, basePath = ""): Promise<OpenApi> {
  return await (await handler(new Request(`http://localhost${basePath}/openapi.json`))).json();
}

/** Lists the operations of a description. */
export function listDescribed({ paths }: OpenApi): readonly Described[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    }))
  );
}

/** Lists the parameters of an operation that are in one place. */
export function parametersOf(
  api: OpenApi,
  { operation }: Described,
  place: ParameterObject["in"],
): readonly ParameterObject[] {
  return operation.parameters.map((parameter) => follow<ParameterObject>(api, parameter))
    .filter((parameter) => parameter.in === place);
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
export function requestOf(api: OpenApi, described: Described, call: Call = {}): Request {
  const path = parametersOf(api, described, "path").reduce((text, { name, schema }) => {
    const value = call.params?.[name] ?? String(schema.examples?.[0]);
    return text.replace(`{${name}}`, encodeURIComponent(value));
  }, described.path);
  const { key = OPERATOR_KEY, form, json } = call;
  const url = `http://localhost${path}?${new URLSearchParams(call.query)}`;
  const headers = new Headers(call.headers);
  if (key !== "") headers.set("Authorization", `Bearer ${key}`);
  if (json !== undefined) headers.set("Content-Type", "application/json");
  const fields = Object.entries(form ?? {}).map(([name, value]) => [name, String(value)]);
  return new Request(url, {
    method: described.method,
    headers,
    body: json !== undefined
      ? JSON.stringify(json)
      : form && new URLSearchParams(fields as [string, string][]),
  });
}
