import { STATUS_TEXT } from "@std/http/status";
import type { RefusalCode } from "../../model/values/refusal.ts";
import type { TextReply } from "./reply.ts";

/** The status of every problem, by its stable code. */
export const PROBLEMS = {
  malformed_path: 400,
  malformed_body: 400,
  malformed_credentials: 400,
  missing_credentials: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  not_found: 404,
  board_not_found: 404,
  entry_not_found: 404,
  delivery_not_found: 404,
  webhook_not_found: 404,
  message_not_found: 404,
  subscriber_not_found: 404,
  key_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  board_exists: 409,
  entry_exists: 409,
  too_many_webhooks: 409,
  webhook_disabled: 409,
  mail_not_configured: 409,
  precondition_failed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  rate_limited: 429,
  internal_error: 500,
  unsupported_transfer_encoding: 501,
  storage_unavailable: 503,
} as const;

/** The media type of problems (RFC 9457, section 3). */
export const PROBLEM_TYPE = "application/problem+json";

const RETRY_SECONDS = 1;

/** The stable code of a problem. */
export type ProblemCode = keyof typeof PROBLEMS;

const TITLES: Readonly<Record<number, string>> = {
  ...STATUS_TEXT,
  // RFC 9110, section 15.5.21 renamed this one; the library keeps the older phrase.
  422: "Unprocessable Content",
};

/** What is wrong with a field. */
export interface FieldProblem {
  readonly field: string;
  readonly code: RefusalCode;
  /** For people: a sentence that names the field. */
  readonly detail: string;
}

/**
 * Why a request is not served. Whatever finds that out returns a `Problem` in place of its result,
 * and the handler makes the response: a throw would cost more than the rest of a refusal. The exception
 * is a streamed body that ends early, whose reader throws one.
 */
export class Problem {
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  /** The fields that were refused, for `validation_failed`. */
  readonly errors?: readonly FieldProblem[];
  /** The members of the response that are the same each time, as JSON without its end. */
  readonly members: string;

  /** Creates a problem; `detail` is for people. */
  constructor(
    code: ProblemCode,
    detail: string,
    { headers = {}, errors }: Partial<Pick<Problem, "headers" | "errors">> = {},
  ) {
    this.code = code;
    this.headers = headers;
    this.errors = errors;
    const status = PROBLEMS[code];
    const members = { type: "about:blank", title: TITLES[status], status, code, detail };
    this.members = JSON.stringify(members).slice(0, -1);
  }
}

/** Creates the problem that names every refused field at once; `hint` tells what may be the cause. */
export function validationFailed(errors: readonly FieldProblem[], hint?: string): Problem {
  const details = errors.map((error) => error.detail);
  if (hint !== undefined) details.push(hint);
  return new Problem("validation_failed", details.join("; "), { errors });
}

/** Creates the problem of what can't be done at the moment, and should be tried again. */
export function unavailable(detail: string): Problem {
  const headers = { "Retry-After": `${RETRY_SECONDS}` };
  return new Problem("storage_unavailable", detail, { headers });
}

/** The problem of requests that a stopping server no longer serves. */
export const STOPPING = unavailable("The server is stopping");

/** Creates the problem of a body whose bytes did not arrive in time. */
export function requestTimeout(timeoutMs: number): Problem {
  const detail = `The body did not arrive within ${timeoutMs / 1000} s`;
  return new Problem("request_timeout", detail, { headers: { Connection: "close" } });
}

/** Makes the reply to a request that was refused. */
export function problemReply(
  { code, members, headers, errors }: Problem,
  requestId: string,
): TextReply {
  const last = errors === undefined ? "" : `,"errors":${JSON.stringify(errors)}`;
  const body = `${members},"requestId":${JSON.stringify(requestId)}${last}}\n`;
  return { status: PROBLEMS[code], contentType: PROBLEM_TYPE, body, headers };
}
