import { ifMatch, ifNoneMatch } from "@std/http/etag";
import { hash64 } from "../../model/crypto/hash64.ts";
import { parseHttpDate } from "../../model/values/time.ts";
import type { ChangeFault, IsExpected } from "../../services/conditional.ts";
import { Problem } from "./problem.ts";
import { jsonReply, type Reply } from "./reply.ts";

/** A record as it goes out, with a strong ETag (RFC 9110, section 8.8.3) of its content. */
interface Representation {
  readonly etag: string;
  readonly reply: Reply;
}

// Records never change, so that a representation can be kept as long as its record.
const representations = new WeakMap<object, Representation>();

function represent(record: object): Representation {
  const known = representations.get(record);
  if (known !== undefined) return known;
  const { body, contentType } = jsonReply(200, record);
  const etag = `"${hash64(body)}"`;
  const headers = { ETag: etag, "Cache-Control": "private, no-cache" };
  const representation = { etag, reply: { status: 200, contentType, body, headers } };
  representations.set(record, representation);
  return representation;
}

/** Replies with a record, or with 304 where the client has it already. */
export function replyUnlessKnown(request: Request, record: object): Reply {
  return replyUnlessUnchanged(request, represent(record).reply);
}

/** Replies with 304 where the client has what a reply has, by its validators (RFC 9110, section 13.2.2). */
export function replyUnlessUnchanged(request: Request, reply: Reply): Reply {
  const { ETag = "", "Last-Modified": changedAt = "" } = reply.headers ?? {};
  const tags = readTags(request, "if-none-match");
  const isUnchanged = tags === null
    ? isSince(request.headers.get("if-modified-since"), changedAt)
    : !ifNoneMatch(tags, ETag);
  return isUnchanged ? { status: 304, headers: reply.headers } : reply;
}

function isSince(condition: string | null, changedAt: string): boolean {
  if (condition === null) return false;
  const changedMs = Date.parse(changedAt);
  const since = parseHttpDate(condition);
  return since !== undefined && since >= changedMs;
}

/** Replies with a record that was made, changed or (`changed`) maybe changed, and with its ETag. */
export function changeReply(
  record: object,
  { location, changed }: { readonly location?: string; readonly changed?: boolean } = {},
): Reply {
  const ETag = represent(record).etag;
  if (location !== undefined) return jsonReply(201, record, { ETag, Location: location });
  return jsonReply(200, changed === undefined ? record : { ...record, changed }, { ETag });
}

/**
 * Returns whether a record is in the version that `If-Match` names; in any, where it is absent. `show`
 * returns what goes out of a record.
 */
export function expectationOf<T extends object>(
  request: Request,
  show: (record: T) => object = (record) => record,
): IsExpected<T> {
  const condition = readTags(request, "if-match");
  return (current) => condition === null || ifMatch(condition, represent(show(current)).etag);
}

/** Returns the problem of a change that was not made. */
export function faultProblem(fault: ChangeFault, request: Request, notFound: Problem): Problem {
  if (fault === "not_found") return notFound;
  return new Problem("precondition_failed", mismatch(readTags(request, "if-match") ?? ""));
}

/** Says why a condition does not hold; some never can. */
function mismatch(condition: string): string {
  if (!condition.includes('"')) return "If-Match has no ETag: send it with its double quotes";
  return /^ ?W\/"[^"]*" ?$/.test(condition)
    ? 'If-Match takes no weak ETag: send "…" without W/, which a proxy that compresses may have added'
    : "What is stored no longer matches If-Match";
}

// The time in which the library splits a list of tags grows with the square of the white space in a row.
function readTags({ headers }: Request, name: "if-match" | "if-none-match"): string | null {
  return headers.get(name)?.replace(/\s+/g, " ") ?? null;
}
