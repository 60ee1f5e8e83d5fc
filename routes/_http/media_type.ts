import { Problem } from "./problem.ts";

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = new RegExp(
  `;[ \\t]*(?:(${TOKEN})=(${TOKEN}|"(?:[^"\\\\]|\\\\.)*"))?[ \\t]*`,
  "y",
);

const ENCODED = new Problem(
  "unsupported_media_type",
  "The body must not have a Content-Encoding",
  { headers: { "Accept-Encoding": "identity" } },
);
const UNKNOWN_CODING = new Problem("unsupported_transfer_encoding");

/** Returns the problem for an encoded body. */
export function checkCodings({ headers }: Request): Problem | undefined {
  if (!/^(?:chunked)?$/i.test(headers.get("transfer-encoding") ?? "")) return UNKNOWN_CODING;
  return headers.get("content-encoding") === null ? undefined : ENCODED;
}

/** Returns the media type of a body (RFC 9110, section 8.3.1) if it is one of `accepted`. */
export function readMediaType<T extends string>(
  { headers }: Request,
  accepted: readonly T[],
): T | Problem {
  const header = headers.get("content-type");
  const contentType = header ?? "";
  const exact = accepted.find((mediaType) => mediaType === contentType);
  if (exact !== undefined) return exact;
  const [essence] = contentType.split(";", 1);
  const mediaType = accepted.find((mediaType) => mediaType === essence.trim().toLowerCase());
  if (mediaType !== undefined && isUtf8(contentType.slice(essence.length))) return mediaType;
  const names = accepted.join(" or ");
  const detail = header === null
    ? `The request has no Content-Type; send its fields in a body, as ${names}`
    : `The Content-Type is not ${names} in UTF-8`;
  const Accept = accepted.join(", ");
  return new Problem("unsupported_media_type", detail, { headers: { Accept } });
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
