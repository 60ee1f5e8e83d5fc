import { Problem, requestTimeout, STOPPING } from "./_problem.ts";

const EAGER_TURNS = 4;
const BYTE_ORDER_MARK_BYTES = 3;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const CUT_SHORT = malformed(
  "The body ended before it was complete, or was read before it got here",
);
const NOT_UTF8 = malformed("The body is not UTF-8");

export interface BodyLimits {
  /** How long the body, or the next bytes of one that is streamed, may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborted when the server is about to stop, which may cut off a body. */
  readonly signal: AbortSignal | undefined;
}

/** What a body is expected to be. */
export interface ExpectedBody {
  readonly maxBytes: number;
  /** Whether the content is ASCII if it was made as it should be. */
  readonly isForm: boolean;
}

/** A body as it was read: the text of a form, bytes, or why it could not be read. */
type Content = string | ArrayBuffer | Uint8Array | Problem;

interface Reading {
  readonly content: Promise<Content>;
  /** How many bytes were announced, where that can be relied on. */
  readonly announced?: number;
  readonly cancel: () => void;
}

export function malformed(detail: string): Problem {
  return new Problem("malformed_body", detail);
}

/** Reads the text of a body within the limits of size and time. */
export async function readText(
  request: Request,
  expected: ExpectedBody,
  limits: BodyLimits,
): Promise<string | Problem> {
  const reading = startReading(request, expected);
  if (reading instanceof Problem) return reading;
  // A body that came along with its head is there within a few turns of the microtask queue, and
  // a timer for it would cost more than all the rest of reading it.
  let arrived: Content | undefined;
  reading.content.then((content) => arrived = content, () => {});
  for (let turn = 0; turn < EAGER_TURNS && arrived === undefined; turn++) await undefined;
  const content = arrived ?? await arrival(reading, limits);
  if (content instanceof Problem) return content;
  const text = decode(content, expected.maxBytes);
  return text instanceof Problem || !isCutShort(content, reading.announced) ? text : CUT_SHORT;
}

/** Returns whether a request of no known type has a body, or why that can't be told. */
export async function hasBody(
  request: Request,
  maxBytes: number,
  limits: BodyLimits,
): Promise<boolean | Problem> {
  if (Number(request.headers.get("content-length")) > 0) return true;
  // Servers give an empty body to a request that announces none.
  const content = await arrival(readChunks(request, maxBytes), limits);
  // The type of a body is judged before its size.
  if (content instanceof Problem) return content.code === "body_too_large" || content;
  return (content as Uint8Array).length > 0;
}

function startReading(request: Request, { maxBytes, isForm }: ExpectedBody): Reading | Problem {
  const { headers } = request;
  const declared = headers.get("content-length");
  if (declared !== null && Number(declared) > maxBytes) return tooLarge(maxBytes);
  // The platform reads a body of known length much faster than a stream of chunks is read.
  // Beside Transfer-Encoding, a Content-Length says nothing.
  const isWhole = declared !== null && headers.get("transfer-encoding") === null;
  if (!isWhole) return readChunks(request, maxBytes);
  const content = isForm ? request.text() : request.arrayBuffer();
  return { content, announced: Number(declared), cancel() {} };
}

function readChunks({ body }: Request, maxBytes: number): Reading {
  if (body === null) return { content: Promise.resolve(new Uint8Array()), cancel() {} };
  const reader = body.getReader();
  // A connection that is gone has nothing to cancel.
  const cancel = () => void reader.cancel().catch(() => {});

  async function read(): Promise<Content> {
    const buffer = new Uint8Array(maxBytes);
    for (let length = 0;;) {
      const { done, value } = await reader.read().catch(breakOff);
      if (done) return buffer.subarray(0, length);
      // The characters of a string would be stored as zeros.
      if (!ArrayBuffer.isView(value)) throw new TypeError("A body must be a stream of bytes");
      if (length + value.length > maxBytes) {
        cancel();
        return tooLarge(maxBytes);
      }
      buffer.set(value, length);
      length += value.length;
    }
  }
  return { content: read(), cancel };
}

// Streams may fail with a TypeError of their own: that of DecompressionStream is one.
function breakOff(cause: unknown): never {
  throw new Error("The body broke off", { cause });
}

/** Resolves to a body that arrives in time. */
async function arrival(
  { content, cancel }: Reading,
  { timeoutMs, signal }: BodyLimits,
): Promise<Content> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<Problem>((resolve) => {
    timer = setTimeout(() => {
      resolve(requestTimeout(timeoutMs));
      cancel();
    }, timeoutMs);
  });
  try {
    return await Promise.race([content, deadline]);
  } catch (error) {
    // A body that was read before is the mistake of the program, not of the client.
    if (error instanceof TypeError) throw error;
    return signal?.aborted ? STOPPING : malformed("The body ended before it was complete");
  } finally {
    clearTimeout(timer);
  }
}

function decode(content: Exclude<Content, Problem>, maxBytes: number): string | Problem {
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
function isCutShort(content: Exclude<Content, Problem>, announced = 0): boolean {
  if (typeof content !== "string") return content.byteLength < announced;
  if (content.length >= announced) return false;
  const missing = announced - new TextEncoder().encode(content).length;
  // The platform leaves out one byte order mark.
  return missing > 0 && missing !== BYTE_ORDER_MARK_BYTES;
}

function tooLarge(maxBytes: number): Problem {
  return new Problem("body_too_large", `The body is larger than ${maxBytes} bytes`);
}
