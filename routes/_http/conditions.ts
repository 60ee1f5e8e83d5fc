import { type Instant, parseHttpDate } from "../../model/values/time.ts";
import { ifMatch, ifNoneMatch } from "../../std.ts";
import { hash64 } from "../../model/crypto/hash64.ts";
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

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

/** The times that decide about the date of a document. */
interface Dated {
  /** When its content changed last, in milliseconds; see {@linkcode changeAfter}. */
  readonly changedMs: number;
  /** The time of the request. */
  readonly now: Instant;
}

/**
 * Evaluates the conditions of a request (RFC 9110, section 13.2.2): replies with 304 if the client
 * has the content already, and refuses with 412 if it wants another version. Adds `Last-Modified`
 * to a dated reply.
 */
export function replyUnlessUnchanged(
  request: Request,
  undated: Reply,
  dated?: Dated,
): Reply | Problem {
  const reply = dated === undefined ? undated : addDate(undated, dated);
  const { ETag = "" } = reply.headers ?? {};
  const wanted = readTags(request, "if-match");
  if (wanted !== null && !ifMatch(wanted, ETag)) return mismatch(request);
  const tags = readTags(request, "if-none-match");
  const isUnchanged = tags === null
    ? dated !== undefined && isSince(request.headers.get("if-modified-since"), dated)
    : !ifNoneMatch(tags, ETag);
  return isUnchanged ? { status: 304, headers: reply.headers } : reply;
}

/**
 * Returns the time of a change that replaces an earlier content: a second later if both changes
 * fall in one second, because the date alone must not hide the second one. An earlier time that
 * lies far ahead stems from a clock that was ahead, and is ignored.
 */
export function changeAfter(changedMs: number, earlierMs = -Infinity): number {
  const isAhead = earlierMs > changedMs + MINUTE_MS;
  return isAhead ? changedMs : Math.max(changedMs, startOf(earlierMs) + SECOND_MS);
}

function addDate(reply: Reply, { changedMs, now }: Dated): Reply {
  // RFC 9110, section 8.8.2.1: the date must not be later than that of the response.
  const ms = Math.min(dateOf({ changedMs, now }), now.ms);
  return { ...reply, headers: { ...reply.headers, "Last-Modified": new Date(ms).toUTCString() } };
}

/**
 * Returns the date of a document, in whole seconds. Once the second of its change has passed, the
 * date is the next second: another process may have shown something else within that second.
 */
function dateOf({ changedMs, now }: Dated): number {
  const start = startOf(changedMs);
  const end = start === changedMs ? start : start + SECOND_MS;
  return end <= now.ms ? end : start;
}

function startOf(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}

/** Ignores a date more than a day ahead, which would hide every later change. */
function isSince(condition: string | null, dated: Dated): boolean {
  if (condition === null) return false;
  const since = parseHttpDate(condition);
  return since !== undefined && since >= dateOf(dated) && since <= dated.now.ms + DAY_MS;
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
