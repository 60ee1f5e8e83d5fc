import { EMAIL_MAX_OCTETS } from "../../../model/values/email_address.ts";
import { MAX_WEBHOOKS } from "../../../model/webhooks/webhook.ts";
import { BODY_TIMEOUT_MS, MAX_BODY_BYTES } from "../../_http/body.ts";
import { MAX_FIELDS } from "../../_http/form.ts";
import { Problem, type ProblemCode, problemReply, validationFailed } from "../../_http/problem.ts";
import type { ResponseHeaderName } from "./headers.ts";

const TIMEOUT = `${BODY_TIMEOUT_MS / 1000} s`;

/** What each problem means, in Markdown, and the `detail` of an example where that differs. */
const GUIDE: Readonly<Record<ProblemCode, readonly [meaning: string, detail?: string]>> = {
  malformed_path: [
    "The path has a bad percent-escape, invalid UTF-8 or NUL, the query has one of the first two, a " +
    `query parameter is given twice, there are more than ${MAX_FIELDS} parameters, or the ` +
    "`Host` header contains `/`, `?`, `#` or `\\`.",
    "The path has a bad percent-escape, invalid UTF-8 or NUL",
  ],
  malformed_body: [
    "The body can't be read: a bad percent-escape, invalid UTF-8 or JSON, a field given twice, too " +
    "many fields, a header of CSV that can't be used, or an end before it was complete.",
    'The body can\'t be read: the field "userEmail" is given twice',
  ],
  malformed_credentials: [
    "The `Authorization` header is not a single `Bearer` scheme with a single token.",
  ],
  missing_credentials: [
    "The `Authorization` header is missing or uses a scheme other than `Bearer`.",
    "Send an API key in the header Authorization: Bearer <API_KEY>",
  ],
  invalid_token: ["The API key is unknown, expired or revoked."],
  insufficient_scope: [
    "The API key lacks a scope; the challenge names it.",
    "The API key lacks the scope boards:write",
  ],
  not_found: ["There is nothing at this path."],
  board_not_found: ["There is no such board.", "There is no board with this boardId"],
  entry_not_found: ["There is no such entry.", "There is no entry with this entryId"],
  delivery_not_found: [
    "The entry has no delivery: it was not published with `notify`, or is not there.",
    "The entry is not being mailed, and was not",
  ],
  webhook_not_found: [
    "There is no such webhook.",
    "There is no webhook with this webhookId",
  ],
  subscriber_not_found: ["There is no subscriber with this address."],
  key_not_found: [
    "There is no such API key, or it was revoked or has expired and can't be rotated.",
    "There is no API key with this keyId",
  ],
  method_not_allowed: [
    "The path does not allow this method; `Allow` lists those that it does.",
    "This path allows GET, HEAD, OPTIONS",
  ],
  request_timeout: [
    `The body was not complete within ${TIMEOUT}; of one that is imported, nothing arrived for so long.`,
    `The body did not arrive within ${TIMEOUT}`,
  ],
  board_exists: [
    "The `boardId` is already taken.",
    "There already is a board with the boardId feature-requests",
  ],
  entry_exists: [
    "The `entryId` is already taken.",
    "There already is an entry with the entryId dark-mode",
  ],
  message_not_found: [
    "The webhook has no message with this `messageId`; they are kept for 7 days.",
    "The webhook has no message with this messageId",
  ],
  webhook_disabled: [
    "The webhook is disabled, and its `problem` may say why; enable it first.",
    "The webhook is disabled: enable it first",
  ],
  too_many_webhooks: [
    `There are ${MAX_WEBHOOKS} webhooks already; delete one first.`,
    `There are ${MAX_WEBHOOKS} webhooks already`,
  ],
  mail_not_configured: [
    "The server sends no mail: it has no relay, no sender or no public URL.",
    "The server sends no mail: give it a relay, a sender and a public URL",
  ],
  precondition_failed: [
    "What is stored no longer matches `If-Match`: it has changed.",
    "What is stored no longer matches If-Match",
  ],
  body_too_large: [
    `The body has more than ${MAX_BODY_BYTES} bytes, or 131,072 where it holds an entry.`,
    `The body is larger than ${MAX_BODY_BYTES} bytes`,
  ],
  unsupported_media_type: [
    "The body is not of one of the media types in `Accept`, or not in UTF-8, or it has a `Content-Encoding`.",
    "The Content-Type is not application/x-www-form-urlencoded or application/json in UTF-8",
  ],
  validation_failed: [
    "Values are missing or not acceptable; `errors` lists every one of them.",
  ],
  rate_limited: [
    "The API key has made too many requests; try again after `Retry-After` seconds.",
    "The API key is over its rate limit",
  ],
  internal_error: [
    "The service is at fault. The log has details under the request id.",
    "Something went wrong; the log has details",
  ],
  unsupported_transfer_encoding: [
    "The body has a `Transfer-Encoding` other than `chunked`.",
    "The body must have no Transfer-Encoding but chunked",
  ],
  storage_unavailable: [
    "Storage can't be used at the moment; try again after `Retry-After` seconds. A change may have " +
    "been made all the same: repeat a `PUT` or `DELETE`, but before a `POST` or `PATCH` look what " +
    "is there. A rotation may have revoked the old key; create a new one then.",
    "Storage can't do this at the moment; try again",
  ],
};

/** The headers that the response has because of the problem. */
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

/** Returns what a code means. */
export function meaningOf(code: ProblemCode): string {
  return GUIDE[code][0];
}

/** Returns an example of a problem, as it is answered. */
export function problemExample(code: ProblemCode): unknown {
  const detail = GUIDE[code][1] ?? meaningOf(code).replaceAll("`", "").slice(0, -1);
  const problem = code === "validation_failed"
    ? validationFailed(REFUSED)
    : new Problem(code, detail);
  return JSON.parse(problemReply(problem, "6f1c2a34-5b8d-4c0e-9a57-1e2d3c4b5a69").body);
}
