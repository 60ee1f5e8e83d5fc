import { ifMatch, ifNoneMatch } from "@std/http/etag";
import { hash64 } from "../model/hash64.ts";
import type { IsExpected } from "../services/conditional.ts";
import { Problem } from "./_problem.ts";
import { jsonReply, type Reply } from "./_reply.ts";

/** A record as it goes out, with a strong ETag (RFC 9110, section 8.8.3) of its content. */
export interface Representation {
  readonly etag: string;
  readonly reply: Reply;
}

/** Makes the representation of a record, which clients may keep if they ask again each time. */
export function represent(record: unknown): Representation {
  const { body, contentType } = jsonReply(200, record);
  const etag = `"${hash64(body)}"`;
  const headers = { ETag: etag, "Cache-Control": "private, no-cache" };
  return { etag, reply: { status: 200, contentType, body, headers } };
}

/** Replies with a representation, or with 304 where the client has it already. */
export function replyUnlessKnown(request: Request, { etag, reply }: Representation): Reply {
  const known = readTags(request, "if-none-match");
  return known !== null && !ifNoneMatch(known, etag)
    ? { status: 304, headers: reply.headers }
    : reply;
}

/** Returns whether a record is in the version that `If-Match` names; in any, where it is absent. */
export function expectationOf<T>(request: Request, etagOf: (record: T) => string): IsExpected<T> {
  const condition = readTags(request, "if-match");
  return (current) => condition === null || ifMatch(condition, etagOf(current));
}

/** Creates the problem of a record that is not in the version that `If-Match` names. */
export function preconditionFailed(request: Request): Problem {
  return new Problem("precondition_failed", mismatch(readTags(request, "if-match") ?? ""));
}

/** Says why a condition does not hold; some never can. */
function mismatch(condition: string): string {
  if (!condition.includes('"')) return "If-Match has no ETag: send it with its double quotes";
  return /^ ?W\/"[^"]*" ?$/.test(condition)
    ? 'If-Match takes no weak ETag: send "…" without W/, which a proxy that compresses may have added'
    : "What is stored no longer matches If-Match";
}

// The library splits a list of tags in a time that grows with the square of the white space in a row.
function readTags({ headers }: Request, name: "if-match" | "if-none-match"): string | null {
  return headers.get(name)?.replace(/\s+/g, " ") ?? null;
}
