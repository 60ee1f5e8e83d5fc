/** The media type of JSON. */
export const JSON_TYPE = "application/json";
/** The media type of NDJSON: one JSON text a line. */
export const NDJSON_TYPE = "application/x-ndjson";
/** The media type of CSV (RFC 7111). */
export const CSV_TYPE = "text/csv";

/** Headers of a page that no other page opens, embeds or frames, and that needs no device. */
export const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
} as const;

/** Content that is made while it is sent: texts, or bytes. */
export type Pieces = AsyncGenerator<string | Uint8Array<ArrayBuffer>>;

/** What an operation answers, as plain data: the handler adds the common headers. */
export interface Reply {
  readonly status: number;
  /** The content, maybe piece by piece; absent for none. */
  readonly body?: string | Uint8Array<ArrayBuffer> | Pieces;
  readonly contentType?: string;
  /** Further headers; a `Cache-Control` here replaces the common one. */
  readonly headers?: Readonly<Record<string, string>>;
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

/** Tells whether content is written while it is sent. */
export function isStream(body: Reply["body"]): body is Pieces {
  return typeof body === "object" && Symbol.asyncIterator in body;
}

/** Passes pieces on, and calls `report` once they have ended, with the error that ended them. */
export function onEnd(pieces: Pieces, report: (error?: unknown) => void): Pieces {
  const reported = passOn(pieces, report);
  // Begun, so that it knows of its end where nobody reads it.
  void reported.next();
  return reported;
}

async function* passOn(pieces: Pieces, report: (error?: unknown) => void): Pieces {
  let error: unknown;
  try {
    yield "";
    yield* pieces;
  } catch (cause) {
    throw error = cause;
  } finally {
    report(error);
  }
}

/** Passes pieces on, each after `check`; throws what `check` throws, at the end of the pieces too. */
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

/** Makes the response to a request of some method, with headers of it besides those of the reply. */
export function createResponse(
  method: string,
  { status, body, contentType, headers: own }: Reply,
  common: Readonly<Record<string, string>>,
): Response {
  const isHead = method === "HEAD" && body !== undefined;
  const content = isHead ? null : isStream(body) ? streamPieces(body) : body;
  // Deno turns a response into a native one as soon as it has content and headers, and has to
  // finalize it later. One that gets its headers afterwards spares it that.
  const response = status === 200 ? new Response(content) : new Response(content, { status });
  const { headers } = response;
  for (const name in common) headers.set(name, common[name]);
  for (const name in own) headers.set(name, own[name]);
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

function streamPieces(pieces: Pieces): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      let { done, value } = await pieces.next();
      // Nothing yet: who stops waiting ends this, too.
      while (!done && value === "") ({ done, value } = await pieces.next());
      if (done) controller.close();
      else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
    // Who is slow holds the piece that is being sent, and no other.
  }, { highWaterMark: 0 });
}
