import type { ResponseHeaderName } from "../../_http/reply.ts";
import type { HeaderObject } from "./types.ts";

const text = (description: string, example: string): HeaderObject => ({
  description,
  schema: { type: "string", examples: [example] },
});

const everywhere = (header: HeaderObject): HeaderObject => ({ ...header, "x-everywhere": true });

const NOT_COUNTED = "Absent if requests are not limited, or if the request was refused before it " +
  "was counted.";

/** The request headers of operations, beside those for the body and the key. */
export const REQUEST_HEADERS = {
  "X-Request-Id": text(
    "Your own identifier for the request, which is returned in the response and appears in the log. " +
      "One that does not match `^[A-Za-z0-9._-]{1,64}$` is replaced.",
    "import-2026-11-21",
  ),
  "If-None-Match": text(
    "`ETag`s that you have, or `*`: the response is 304 without content if it still has one.",
    '"47DEQpj8HBSa+/TImW+5JCeuQeR"',
  ),
  "If-Match": text(
    "`ETag`s, or `*`: 412, and nothing is changed, unless it still has one of them.",
    "*",
  ),
} as const satisfies Record<string, HeaderObject>;

/** The promised response headers. */
export const RESPONSE_HEADERS = {
  "X-Request-Id": everywhere(text(
    "The identifier of the request, as in the log.",
    "import-2026-11-21",
  )),
  "Cache-Control": everywhere(text("Whether the response may be cached.", "no-store")),
  "X-Content-Type-Options": everywhere(text("The media type must not be guessed.", "nosniff")),
  "RateLimit-Policy": everywhere(text(
    "The size of the burst (`q`) and the seconds in which all of it is granted again (`w`). " +
      NOT_COUNTED,
    '"default";q=200;w=2',
  )),
  RateLimit: everywhere(text(
    "How many requests are left (`r`), and the seconds until all are granted again (`t`). " +
      NOT_COUNTED,
    '"default";r=199;t=1',
  )),
  "Retry-After": {
    description: "After how many seconds to try again.",
    schema: { type: "integer", minimum: 1, examples: [1] },
  },
  ETag: text("A strong validator of the current state.", '"47DEQpj8HBSa+/TImW+5JCeuQeR"'),
  Vary: text("What else decides about the content.", "Accept-Encoding"),
  "Last-Modified": text("When it last changed.", "Sat, 21 Nov 2026 10:00:00 GMT"),
  Location: text("The path of what was created.", "/api/v1/boards/feature-requests"),
  "WWW-Authenticate": text(
    "The challenge (RFC 6750, section 3): what is wrong with the key.",
    'Bearer realm="boardcast", error="invalid_token"',
  ),
  "Access-Control-Allow-Origin": text("Any page may read it.", "*"),
  Allow: text("The methods that the path allows; only with 405.", "GET, HEAD, OPTIONS"),
  Accept: text(
    "The media types that are accepted, if the one sent is not.",
    "application/x-www-form-urlencoded, application/json",
  ),
  "Accept-Encoding": text("`identity`, if the body had a `Content-Encoding`.", "identity"),
} as const satisfies Record<ResponseHeaderName, HeaderObject>;
