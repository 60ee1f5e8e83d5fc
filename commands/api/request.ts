import type { Handler } from "../../mod.ts";

// No flag, as every user of a machine sees the arguments of its processes.
/** The variable with the API key for a server. */
export const KEY_VARIABLE = "BOARDCAST_KEY";

/** A JSON object of the API. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A call of the API, with its fields. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below `/api/v1`. */
  readonly path: string;
  readonly fields: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request of the API. */
export interface ApiRequest extends Omit<Call, "fields"> {
  /** Whether the path is one below that of the server, which needs no key. */
  readonly isPublic?: boolean;
  /** Fields, or content whose type is in the headers. */
  readonly body?: JsonObject | ReadableStream<Uint8Array>;
}

/** Sends a request and returns the response. Throws a {@linkcode RequestError} for a problem. */
export type SendRequest = (request: ApiRequest) => Promise<Response>;

/** What the API answers where it refuses a request. */
type ProblemContent = Pick<RequestError, "code"> & Partial<Pick<RequestError, "errors">> & {
  readonly detail: string;
};

/** The API has refused a request. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: string;
  /** What is wrong with fields of the request. */
  readonly errors: readonly { readonly field: string; readonly detail: string }[];

  constructor({ code, detail, errors = [] }: ProblemContent) {
    super(code === "invalid_token" ? `${detail} (it is in ${KEY_VARIABLE})` : detail);
    this.code = code;
    this.errors = errors;
  }
}

/** Adds fields to a path as its query. */
export function withQuery(path: string, fields: JsonObject): string {
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  return texts.length === 0 ? path : `${path}?${new URLSearchParams(texts)}`;
}

/** A server, and the API key for it. */
export interface Server {
  readonly url: string;
  readonly key: string;
}

/** Returns a function that sends requests to a server through `handler`. */
export function createSender({ url, key }: Server, handler: Handler): SendRequest {
  return async ({ method, path, isPublic = false, headers, body }) => {
    const isStream = body instanceof ReadableStream;
    const type = body && !isStream ? { "Content-Type": "application/json" } : undefined;
    const response = await handler(
      new Request(isPublic ? `${url}${path}` : `${url}/api/v1${path}`, {
        method,
        headers: { ...(!isPublic && { Authorization: `Bearer ${key}` }), ...type, ...headers },
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
