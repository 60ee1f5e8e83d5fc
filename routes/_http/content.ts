import type { Deadlines } from "../../model/deadlines.ts";
import { createPace } from "../../model/turns.ts";
import { Problem, STOPPING } from "./problem.ts";

// A body that arrived with its head is read after at most so many microtasks.
const EAGER_TURNS = 3;
const BYTE_ORDER_MARK_BYTES = 3;
// What is in it, such as some hundred rows of an import, is dealt with in one turn.
const PIECE_BYTES = 16_384;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const INCOMPLETE = malformed("The body ended before it was complete");
const CUT_SHORT = malformed(
  "The body ended before it was complete, or was read before it got here",
);
const NOT_UTF8 = malformed("The body is not UTF-8");

/** What a body may take of time and space. */
export interface BodyLimits {
  /** How long a body, or the next bytes of one that is streamed, may take: late, it is 408. */
  readonly deadlines: Deadlines;
  /** Aborted when the server is about to stop, which may cut off a body. */
  readonly signal: AbortSignal | undefined;
}

/** A request whose body is read. */
export interface Incoming {
  readonly request: Request;
  /** Whether its body was waited for. */
  isBodyLate: boolean;
}

/** What a body is expected to be. */
export interface ExpectedBody {
  readonly maxBytes: number;
  /** The value of `Content-Length`, which costs time to be read. */
  readonly announced: string | null;
  /** Whether the content is ASCII if it was made as it should be. */
  readonly isForm: boolean;
}

/** A body as it was read: the text of a form, or bytes. */
type Content = string | ArrayBuffer | Uint8Array;

/** A body that is read in pieces. */
interface Pieces {
  /** Resolves to the next bytes, or to `undefined` at the end. */
  next(): Promise<Uint8Array | undefined>;
  /** Ends a read that is under way, as if the body ended. */
  cancel(): void;
}

/** Creates the problem of a body that can't be read. */
export function malformed(detail: string): Problem {
  return new Problem("malformed_body", detail);
}

/** Reads the text of a body within the limits of size and time. */
export async function readText(
  incoming: Incoming,
  { maxBytes, announced, isForm }: ExpectedBody,
  limits: BodyLimits,
): Promise<string | Problem> {
  const { request } = incoming;
  if (announced !== null && Number(announced) > maxBytes) return tooLarge(maxBytes);
  // The platform reads a body of known length much faster than one in pieces.
  // Beside Transfer-Encoding, a Content-Length says nothing.
  const isWhole = announced !== null && request.headers.get("transfer-encoding") === null;
  try {
    const content = isWhole
      ? await readWhole(incoming, isForm, limits)
      : await collect(incoming, maxBytes, limits);
    const text = decode(content, maxBytes);
    return isWhole && !(text instanceof Problem) && isCutShort(content, Number(announced))
      ? CUT_SHORT
      : text;
  } catch (error) {
    return problemOf(error, limits);
  }
}

/**
 * Reads a body of known length. Waits a few microtasks before it sets a deadline, because a body that
 * arrived with its head needs none: this saves 15 % of a PUT.
 */
async function readWhole(
  incoming: Incoming,
  isForm: boolean,
  { deadlines }: BodyLimits,
): Promise<Content> {
  const { request } = incoming;
  const reading: Promise<Content> = isForm ? request.text() : request.arrayBuffer();
  let content: Content | undefined;
  reading.then((read) => content = read, () => {});
  for (let turn = 0; turn < EAGER_TURNS && content === undefined; turn++) await undefined;
  if (content !== undefined) return content;
  incoming.isBodyLate = true;
  return await deadlines.run(() => reading);
}

/** Returns whether a request of no known type has a body, or why that can't be told. */
export async function hasBody(
  incoming: Incoming,
  limits: BodyLimits,
): Promise<boolean | Problem> {
  if (Number(incoming.request.headers.get("content-length")) > 0) return true;
  incoming.isBodyLate = true;
  try {
    // Servers give an empty body to a request that announces none.
    const pieces = streamBody(incoming.request, { ...limits, maxBytes: Infinity });
    for await (const _ of pieces) return true;
    return false;
  } catch (error) {
    return problemOf(error, limits);
  }
}

