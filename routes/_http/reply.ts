/** The media type of JSON. */
export const JSON_TYPE = "application/json";
/** The media type of NDJSON, which has one JSON text per line. */
export const NDJSON_TYPE = "application/x-ndjson";
/** The media type of CSV (RFC 7111). */
export const CSV_TYPE = "text/csv";

/** Headers for pages that other pages can't open, embed or frame, and that use no device. */
export const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
} as const;

/** Content that is produced while it is sent, as texts or bytes. */
export type ContentPieces = AsyncGenerator<string | Uint8Array<ArrayBuffer>>;

/** The response of an operation as plain data; the handler adds the common headers. */
export interface Reply {
  readonly status: number;
  /** The content, whole or in pieces; absent for none. */
  readonly body?: string | Uint8Array<ArrayBuffer> | ContentPieces;
  readonly contentType?: string;
  /** Headers beside the common ones; a `Cache-Control` here replaces the common one. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The values of `Set-Cookie` headers. */
  readonly cookies?: readonly string[] | undefined;
}

/** A reply whose content is text. */
export interface TextReply extends Reply {
  readonly body: string;
}

/** Creates a reply with JSON content, which ends with a line break for terminals. */
export function jsonReply(
  status: number,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): TextReply {
  return { status, contentType: JSON_TYPE, body: `${JSON.stringify(value)}\n`, headers };
}

export function isStream(body: Reply["body"]): body is ContentPieces {
  return typeof body === "object" && Symbol.asyncIterator in body;
}

/** Passes pieces on, and calls `report` at the end, with the error that ended them, if any. */
export function onEnd(pieces: ContentPieces, report: (error?: unknown) => void): ContentPieces {
  const reported = passOn(pieces, report);
  // A generator runs its `finally` only after it has begun, and perhaps nobody reads this one.
  void reported.next();
  return reported;
}

async function* passOn(pieces: ContentPieces, report: (error?: unknown) => void): ContentPieces {
  let error: unknown;
  try {
    yield "";
    yield* pieces;
  } catch (cause) {
    throw error = cause;
  } finally {
    // If a reader leaves before the first piece, only this generator ends by itself.
    await pieces.return(undefined);
    report(error);
  }
}

/** Passes pieces on, and calls `check`, which may throw, before each piece and at the end. */
export async function* whileAllowed<T>(
  pieces: AsyncIterable<T>,
  check: () => Promise<void>,
): AsyncGenerator<T> {
  for await (const piece of pieces) {
    await check();
    yield piece;
  }
  await check();
}

/**
 * Creates the response to a request with a method, with `common` headers and those of the reply.
 */
export function createResponse(
  method: string,
  { status, body, contentType, headers: own, cookies }: Reply,
  common: Readonly<Record<string, string>>,
): Response {
  const isHead = method === "HEAD" && body !== undefined;
  const content = isHead ? null : isStream(body) ? streamPieces(body) : body;
  // Headers are set afterwards, because Deno would finalize a response created with content and
  // headers twice.
  const response = status === 200 ? new Response(content) : new Response(content, { status });
  const { headers } = response;
  for (const name in common) headers.set(name, common[name]);
  for (const name in own) headers.set(name, own[name]);
  if (cookies !== undefined) { for (const cookie of cookies) headers.append("Set-Cookie", cookie); }
  if (contentType !== undefined) headers.set("Content-Type", contentType);
  if (isHead) {
    if (isStream(body)) void body.return(undefined);
    else headers.set("Content-Length", `${lengthOf(body)}`);
  }
  return response;
}

function lengthOf(content: string | Uint8Array): number {
  return typeof content === "string" ? new TextEncoder().encode(content).length : content.length;
}

function streamPieces(pieces: ContentPieces): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      let { done, value } = await pieces.next();
      // Empty pieces are skipped. Cancelling the stream ends this loop, too.
      while (!done && value === "") ({ done, value } = await pieces.next());
      if (done) controller.close();
      else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
    // Without a queue, the stream keeps at most one piece in memory for a slow reader.
  }, { highWaterMark: 0 });
}

/**
 * The names of contents that are not records, such as files and pages.
 * `operator/openapi/contents.ts` describes each one.
 */
export type ContentName =
  | "SubscriberLines"
  | "SubscriberTable"
  | "VoteLines"
  | "VoteTable"
  | "PostLines"
  | "PostTable"
  | "PostExportTable"
  | "PostArchive"
  | "PostImportReport"
  | "ImportReport"
  | "EntryLines"
  | "ChangelogFile"
  | "EntriesInJson"
  | "AtomFeed"
  | "EntryImportReport"
  | "BounceEvents"
  | "BounceForm"
  | "BounceMail"
  | "Metrics"
  | "Feed"
  | "JsonFeed"
  | "Page"
  | "ImageFile"
  | "Sitemap"
  | "RobotsFile"
  | "Script"
  | "OpenApi";

/** The names of the documented response headers; see `operator/openapi/headers.ts`. */
export type ResponseHeaderName =
  | "X-Request-Id"
  | "Cache-Control"
  | "X-Content-Type-Options"
  | "RateLimit-Policy"
  | "RateLimit"
  | "Retry-After"
  | "ETag"
  | "Last-Modified"
  | "Location"
  | "Vary"
  | "WWW-Authenticate"
  | "Access-Control-Allow-Origin"
  | "Allow"
  | "Accept"
  | "Accept-Encoding";
