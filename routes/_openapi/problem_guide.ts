import { EMAIL_MAX_OCTETS } from "../../model/email_address.ts";
import { MAX_WEBHOOKS } from "../../model/webhook.ts";
import { BODY_TIMEOUT_MS, MAX_BODY_BYTES } from "../_body.ts";
import { MAX_FIELDS } from "../_form.ts";
import { type FieldProblem, Problem, type ProblemCode, problemReply } from "../_problem.ts";
import type { ResponseHeaderName } from "./headers.ts";

/** What a problem means, and how one of it reads. */
export interface ProblemGuide {
  /** When it is answered. */
  readonly meaning: string;
  /** The `detail` of an example. */
  readonly detail: string;
  /** The headers that such an answer has of its own. */
  readonly headers?: readonly ResponseHeaderName[];
  /** The refused fields of an example. */
  readonly errors?: readonly FieldProblem[];
}

const REQUIRED: FieldProblem = {
  field: "subscribe",
  code: "required",
  detail: "subscribe is required",
};

/** Every problem, explained. */
export const PROBLEM_GUIDE: Readonly<Record<ProblemCode, ProblemGuide>> = {
  malformed_path: {
    meaning:
      "The path has a bad percent-escape, invalid UTF-8 or NUL, the query has one of the first two, a " +
      "query parameter is given twice, there are more than " +
      `${MAX_FIELDS} parameters, or the \`Host\` header contains \`/\`, \`?\`, \`#\` or \`\\\`.`,
    detail: "The path has a bad percent-escape, invalid UTF-8 or NUL",
  },
  malformed_body: {
    meaning: "The body can't be read: a bad percent-escape, invalid UTF-8 or JSON, a field " +
      "given twice, too many fields, a header of CSV that can't be used, or an end before it was complete.",
    detail: 'The body can\'t be read: the field "userEmail" is given twice',
  },
  malformed_credentials: {
    meaning: "The `Authorization` header is not a single `Bearer` scheme with a single token.",
    detail: "The Authorization header is not a single Bearer scheme with a single token",
    headers: ["WWW-Authenticate"],
  },
  missing_credentials: {
    meaning: "The `Authorization` header is missing or uses a scheme other than `Bearer`.",
    detail: "Send an API key in the header Authorization: Bearer <API_KEY>",
    headers: ["WWW-Authenticate"],
  },
  invalid_token: {
    meaning: "The API key is unknown, expired or revoked.",
    detail: "The API key is unknown, expired or revoked",
    headers: ["WWW-Authenticate"],
  },
  insufficient_scope: {
    meaning: "The API key lacks a scope; the challenge names it.",
    detail: "The API key lacks the scope boards:write",
    headers: ["WWW-Authenticate"],
  },
  not_found: { meaning: "There is nothing at this path.", detail: "There is nothing at this path" },
  board_not_found: {
    meaning: "There is no such board.",
    detail: "There is no board with this boardId",
  },
  entry_not_found: {
    meaning: "There is no such entry.",
    detail: "There is no entry with this entryId",
  },
  delivery_not_found: {
    meaning: "The entry has no delivery: it was not published with `notify`, or is not there.",
    detail: "The entry is not being mailed, and was not",
  },
  webhook_not_found: {
    meaning: "There is no such webhook, or it has no such message.",
    detail: "There is no webhook with this webhookId",
  },
  subscriber_not_found: {
    meaning: "There is no subscriber with this address.",
    detail: "There is no subscriber with this address",
  },
  key_not_found: {
    meaning: "There is no such API key, or it was revoked or has expired and can't be rotated.",
    detail: "There is no API key with this keyId",
  },
  method_not_allowed: {
    meaning: "The path does not allow this method; `Allow` lists those that it does.",
    detail: "This path allows GET, HEAD, OPTIONS",
    headers: ["Allow"],
  },
  request_timeout: {
    meaning: `The body was not complete within ${BODY_TIMEOUT_MS / 1000} s; of one that is ` +
      "imported, nothing arrived for so long.",
    detail: `The body did not arrive within ${BODY_TIMEOUT_MS / 1000} s`,
  },
  board_exists: {
    meaning: "The `boardId` is already taken.",
    detail: "There already is a board with the boardId feature-requests",
  },
  entry_exists: {
    meaning: "The `entryId` is already taken.",
    detail: "There already is an entry with the entryId dark-mode",
  },
  too_many_webhooks: {
    meaning: `There are ${MAX_WEBHOOKS} webhooks already; delete one first.`,
    detail: `There are ${MAX_WEBHOOKS} webhooks already`,
  },
  mail_not_configured: {
    meaning: "The server sends no mail: it has no relay, no sender or no public URL.",
    detail: "The server sends no mail: give it a relay, a sender and a public URL",
  },
  precondition_failed: {
    meaning: "What is stored no longer matches `If-Match`: it has changed.",
    detail: "What is stored no longer matches If-Match",
  },
  body_too_large: {
    meaning: `The body has more than ${MAX_BODY_BYTES} bytes, or 131,072 where it holds an entry.`,
    detail: `The body is larger than ${MAX_BODY_BYTES} bytes`,
  },
  unsupported_media_type: {
    meaning:
      "The body is not of one of the media types in `Accept`, or not in UTF-8, or it has a " +
      "`Content-Encoding`.",
    detail:
      "The Content-Type is not application/x-www-form-urlencoded or application/json in UTF-8",
    headers: ["Accept", "Accept-Encoding"],
  },
  validation_failed: {
    meaning: "Values are missing or not acceptable; `errors` lists every one of them.",
    detail: `userEmail is longer than ${EMAIL_MAX_OCTETS} characters; ${REQUIRED.detail}`,
    errors: [{
      field: "userEmail",
      code: "invalid_email",
      detail: `userEmail is longer than ${EMAIL_MAX_OCTETS} characters`,
    }, REQUIRED],
  },
  rate_limited: {
    meaning: "The API key has made too many requests; try again after `Retry-After` seconds.",
    detail: "The API key is over its rate limit",
    headers: ["Retry-After"],
  },
  internal_error: {
    meaning: "The service is at fault. The log has details under the request id.",
    detail: "Something went wrong; the log has details",
  },
  unsupported_transfer_encoding: {
    meaning: "The body has a `Transfer-Encoding` other than `chunked`.",
    detail: "The body must have no Transfer-Encoding but chunked",
  },
  storage_unavailable: {
    meaning:
      "Storage can't be used at the moment; try again after `Retry-After` seconds. A change may have " +
      "been made all the same: repeat a `PUT` or `DELETE`, but before a `POST` or `PATCH` look what " +
      "is there. A rotation may have revoked the old key; create a new one then.",
    detail: "Storage can't do this at the moment; try again",
    headers: ["Retry-After"],
  },
};

/** Returns an example of a problem, as it is answered. */
export function problemExample(code: ProblemCode): unknown {
  const { detail, errors } = PROBLEM_GUIDE[code];
  const problem = new Problem(code, detail, { errors });
  return JSON.parse(problemReply(problem, "6f1c2a34-5b8d-4c0e-9a57-1e2d3c4b5a69").body);
}