/**
 * Reads a body piece by piece. Throws the {@linkcode Problem} that ended it early: `request_timeout`,
 * `malformed_body`, `body_too_large` or, where the server stops in the middle of it,
 * `storage_unavailable`.
 */
export async function* streamBody(
  request: Request,
  { deadlines, signal, maxBytes }: BodyLimits & Pick<ExpectedBody, "maxBytes">,
): AsyncGenerator<Uint8Array> {
  const { headers } = request;
  const { next, cancel } = openPieces(request);
  const announced = Number(headers.get("content-length") ?? 0);
  const pace = createPace();
  let length = 0;
  signal?.addEventListener("abort", cancel);
  try {
    while (!signal?.aborted) {
      const piece = await deadlines.run(next).catch((error) => {
        throw signal?.aborted ? STOPPING : error;
      });
      if (piece === undefined) break;
      length += piece.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      for (let at = 0; at < piece.length; at += PIECE_BYTES) {
        yield piece.subarray(at, at + PIECE_BYTES);
        await pace();
      }
    }
    if (signal?.aborted) throw STOPPING;
    // Over HTTP/2, Deno reports a body that its client broke off as complete.
    if (length < announced && headers.get("transfer-encoding") === null) throw INCOMPLETE;
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
}

function openPieces({ body }: Request): Pieces {
  if (body === null) return { next: () => Promise.resolve(undefined), cancel() {} };
  const reader = body.getReader();
  return {
    async next() {
      // Streams may fail with a TypeError of their own: that of DecompressionStream is one.
      const { done, value } = await reader.read().catch(() => Promise.reject(INCOMPLETE));
      if (done) return undefined;
      // The characters of a string would be stored as zeros.
      if (!ArrayBuffer.isView(value)) throw new TypeError("A body must be a stream of bytes");
      return value;
    },
    // A connection that is gone has nothing to cancel.
    cancel: () => void reader.cancel().catch(() => {}),
  };
}

/** Reads a body in pieces, all of which have to arrive before one deadline. */
async function collect(
  incoming: Incoming,
  maxBytes: number,
  { deadlines }: BodyLimits,
): Promise<Uint8Array> {
  incoming.isBodyLate = true;
  const { next, cancel } = openPieces(incoming.request);
  const buffer = new Uint8Array(maxBytes);
  let length = 0;
  async function read(): Promise<void> {
    for (let piece; (piece = await next()) !== undefined; length += piece.length) {
      if (length + piece.length > maxBytes) throw tooLarge(maxBytes);
      buffer.set(piece, length);
    }
  }
  await deadlines.run(read).finally(cancel);
  return buffer.subarray(0, length);
}

function problemOf(error: unknown, { signal }: BodyLimits): Problem {
  // A body that was read before is the mistake of the program, not of the client.
  if (error instanceof TypeError) throw error;
  if (error instanceof Problem && error !== INCOMPLETE) return error;
  return signal?.aborted ? STOPPING : INCOMPLETE;
}

function decode(content: Content, maxBytes: number): string | Problem {
  const length = typeof content === "string" ? content.length : content.byteLength;
  if (length > maxBytes) return tooLarge(maxBytes);
  // The platform puts a replacement character where the bytes of a text are not UTF-8.
  if (typeof content === "string") return content.includes("\ufffd") ? NOT_UTF8 : content;
  try {
    return utf8.decode(content);
  } catch {
    return NOT_UTF8;
  }
}

/**
 * Tells whether less came than was announced. Over HTTP/2, Deno reports a body that its client broke
 * off as complete; and some frameworks leave an empty body once they have read it.
 */
function isCutShort(content: Content, announced: number): boolean {
  if (typeof content !== "string") return content.byteLength < announced;
  if (content.length >= announced) return false;
  const missing = announced - new TextEncoder().encode(content).length;
  // The platform leaves out one byte order mark.
  return missing > 0 && missing !== BYTE_ORDER_MARK_BYTES;
}

/** Creates the problem of a body that is larger than it may be. */
export function tooLarge(maxBytes: number): Problem {
  return new Problem("body_too_large", `The body is larger than ${maxBytes} bytes`);
}
