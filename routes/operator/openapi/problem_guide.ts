import type { ResponseHeaderName } from "../../_http/reply.ts";
import { EMAIL_MAX_OCTETS } from "../../../model/values/email_address.ts";
import { BODY_TIMEOUT_MS } from "../../_http/body.ts";
import { MAX_BODY_BYTES } from "../../_http/operation.ts";
import { MAX_FIELDS } from "../../_http/form.ts";
import {
  Problem,
  type ProblemCode,
  problemReply,
  PROBLEMS,
  validationFailed,
} from "../../_http/problem.ts";

/** The meanings of problems in Markdown, unless their `detail` says enough. */
const MEANINGS: Partial<Record<ProblemCode, string>> = {
  malformed_path:
    "The path has a bad percent-escape, invalid UTF-8 or NUL, the query has one of the " +
    `first two, a query parameter is given twice, there are more than ${MAX_FIELDS} parameters, or the ` +
    "`Host` header contains `/`, `?`, `#` or `\\`.",
  malformed_body:
    "The body can't be read: a bad percent-escape, invalid UTF-8 or JSON, a field given twice, too " +
    "many fields, a header of CSV that can't be used, or an end before it was complete.",
  insufficient_scope: "The API key or the role lacks a scope; the challenge names it.",
  key_not_found: "There is no such API key, or it was revoked or has expired and can't be rotated.",
  method_not_allowed: "The path does not allow this method; `Allow` lists those that it does.",
  request_timeout: `The body was not complete within ${BODY_TIMEOUT_MS / 1000} s; of one that is ` +
    "imported, nothing arrived for so long.",
  body_too_large:
    `The body has more bytes than its operation takes: mostly ${MAX_BODY_BYTES}; each says it as \`x-max-bytes\`.`,
  unsupported_media_type:
    "The body is not of one of the media types in `Accept`, or not in UTF-8, or " +
    "it has a `Content-Encoding`.",
  validation_failed: "Values are missing or not acceptable; `errors` lists every one of them.",
  rate_limited:
    "The API key has made too many requests, or as many imports as may be under way; try again after `Retry-After` seconds.",
  internal_error: "The service is at fault. The log has details under the request id.",
  storage_unavailable:
    "Storage can't be used at the moment; try again after `Retry-After` seconds. A change may have " +
    "been made all the same: repeat a `PUT` or `DELETE`, but before a `POST` or `PATCH` look what " +
    "is there. A rotation may have revoked the old key; create a new one then.",
};

/** The headers of a response that follow from its problem. */
export const PROBLEM_HEADERS: Partial<Record<ProblemCode, readonly ResponseHeaderName[]>> = {
  malformed_credentials: ["WWW-Authenticate"],
  missing_credentials: ["WWW-Authenticate"],
  invalid_token: ["WWW-Authenticate"],
  insufficient_scope: ["WWW-Authenticate"],
  method_not_allowed: ["Allow"],
  unsupported_media_type: ["Accept", "Accept-Encoding"],
  rate_limited: ["Retry-After"],
  storage_unavailable: ["Retry-After"],
};

const REFUSED = [
  {
    field: "userEmail",
    code: "invalid_email",
    detail: `userEmail is longer than ${EMAIL_MAX_OCTETS} characters`,
  },
  { field: "subscribe", code: "required", detail: "subscribe is required" },
] as const;

export function meaningOf(code: ProblemCode): string {
  return MEANINGS[code] ?? `${PROBLEMS[code][1]}.`;
}

/** Returns an example of a problem as callers get it. */
export function problemExample(code: ProblemCode): unknown {
  const problem = code === "validation_failed" ? validationFailed(REFUSED) : new Problem(code);
  return JSON.parse(problemReply(problem, "6f1c2a34-5b8d-4c0e-9a57-1e2d3c4b5a69").body);
}
