import type { Handler } from "../../mod.ts";
import { printable } from "../shell/layout.ts";

// There is no flag for it, because every user of a machine sees the arguments of its processes.
/** The variable with the API key for a server. */
export const KEY_VARIABLE = "BOARDCAST_KEY";

/** Texts by the names of their fields. */
export type TextFields = Readonly<Record<string, string>>;

/** A request to the API. */
export interface Call {
  readonly method: string;
  /** The path below the address of the server. */
  readonly path: string;
  readonly query?: TextFields;
  readonly headers?: TextFields;
  /** The fields of a form; or bytes, whose media type is in the headers. */
  readonly body?: TextFields | ReadableStream<Uint8Array>;
}

/** Sends a request and returns the response. Throws a {@linkcode RequestError} for a problem. */
export type SendRequest = (call: Call) => Promise<Response>;

/** The members of a problem (RFC 9457) that commands read. */
type ProblemContent = Pick<RequestError, "code"> & Partial<Pick<RequestError, "errors">> & {
  readonly detail: string;
};

/** The API has refused a request. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: string;
  /** The refused fields. */
  readonly errors: readonly { readonly field: string; readonly detail: string }[];
  /** The wait before the next attempt in milliseconds, if the API asks for one. */
  readonly retryAfterMs: number | undefined;

  constructor({ code, detail, errors = [] }: ProblemContent, retryAfter: string | null = null) {
    const message = printable(detail);
    super(code === "invalid_token" ? `${message} (it is in ${KEY_VARIABLE})` : message);
    this.code = code;
    this.errors = errors.map(({ field, detail }) => ({ field, detail: printable(detail) }));
    this.retryAfterMs = retryAfter === null ? undefined : Number(retryAfter) * 1_000;
  }
}

/** A server answers unlike Boardcast, maybe because its address is wrong. */
export class ForeignServer extends Error {
  override readonly name = "ForeignServer";
}

/** A server, and the API key for it. */
export interface Server {
  readonly url: string;
  /** Absent if only the API's description is read, which needs no key. */
  readonly key?: string | undefined;
}

const NOT_MODIFIED = 304;
const PATHS_OF_DATA = /^\/(?:api\/|openapi\.json$)/;
const DATA_TYPES = /^(?:application\/(?:json|x-ndjson)|text\/csv)\b/;
// Other paths need no key, or contain a secret of their own.
const PATHS_WITH_KEY = /^\/(?:api\/|metrics$)/;

/** Returns a function that sends requests to a server through `handler`. */
export function createSender({ url, key }: Server, handler: Handler): SendRequest {
  return async ({ method, path, query, headers, body }) => {
    const search = query === undefined ? "" : `${new URLSearchParams(query)}`;
    const sent = new Headers(headers);
    if (key !== undefined && PATHS_WITH_KEY.test(path)) sent.set("Authorization", `Bearer ${key}`);
    const response = await handler(
      new Request(`${url}${path}${search === "" ? "" : `?${search}`}`, {
        method,
        headers: sent,
        body: body === undefined || body instanceof ReadableStream
          ? body
          : new URLSearchParams(body),
        // The key must not reach another server.
        redirect: "manual",
      }),
    );
    const { ok, status } = response;
    const type = response.headers.get("content-type");
    // Other paths have pages and images, too.
    const isOurs = type === null || !PATHS_OF_DATA.test(path) || DATA_TYPES.test(type);
    if ((ok || status === NOT_MODIFIED) && isOurs) return response;
    if (type === "application/problem+json") {
      throw new RequestError(await response.json(), response.headers.get("retry-after"));
    }
    await response.body?.cancel();
    const found = ok ? `${status} with ${printable(type)}` : status;
    throw new ForeignServer(
      `${url} answered ${found}, unlike Boardcast: is it the right address?`,
    );
  };
}
