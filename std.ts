/**
 * The parts of Deno's standard library that Boardcast uses at run time, with their types. The
 * imports are full specifiers because the import map of `deno.json` does not apply to apps that
 * import Boardcast by its path; for Bun, `tsconfig.json` maps them. The package `deno-std` has the
 * modules of `@std` on npm, without types.
 *
 * @module
 */
import { concat as concatBytes } from "npm:deno-std@1.4.0/bytes/concat.js";
import { escape } from "npm:deno-std@1.4.0/html/entities.js";
import {
  ifMatch as matchesIfMatch,
  ifNoneMatch as passesIfNoneMatch,
} from "npm:deno-std@1.4.0/http/etag.js";
import {
  accepts as acceptsTypes,
  acceptsEncodings as acceptsCodings,
} from "npm:deno-std@1.4.0/http/negotiation.js";
import { STATUS_TEXT as REASON_PHRASES } from "npm:deno-std@1.4.0/http/status.js";

/** A request, as content negotiation reads it. */
export interface Negotiable {
  /** The header fields of the request. */
  readonly headers: Headers;
}

/** Joins arrays of bytes into a new one. */
export const concat: (arrays: readonly Uint8Array[]) => Uint8Array<ArrayBuffer> = concatBytes;

/** Escapes `& < > " '` for text and attributes of HTML. */
export const escapeHtml: (text: string) => string = escape;

/** Returns whether `If-Match` lets a request continue (RFC 9110, section 13.1.1). */
export const ifMatch: (value: string | null, etag: string | undefined) => boolean = matchesIfMatch;

/** Returns whether `If-None-Match` lets a request continue (RFC 9110, section 13.1.2). */
export const ifNoneMatch: (value: string | null, etag: string | undefined) => boolean =
  passesIfNoneMatch;

/** Returns the media type that `Accept` prefers, of those offered (RFC 9110, section 12.5.1). */
export const accepts: (request: Negotiable, ...types: string[]) => string | undefined =
  acceptsTypes;

/** Returns the coding that `Accept-Encoding` prefers (RFC 9110, section 12.5.3). */
export const acceptsEncodings: (request: Negotiable, ...codings: string[]) => string | undefined =
  acceptsCodings;

/** Reason phrases by status code (RFC 9110, section 15). */
export const STATUS_TEXT: Readonly<Record<number, string>> = REASON_PHRASES;
