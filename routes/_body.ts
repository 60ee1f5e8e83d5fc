import {
  type CheckOptions,
  checkValues,
  type Fields,
  type RawValues,
  type Values,
} from "./_fields.ts";
import { parseFlatJson, parseForm } from "./_form.ts";
import { checkCodings, readMediaType } from "./_media_type.ts";
import { Problem, requestTimeout, STOPPING, validationFailed } from "./_problem.ts";
import { JSON_TYPE } from "./_reply.ts";

/** The most bytes in a body, unless an operation takes more. */
export const MAX_BODY_BYTES = 16 * 1024;
/** How long a body may take to arrive, in milliseconds. */
export const BODY_TIMEOUT_MS = 10_000;

/** The media type of forms. */
export const FORM_TYPE = "application/x-www-form-urlencoded";

const MEDIA_TYPES = [FORM_TYPE, JSON_TYPE] as const;
const EAGER_TURNS = 4;
const BYTE_ORDER_MARK_BYTES = 3;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const NOTHING: RawValues = { kind: "text", values: new Map() };
const EMPTY = "the body is empty";
const MISLABELLED = `the body looks like JSON: send it with Content-Type: ${JSON_TYPE}`;
const MULTIPART = "the body looks like multipart/form-data, which is not taken";
const CUT_SHORT = malformed(
  "The body ended before it was complete, or was read before it got here",
);
// Over HTTP/2, a client can send several.
const BAD_LENGTH = malformed("The Content-Length is not one number");
const NOT_UTF8 = malformed("The body is not UTF-8");

/** How long a body is waited for, and how much of it is taken. */
interface Limits {
  /** How long the body may take to arrive, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborted when the server is about to stop, which may cut off a body. */
  readonly signal?: AbortSignal;
  /** The most bytes that are taken. */
  readonly maxBytes: number;
}

/** How a body is read. */
export interface BodyOptions<F extends Fields> extends Limits, CheckOptions<F> {
  /** Whether a request without any body is taken as one without fields. */
  readonly optional?: boolean;
}

/**
 * Reads and checks the fields of a body, form or JSON, within the limits of size and time; or
 * returns `unsupported_media_type`, `body_too_large`, `request_timeout`, `malformed_body`,
 * `validation_failed` or, where the server stops in the middle of it, `storage_unavailable`.
 */
export async function readBody<F extends Fields>(
  request: Request,
  fields: F,
  options: BodyOptions<F>,
): Promise<Values<F> | Problem> {
  const { optional, maxBytes, ignoresUnknown } = options;
  const refused = checkCodings(request);
  if (refused !== undefined) return refused;
  if (!/^\d*$/.test(request.headers.get("content-length") ?? "")) return BAD_LENGTH;
  const mediaType = readMediaType(request, MEDIA_TYPES);
  if (mediaType instanceof Problem) {
    // Some clients name a media type, one of their own even, whether they send a body or not.
    const problem = optional ? await refuseAnyBody(request, mediaType, options) : mediaType;
    return problem ?? checkValues(fields, NOTHING, options);
  }
  const reading = startReading(request, mediaType, maxBytes);
  if (reading instanceof Problem) return reading;

  // A body that came along with its head is there within a few turns of the microtask queue, and
  // a timer for it would cost more than all the rest of reading it.
  let arrived: Content | undefined;
  reading.content.then((content) => arrived = content, () => {});
  for (let turn = 0; turn < EAGER_TURNS && arrived === undefined; turn++) await undefined;
  const content = arrived ?? await arrival(reading, options);
  const text = textOf(content, maxBytes);
  if (text instanceof Problem) return text;
  if (isCutShort(content, reading.announced)) return CUT_SHORT;

  if (text === "" && optional) return checkValues(fields, NOTHING, options);
  const raw = mediaType === FORM_TYPE
    ? readForm(text, ignoresUnknown ? Object.keys(fields) : undefined)
    : readJson(text);
  if (raw instanceof Problem) return raw;
  const checked = checkValues(fields, raw, options);
  const hint = mediaType === FORM_TYPE && raw.values.size === 0 ? hintAt(text) : undefined;
  return checked instanceof Problem && hint !== undefined
    ? validationFailed(checked.errors ?? [], hint)
    : checked;
}

/**
 * Whether less came than was announced. Over HTTP/2, Deno ends a body that its client broke off like any
 * other; and frameworks read the bodies of their own pages, of which nothing is left then.
 */
