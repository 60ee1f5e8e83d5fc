import type { Fields, RawValues } from "./_fields.ts";
import { parseFlatJson, parseForm } from "./_form.ts";
import { HttpError } from "./_problem.ts";

/** The most bytes in a body. */
export const MAX_BODY_BYTES = 16 * 1024;
/** How long a body may take to arrive, in milliseconds. */
export const BODY_TIMEOUT_MS = 10_000;

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = new RegExp(
  `;[ \\t]*(?:(${TOKEN})=(${TOKEN}|"(?:[^"\\\\]|\\\\.)*"))?[ \\t]*`,
  "y",
);
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** How a body is read. */
export interface BodyOptions {
  /** How long the body may take to arrive, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether a request without any body is taken as one without fields. */
  readonly optional?: boolean;
}

/**
 * Reads the fields of a body, form or JSON, within the limits of size and time. Throws
 * `unsupported_media_type`, `body_too_large`, `request_timeout` or `malformed_body`.
 */
export async function readBody(
  request: Request,
  fields: Fields,
  options: BodyOptions,
): Promise<RawValues> {
  const { headers } = request;
  const contentType = headers.get("content-type");
  if (contentType === null && options.optional && await hasNoBody(request, options.timeoutMs)) {
    return { kind: "text", values: new Map() };
  }
  const mediaType = readMediaType(contentType);
  if (headers.get("content-encoding") !== null) {
    throw new HttpError("unsupported_media_type", "The body must not have a Content-Encoding", {
      headers: { "Accept-Encoding": "identity" },
    });
  }
  const text = decodeUtf8(await readBytes(request, options.timeoutMs));
  try {
    return mediaType === FORM
      ? { kind: "text", values: parseForm(text, (name) => Object.hasOwn(fields, name)) }
      : { kind: "json", values: parseFlatJson(text) };
  } catch (error) {
    const reason = mediaType === FORM || text === "" ? (error as Error).message : "check its JSON";
    throw malformed(`The body can't be read: ${reason}`);
  }
}

function malformed(detail: string): HttpError {
  return new HttpError("malformed_body", detail);
}

async function hasNoBody(request: Request, timeoutMs: number): Promise<boolean> {
  const length = request.headers.get("content-length");
  // Servers give a body of nothing to a request that announces none.
  return length === "0" || (length === null && (await readBytes(request, timeoutMs)).length === 0);
}

/** Returns the media type (RFC 9110, section 8.3.1) if it is one of the two that are taken. */
function readMediaType(contentType: string | null): string {
  if (contentType === FORM || contentType === JSON_TYPE) return contentType;
  const [essence] = (contentType ?? "").split(";", 1);
  const mediaType = essence.trim().toLowerCase();
  const parameters = contentType?.slice(essence.length) ?? "";
  if ((mediaType === FORM || mediaType === JSON_TYPE) && isUtf8(parameters)) return mediaType;
  throw new HttpError(
    "unsupported_media_type",
    contentType === null
      ? `The request has no Content-Type; send ${FORM} or ${JSON_TYPE}`
      : `The Content-Type is not ${FORM} or ${JSON_TYPE} in UTF-8`,
    { headers: { Accept: `${FORM}, ${JSON_TYPE}` } },
  );
}

function isUtf8(parameters: string): boolean {
  for (PARAMETER.lastIndex = 0; PARAMETER.lastIndex < parameters.length;) {
    const match = PARAMETER.exec(parameters);
    if (match === null) return false;
    const [, name, value] = match;
    if (name?.toLowerCase() === "charset" && !/^"?utf-8"?$/i.test(value)) return false;
  }
  return true;
}

function tooLarge(): HttpError {
  return new HttpError("body_too_large", `The body has more than ${MAX_BODY_BYTES} bytes`);
}

async function readBytes(request: Request, timeoutMs: number): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > MAX_BODY_BYTES) throw tooLarge();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() =>
      reject(
        new HttpError("request_timeout", `The body did not arrive within ${timeoutMs / 1000} s`, {
          headers: { Connection: "close" },
        }),
      ), timeoutMs);
  });
  try {
    // The platform reads a body of known length much faster than a stream of chunks is read.
    // In a body that comes in chunks, a length that is announced too says nothing.
    const bytes = declared === null || request.headers.has("transfer-encoding")
      ? readChunks(request, deadline)
      : Promise.race([request.arrayBuffer().then((buffer) => new Uint8Array(buffer)), deadline]);
    return checkSize(await bytes);
  } catch (error) {
    if (error instanceof HttpError || request.bodyUsed === false) throw error;
    throw malformed("The body ended before it was complete");
  } finally {
    clearTimeout(timer);
  }
}

function checkSize(bytes: Uint8Array): Uint8Array {
  if (bytes.length > MAX_BODY_BYTES) throw tooLarge();
  return bytes;
}

async function readChunks(request: Request, deadline: Promise<never>): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const buffer = new Uint8Array(MAX_BODY_BYTES);
  let length = 0;
  try {
    while (true) {
      const { done, value } = await Promise.race([reader.read(), deadline]);
      if (done) return buffer.subarray(0, length);
      if (length + value.length > MAX_BODY_BYTES) throw tooLarge();
      buffer.set(value, length);
      length += value.length;
    }
  } catch (error) {
    // What is still to come is of no use; a connection that is gone has nothing to cancel.
    reader.cancel().catch(() => {});
    throw error;
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed("The body is not UTF-8");
  }
}
