import { acceptsEncodings } from "../../std.ts";
import { hash64 } from "../../model/crypto/hash64.ts";
import { replyUnlessUnchanged } from "./conditions.ts";
import type { Context } from "./operation.ts";
import type { Problem } from "./problem.ts";
import type { Reply } from "./reply.ts";

/** Content that is the same for everybody while the process runs. */
export interface ServedFile {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** Further headers; by default, `Cache-Control` tells caches to revalidate each time. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type FileServer = (request: Request) => Reply | Problem | Promise<Reply | Problem>;

/** The media type of scripts. */
export const SCRIPT_TYPE = "text/javascript; charset=utf-8";
/** The media type of style sheets. */
export const STYLE_TYPE = "text/css; charset=utf-8";

const utf8 = new TextEncoder();

/** Creates the server of a file: with a strong ETag, and 304 for clients that have the content. */
export function serveFile(file: ServedFile): FileServer {
  let found: Reply | undefined;
  return (request) => replyUnlessUnchanged(request, found ??= represent(file));
}

/** Creates the server of a file that is as old as its first request. */
export function serveDated(
  file: ServedFile,
): (context: Pick<Context, "request" | "now">) => Reply | Problem {
  const reply = represent(file);
  let changedMs: number | undefined;
  return ({ request, now }) => {
    changedMs ??= now.ms - now.ms % 1_000;
    return replyUnlessUnchanged(request, reply, { changedMs, now });
  };
}

/** Creates the server of a file that is compressed for clients that accept compression. */
export function serveCompressed(file: ServedFile): FileServer {
  const plain = represent(file, { Vary: "Accept-Encoding" });
  let zipped: Promise<Reply> | undefined;
  return async (request) => {
    // Older versions of Bun have no CompressionStream.
    const isZipped = typeof CompressionStream !== "undefined" &&
      request.headers.has("accept-encoding") &&
      acceptsEncodings(request, "gzip", "identity") === "gzip";
    return replyUnlessUnchanged(request, isZipped ? await (zipped ??= compress(plain)) : plain);
  };
}

interface FileReply extends Reply {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>> & { readonly ETag: string };
}

function represent(file: ServedFile, more: Readonly<Record<string, string>> = {}): FileReply {
  const { contentType } = file;
  const body = typeof file.body === "string" ? utf8.encode(file.body) : file.body;
  const etag = `"${hash64(body)}"`;
  const headers = { "Cache-Control": "no-cache", ...file.headers, ...more, ETag: etag };
  return { status: 200, body, contentType, headers };
}

async function compress(plain: FileReply): Promise<Reply> {
  const stream = new Blob([plain.body]).stream().pipeThrough(new CompressionStream("gzip"));
  const body = new Uint8Array(await new Response(stream).arrayBuffer());
  const etag = plain.headers.ETag.replace(/"$/, '-gzip"');
  return { ...plain, body, headers: { ...plain.headers, "Content-Encoding": "gzip", ETag: etag } };
}
