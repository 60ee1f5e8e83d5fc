import type { Handler } from "../../mod.ts";

// No flag, as every user of a machine sees the arguments of its processes.
/** The variable with the API key for a server. */
export const KEY_VARIABLE = "BOARDCAST_KEY";

/** A JSON object of the API. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A call of the API. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the address of the server. */
  readonly path: string;
  /** What is sent as query or, where a method has a body, as JSON; an empty text clears a field. */
  readonly fields?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body in place of fields, whose type is in the headers. */
  readonly content?: ReadableStream<Uint8Array>;
}

/** Sends a request and returns the response. Throws a {@linkcode RequestError} for a problem. */
export type SendRequest = (call: Call) => Promise<Response>;

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

/** A server, and the API key for it. */
export interface Server {
  readonly url: string;
  readonly key: string;
}

/** Returns a function that sends requests to a server through `handler`. */
export function createSender({ url, key }: Server, handler: Handler): SendRequest {
  return async ({ method, path, fields = {}, headers, content }) => {
    const hasQuery = content !== undefined || method === "GET" || method === "DELETE";
    const texts = Object.entries(fields).map(([name, value]) => [name, `${value}`]);
    const query = hasQuery && texts.length > 0 ? `?${new URLSearchParams(texts)}` : "";
    const json = JSON.stringify(fields, (_, value) => value === "" ? null : value);
    const response = await handler(
      new Request(`${url}${path}${query}`, {
        method,
        headers: {
          ...path.startsWith("/api/") && { Authorization: `Bearer ${key}` },
          ...!hasQuery && { "Content-Type": "application/json" },
          ...headers,
        },
        body: hasQuery ? content : json,
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
