import { ifMatch, ifNoneMatch } from "../../std.ts";
import { hash64 } from "../../model/crypto/hash64.ts";
import { parseHttpDate } from "../../model/values/time.ts";
import type { ChangeFault, IsExpected } from "../../services/conditional.ts";
import { Problem } from "./problem.ts";
import { jsonReply, type Reply } from "./reply.ts";

/** The reply with a record, and the strong ETag of its content (RFC 9110, section 8.8.3). */
interface Representation {
  readonly etag: string;
  readonly reply: Reply;
}

// Records are immutable, so a representation stays valid while its record is in use.
const representations = new WeakMap<object, Representation>();

function represent<T extends object>(
  record: T,
  show: (record: T) => object = (record) => record,
): Representation {
  const known = representations.get(record);
  if (known !== undefined) return known;
  const { body, contentType } = jsonReply(200, show(record));
  const etag = `"${hash64(body)}"`;
  const headers = { ETag: etag, "Cache-Control": "private, no-cache" };
  const representation = { etag, reply: { status: 200, contentType, body, headers } };
  representations.set(record, representation);
  return representation;
}

/**
 * Replies with a record in the form that `show` returns, unless a condition of the request fails.
 * Caches the reply for as long as the record exists, which saves a third of a GET.
 */
export function replyUnlessKnown<T extends object>(
  request: Request,
  record: T,
  show?: (record: T) => object,
): Reply | Problem {
  return replyUnlessUnchanged(request, represent(record, show).reply);
}

const DAY_MS = 24 * 3_600_000;

/**
 * Evaluates the conditions of a request (RFC 9110, section 13.2.2): replies with 304 if the client
 * has the content already, and refuses with 412 if it wants another version. A date more than a day
 * after `nowMs` is ignored: it stems from a clock that was ahead, and would hide every later
 * change.
 */
export function replyUnlessUnchanged(
  request: Request,
  reply: Reply,
  nowMs = Infinity,
): Reply | Problem {
  const { ETag = "", "Last-Modified": changedAt = "" } = reply.headers ?? {};
  const wanted = readTags(request, "if-match");
  if (wanted !== null && !ifMatch(wanted, ETag)) return mismatch(request);
  const tags = readTags(request, "if-none-match");
  const isUnchanged = tags === null
    ? changedAt !== "" &&
      isSince(request.headers.get("if-modified-since"), Date.parse(changedAt), nowMs)
    : !ifNoneMatch(tags, ETag);
  return isUnchanged ? { status: 304, headers: reply.headers } : reply;
}

function isSince(condition: string | null, changedMs: number, nowMs: number): boolean {
  if (condition === null) return false;
  const since = parseHttpDate(condition);
  return since !== undefined && since >= changedMs && since <= nowMs + DAY_MS;
}

/**
 * Replies with a created or changed record and its ETag. `location` makes the reply 201; `changed`
 * tells the client whether the call changed anything.
 */
export function changeReply<T extends object>(
  record: T,
  { location, changed, also, show = (record) => record }: {
    readonly location?: string;
    readonly changed?: boolean;
    /** Further members of the response. */
    readonly also?: object | undefined;
    /** Returns the part of the record that the caller may read. */
    readonly show?: (record: T) => object;
  } = {},
): Reply {
  const ETag = represent(record).etag;
  const whole = also === undefined ? record : { ...record, ...also };
  if (location !== undefined) return jsonReply(201, whole, { ETag, Location: location });
  const shown = also === undefined ? show(record) : { ...show(record), ...also };
  return jsonReply(200, changed === undefined ? shown : { ...shown, changed }, { ETag });
}

/**
 * Creates the check of a change's conditions: `If-Match` must name the version of the record, and
 * `If-None-Match` must not. `show` returns the record as callers see it.
 */
export function expectationOf<T extends object>(
  request: Request,
  show: (record: T) => object = (record) => record,
): IsExpected<T> {
  const condition = readTags(request, "if-match");
  const unwanted = readTags(request, "if-none-match");
  return (current) => {
    const { etag } = represent(show(current));
    return (condition === null || ifMatch(condition, etag)) &&
      (unwanted === null || ifNoneMatch(unwanted, etag));
  };
}

/** Returns the problem for a change that was not made. */
export function faultProblem<C>(fault: ChangeFault, request: Request, notFound: C): Problem | C {
  return fault === "not_found" ? notFound : mismatch(request);
}

/** Creates the problem for a failed condition, and explains a condition that can never hold. */
function mismatch(request: Request): Problem {
  return new Problem("precondition_failed", reasonOf(readTags(request, "if-match")));
}

function reasonOf(condition: string | null): string {
  if (condition === null) return "What is stored matches If-None-Match";
  if (!condition.includes('"')) return "If-Match has no ETag: send it with its double quotes";
  return /^ ?W\/"[^"]*" ?$/.test(condition)
    ? 'If-Match takes no weak ETag: send "…" without W/, which a proxy that compresses may have added'
    : "What is stored no longer matches If-Match: it has changed";
}

// The library takes quadratic time for runs of white space in a list of tags.
function readTags({ headers }: Request, name: "if-match" | "if-none-match"): string | null {
  return headers.get(name)?.replace(/\s+/g, " ") ?? null;
}