function isCutShort(content: Content, announced = 0): boolean {
  if (content instanceof Problem) return false;
  if (typeof content !== "string") return content.byteLength < announced;
  if (content.length >= announced) return false;
  const missing = announced - new TextEncoder().encode(content).length;
  // The platform leaves out one byte order mark.
  return missing > 0 && missing !== BYTE_ORDER_MARK_BYTES;
}

/** Returns what a form without any known field seems to be. */
function hintAt(text: string): string | undefined {
  if (text === "") return EMPTY;
  if (/^\s*(?:[[{]|%5B|%7B)/i.test(text)) return MISLABELLED;
  return text.startsWith("--") ? MULTIPART : undefined;
}

function malformed(detail: string): Problem {
  return new Problem("malformed_body", detail);
}

function unreadable(reason: string): Problem {
  return malformed(`The body can't be read: ${reason}`);
}

async function refuseAnyBody(
  request: Request,
  refusal: Problem,
  limits: Limits,
): Promise<Problem | undefined> {
  if (Number(request.headers.get("content-length")) > 0) return refusal;
  // Servers give a body of nothing to a request that announces none.
  const content = await arrival(readChunks(request, limits.maxBytes), limits);
  if (content instanceof Problem && content.code !== "body_too_large") return content;
  // Its type is judged before its size and its syntax are.
  return textOf(content, limits.maxBytes) === "" ? undefined : refusal;
}

function readForm(text: string, names: readonly string[] | undefined): RawValues | Problem {
  try {
    // Of a body that is read as text, the platform has left out one byte order mark.
    const form = text.startsWith("\ufeff") ? text.replace(/^\ufeff+/, "") : text;
    return { kind: "text", values: parseForm(form, names) };
  } catch (error) {
    return unreadable((error as Error).message);
  }
}

function readJson(text: string): RawValues | Problem {
  try {
    return { kind: "json", values: parseFlatJson(text) };
  } catch (error) {
    return unreadable((error as Error).message);
  }
}

/** A body as it was read: the text of a form, bytes, or why reading was given up. */
type Content = string | ArrayBuffer | Uint8Array | Problem;

/** A body that is being read. */
interface Reading {
  readonly content: Promise<Content>;
  /** How many bytes were announced, where that says something. */
  readonly announced?: number;
  /** Gives up what is still to come. */
  readonly cancel: () => void;
}

function startReading(
  request: Request,
  mediaType: string,
  maxBytes: number,
): Reading | Problem {
  const { headers } = request;
  const declared = headers.get("content-length");
  if (declared !== null && Number(declared) > maxBytes) return tooLarge(maxBytes);
  // The platform reads a body of known length much faster than a stream of chunks is read.
  // Beside Transfer-Encoding, a Content-Length says nothing.
  const isWhole = declared !== null && headers.get("transfer-encoding") === null;
  if (!isWhole) return readChunks(request, maxBytes);
  const content = mediaType === FORM_TYPE ? request.text() : request.arrayBuffer();
  return { content, announced: Number(declared), cancel() {} };
}

/** Resolves to a body that arrives in time. */
async function arrival(
  { content, cancel }: Reading,
  { timeoutMs, signal }: Limits,
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
    if (signal?.aborted) return STOPPING;
    return malformed("The body ended before it was complete");
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the text of a body that is UTF-8 and not too long. */
function textOf(content: Content, maxBytes: number): string | Problem {
  if (content instanceof Problem) return content;
  if (typeof content === "string") {
    // A form is ASCII if it was made as it should be. It was read by the fastest way, which puts a
    // replacement character where the bytes are not UTF-8.
    if (content.length > maxBytes) return tooLarge(maxBytes);
    return content.includes("\ufffd") ? NOT_UTF8 : content;
  }
  if (content.byteLength > maxBytes) return tooLarge(maxBytes);
  try {
    return utf8.decode(content);
  } catch {
    return NOT_UTF8;
  }
}

// Streams may fail with a TypeError of their own: that of DecompressionStream is one.
function breakOff(cause: unknown): never {
  throw new Error("The body broke off", { cause });
}

function tooLarge(maxBytes: number): Problem {
  return new Problem("body_too_large", `The body is larger than ${maxBytes} bytes`);
}

function readChunks({ body }: Request, maxBytes: number): Reading {
  if (body === null) return { content: Promise.resolve(""), cancel() {} };
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
