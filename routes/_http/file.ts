import { hash64 } from "../../model/crypto/hash64.ts";
import { replyUnlessUnchanged } from "./conditions.ts";
import type { Problem } from "./problem.ts";
import type { Reply } from "./reply.ts";

/** Content that is the same for everybody, as long as the process runs. */
export interface ServedFile {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** Further headers; a `Cache-Control` here replaces the one that has caches ask each time. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Replies to requests for a file. */
export type FileServer = (request: Request) => Reply | Problem;

/** The media type of scripts. */
export const SCRIPT_TYPE = "text/javascript; charset=utf-8";
/** The media type of style sheets. */
export const STYLE_TYPE = "text/css; charset=utf-8";

const utf8 = new TextEncoder();

/** Makes the reply to requests for a file: with a strong ETag, and 304 for whoever has it already. */
export function serveFile(file: ServedFile): FileServer {
  const { contentType } = file;
  const body = typeof file.body === "string" ? utf8.encode(file.body) : file.body;
  const etag = `"${hash64(body)}"`;
  const headers = { "Cache-Control": "no-cache", ...file.headers, ETag: etag };
  const found: Reply = { status: 200, body, contentType, headers };
  return (request) => replyUnlessUnchanged(request, found);
}
