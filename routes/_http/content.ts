import type { Deadlines } from "../../model/deadlines.ts";
import { createYielder } from "../../model/turns.ts";
import { Problem, STOPPING } from "./problem.ts";

// Number of microtasks that reading takes if the body arrived with its head.
const EAGER_TURNS = 3;
const BYTE_ORDER_MARK_BYTES = 3;
// Bytes that are processed in one turn, such as some hundred rows of an import.
const PIECE_BYTES = 16_384;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const INCOMPLETE = malformed("The body ended before it was complete");
const CUT_SHORT = malformed(
  "The body ended before it was complete, or was read before it got here",
);
const NOT_UTF8 = malformed("The body is not UTF-8");

/** The limits of time for a body. */
export interface BodyLimits {
  /** Deadlines for a whole body, or for each piece of a streamed one; a late one is 408. */
  readonly deadlines: Deadlines;
  /** Aborted when the server begins to stop, which may cut off a body. */
  readonly signal: AbortSignal | undefined;
}

/** A request whose body is read. */
export interface Incoming {
  readonly request: Request;
  /** Whether the handler had to wait for the body. */
  isBodyLate: boolean;
}

/** The expected properties of a body. */
export interface ExpectedBody {
  readonly maxBytes: number;
  /** The value of `Content-Length`, which is read only once to save time. */
  readonly announced: string | null;
  /** Whether the content is a form, which is ASCII unless it is malformed. */
  readonly isForm: boolean;
}

/** The content of a body: the text of a form, or bytes. */
type Content = string | ArrayBuffer | Uint8Array;

/** A body that is read in pieces. */
interface Pieces {
  /** Resolves to the next bytes, or to `undefined` at the end. */
  next(): Promise<Uint8Array | undefined>;
  /** Ends a pending read as if the body had ended. */
  cancel(): void;
}

/** Creates the problem for a body that can't be parsed. */
export function malformed(detail: string): Problem {
  return new Problem("malformed_body", detail);
}

/** Reads the text of a body within its limits of size and time. */
export async function readText(
  incoming: Incoming,
  { maxBytes, announced, isForm }: ExpectedBody,
  limits: BodyLimits,
): Promise<string | Problem> {
  const { request } = incoming;
  if (announced !== null && Number(announced) > maxBytes) return tooLarge(maxBytes);
  // The platform reads a body of known length much faster than one in pieces.
  // A Content-Length is meaningless beside Transfer-Encoding.
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
 * Reads a body of known length. Waits a few microtasks before it sets a deadline, because a body
 * that arrived with its head needs none: this saves 15 % of a PUT.
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

/** Tells whether a request of an unknown media type has a body; returns a problem if it can't. */
export async function hasBody(
  incoming: Incoming,
  limits: BodyLimits,
): Promise<boolean | Problem> {
  if (Number(incoming.request.headers.get("content-length")) > 0) return true;
  incoming.isBodyLate = true;
  try {
    // Servers may give an empty body to a request that announces none.
    const pieces = streamBody(incoming.request, { ...limits, maxBytes: Infinity });
    for await (const _ of pieces) return true;
    return false;
  } catch (error) {
    return problemOf(error, limits);
  }
}

/**
 * Reads a body in pieces. Throws a {@linkcode Problem} if it ends early: `request_timeout`,
 * `malformed_body`, `body_too_large` or, if the server stops meanwhile, `storage_unavailable`.
 */
export async function* streamBody(
  request: Request,
  { deadlines, signal, maxBytes }: BodyLimits & Pick<ExpectedBody, "maxBytes">,
): AsyncGenerator<Uint8Array> {
  const { headers } = request;
  const { next, cancel } = openPieces(request);
  const announced = Number(headers.get("content-length") ?? 0);
  const yieldIfBusy = createYielder();
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
        await yieldIfBusy();
      }
    }
    if (signal?.aborted) throw STOPPING;
    // Deno reports a body that its client broke off over HTTP/2 as complete.
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
      // A stream may fail with a TypeError, as DecompressionStream does.
      const { done, value } = await reader.read().catch(() => Promise.reject(INCOMPLETE));
      if (done) return undefined;
      // A string would be stored as zeros.
      if (!ArrayBuffer.isView(value)) throw new TypeError("A body must be a stream of bytes");
      return value;
    },
    // A closed connection has nothing to cancel.
    cancel: () => void reader.cancel().catch(() => {}),
  };
}

/** Reads a body in pieces before one deadline for all of them. */
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
  // The program read the body earlier, so the client is not at fault.
  if (error instanceof TypeError) throw error;
  if (error instanceof Problem && error !== INCOMPLETE) return error;
  return signal?.aborted ? STOPPING : INCOMPLETE;
}

function decode(content: Content, maxBytes: number): string | Problem {
  const length = typeof content === "string" ? content.length : content.byteLength;
  if (length > maxBytes) return tooLarge(maxBytes);
  // The platform decodes invalid UTF-8 to replacement characters.
  if (typeof content === "string") return content.includes("\ufffd") ? NOT_UTF8 : content;
  try {
    return utf8.decode(content);
  } catch {
    return NOT_UTF8;
  }
}

/**
 * Tells whether a body is shorter than announced. Deno reports a body that its client broke off
 * over HTTP/2 as complete, and some frameworks leave an empty body once they have read it.
 */
function isCutShort(content: Content, announced: number): boolean {
  if (typeof content !== "string") return content.byteLength < announced;
  if (content.length >= announced) return false;
  const missing = announced - new TextEncoder().encode(content).length;
  // The platform removes one byte order mark.
  return missing > 0 && missing !== BYTE_ORDER_MARK_BYTES;
}

/** Creates the problem for a body that exceeds its limit. */
export function tooLarge(maxBytes: number): Problem {
  return new Problem("body_too_large", `The body is larger than ${maxBytes} bytes`);
}
