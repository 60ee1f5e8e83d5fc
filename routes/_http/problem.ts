import { STATUS_TEXT } from "../../std.ts";
import type { RefusalCode } from "../../model/values/refusal.ts";
import { MAX_OPEN_POSTS } from "../../model/posts/post.ts";
import { MAX_WEBHOOKS } from "../../model/webhooks/webhook.ts";
import { jsonReply, type TextReply } from "./reply.ts";

/**
 * All problems by their stable codes, with status and default `detail`. Some problems always
 * replace the detail; their entry is an example for the reference.
 */
export const PROBLEMS = {
  malformed_path: [400, "The path has a bad percent-escape, invalid UTF-8 or NUL"],
  malformed_body: [400, 'The body can\'t be read: the field "userEmail" is given twice'],
  malformed_credentials: [
    400,
    "The Authorization header is not a single Bearer scheme with a single token",
  ],
  missing_credentials: [401, "Send an API key in the header Authorization: Bearer <API_KEY>"],
  invalid_token: [401, "The API key is unknown, expired or revoked"],
  insufficient_scope: [403, "The API key or the role lacks the scope boards:write"],
  foreign_origin: [403, "Another site sent the request; open the studio, and try again there"],
  not_found: [404, "There is nothing at this path"],
  board_not_found: [404, "There is no board with this boardId"],
  post_not_found: [404, "There is no post with this postId on the board"],
  entry_not_found: [404, "There is no entry with this entryId"],
  delivery_not_found: [404, "There is no delivery with this deliveryId"],
  webhook_not_found: [404, "There is no webhook with this webhookId"],
  message_not_found: [
    404,
    "The webhook has no message with this messageId; messages are kept for 7 days",
  ],
  subscriber_not_found: [404, "There is no subscriber with this address"],
  image_not_found: [404, "There is no image with this imageId"],
  key_not_found: [404, "There is no API key with this keyId"],
  member_not_found: [404, "There is no member with this memberId"],
  method_not_allowed: [405, "This path allows GET, HEAD, OPTIONS"],
  request_timeout: [408, "The body did not arrive within 10 s"],
  board_exists: [409, "There already is a board with this boardId"],
  entry_exists: [409, "There already is an entry with this entryId"],
  post_exists: [409, "There already is a post with this postId, maybe on another board"],
  post_closed: [409, "The post takes no votes: it is shipped, declined, held or hidden"],
  board_full: [409, `The board has ${MAX_OPEN_POSTS} posts that are neither shipped nor declined`],
  too_many_webhooks: [409, `There are ${MAX_WEBHOOKS} webhooks already`],
  webhook_disabled: [409, "The webhook is disabled, as its problem may say: enable it first"],
  mail_not_configured: [
    409,
    "The server sends no mail: give it a relay, a sender and a public URL",
  ],
  member_exists: [409, "There already is a member with this userEmail"],
  own_membership: [409, "Members can't change their own role or remove themselves"],
  images_full: [409, "There is no room for another image: delete one first"],
  precondition_failed: [412, "What is stored no longer matches If-Match: it has changed"],
  body_too_large: [413, "The body is larger than 16384 bytes"],
  unsupported_media_type: [
    415,
    "The Content-Type is not application/x-www-form-urlencoded or application/json in UTF-8",
  ],
  validation_failed: [422, "subscribe is required"],
  rate_limited: [429, "The API key is over its rate limit"],
  internal_error: [500, "Something went wrong; the log has details"],
  unsupported_transfer_encoding: [501, "The body must have no Transfer-Encoding but chunked"],
  storage_unavailable: [503, "Storage can't do this at the moment; try again"],
} as const;

/** The media type of problems (RFC 9457, section 3). */
export const PROBLEM_TYPE = "application/problem+json";

/** Headers that tell a client to try again after a second. */
export const RETRY_SOON = { "Retry-After": "1" } as const;

/** The stable code of a problem. */
export type ProblemCode = keyof typeof PROBLEMS;

const TITLES: Readonly<Record<number, string>> = {
  ...STATUS_TEXT,
  // RFC 9110, section 15.5.21 renamed this status; the library has the older phrase.
  422: "Unprocessable Content",
};

/** The reason why a field was refused. */
export interface FieldProblem {
  readonly field: string;
  readonly code: RefusalCode;
  /** A sentence for people that names the field. */
  readonly detail: string;
}

/**
 * The reason why a request is refused. A function that refuses a request returns a `Problem`
 * instead of its result, because a throw would cost more than the rest of a refusal; the handler
 * turns it into a response. Only the reader of a streamed body throws one, if the body ends early.
 */
export class Problem {
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  /** The refused fields, for `validation_failed`. */
  readonly errors?: readonly FieldProblem[];
  /** A sentence for people. */
  readonly detail: string;

  /** Creates a problem. {@linkcode PROBLEMS} has the default for `detail`. */
  constructor(
    code: ProblemCode,
    detail: string = PROBLEMS[code][1],
    { headers = {}, errors }: Partial<Pick<Problem, "headers" | "errors">> = {},
  ) {
    this.code = code;
    this.headers = headers;
    this.errors = errors;
    this.detail = detail;
  }
}

/** Refuses the value of a field. The reason continues a sentence, such as "is in the past". */
export function badValue(field: string, reason: string): FieldProblem {
  return { field, code: "invalid_value", detail: `${field} ${reason}` };
}

/** Creates the problem that names every refused field; `hint` suggests a common cause. */
export function validationFailed(errors: readonly FieldProblem[], hint?: string): Problem {
  const details = errors.map((error) => error.detail);
  if (hint !== undefined) details.push(hint);
  return new Problem("validation_failed", details.join("; "), { errors });
}

/** Creates the problem for a request that the client should send again later. */
export function unavailable(detail?: string): Problem {
  return new Problem("storage_unavailable", detail, { headers: RETRY_SOON });
}

/** The problem for a request that arrives while the server stops. */
export const STOPPING = unavailable("The server is stopping");

/** Creates the problem for a body that did not arrive in time. */
export function requestTimeout(timeoutMs: number): Problem {
  const detail = `The body did not arrive within ${timeoutMs / 1000} s`;
  return new Problem("request_timeout", detail, { headers: { Connection: "close" } });
}

/** Creates the reply to a refused request. */
export function problemReply(
  { code, detail, headers, errors }: Problem,
  requestId: string,
): TextReply {
  const [status] = PROBLEMS[code];
  const title = TITLES[status];
  const members = { type: "about:blank", title, status, code, detail, requestId, errors };
  return { ...jsonReply(status, members, headers), contentType: PROBLEM_TYPE };
}
