import type { Handler } from "../mod.ts";

/** The variable with the API key for a server; it has no flag, as flags are seen by all. */
export const KEY_VARIABLE = "BOARDCAST_KEY";

/** What the API answered. */
export type Answer = Readonly<Record<string, unknown>>;

/** A call of the API, with its fields. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below `/api/v1`. */
  readonly path: string;
  readonly fields: Answer;
}

/** A request to the API. */
export interface ApiRequest {
  readonly method: Call["method"];
  /** The path below `/api/v1`, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields, or content whose type is in the headers. */
  readonly body?: Answer | ReadableStream<Uint8Array>;
}

/** Sends a request and returns the response. Throws a {@linkcode RequestError} for a problem. */
export type SendRequest = (request: ApiRequest) => Promise<Response>;

/** A problem that the API answered. */
export class RequestError extends Error {
  /** Always `RequestError`. */
  override readonly name = "RequestError";
  /** The stable code. */
  readonly code: string;
  /** What is wrong with fields of the request. */
  readonly errors: readonly { readonly field: string; readonly detail: string }[];

  /** Creates the error of the content of a problem. */
  constructor({ code, detail, errors = [] }: {
    readonly code: string;
    readonly detail: string;
    readonly errors?: RequestError["errors"];
  }) {
    super(code === "invalid_token" ? `${detail} (it is in ${KEY_VARIABLE})` : detail);
    this.code = code;
    this.errors = errors;
  }
}

/** Adds fields to a path as its query. */
export function withQuery(path: string, fields: Answer): string {
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  return texts.length === 0 ? path : `${path}?${new URLSearchParams(texts)}`;
}

/** A server and the key for it. */
export interface Server {
  readonly url: string;
  readonly key: string;
}

/** Creates what sends requests to a server, by `handler`. */
export function createSender({ url, key }: Server, handler: Handler): SendRequest {
  return async ({ method, path, headers, body }) => {
    const isStream = body instanceof ReadableStream;
    const type = body === undefined || isStream
      ? undefined
      : { "Content-Type": "application/json" };
    const response = await handler(
      new Request(`${url}/api/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, ...type, ...headers },
        body: isStream ? body : body && JSON.stringify(body),
        // The key is for this server alone.
        redirect: "manual",
      }),
    );
    if (response.ok) return response;
    const isProblem = response.headers.get("content-type") === "application/problem+json";
    if (isProblem) throw new RequestError(await response.json());
    await response.body?.cancel();
    throw new Error(
      `${url} answered ${response.status}, unlike Boardcast: is it the right address?`,
    );
  };
}
