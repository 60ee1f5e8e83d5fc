/** The media type of JSON. */
export const JSON_TYPE = "application/json";
/** The media type of NDJSON: one JSON text a line. */
export const NDJSON_TYPE = "application/x-ndjson";
/** The media type of CSV (RFC 7111). */
export const CSV_TYPE = "text/csv";

/**
 * What an operation answers, as plain data: the handler adds the common headers and makes the
 * one `Response`.
 */
export interface Reply {
  /** The status code. */
  readonly status: number;
  /** The content, maybe piece by piece; absent for none. */
  readonly body?: string | Uint8Array<ArrayBuffer> | AsyncGenerator<string>;
  /** The media type of the content. */
  readonly contentType?: string;
  /** Further headers; a `Cache-Control` here replaces the common one. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply whose content is text. */
export interface TextReply extends Reply {
  readonly body: string;
}

/** Creates a reply with JSON content, which ends with a line break, as terminals like it. */
export function jsonReply(
  status: number,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): TextReply {
  return { status, contentType: JSON_TYPE, body: `${JSON.stringify(value)}\n`, headers };
}

/** Formats values as NDJSON: one JSON text a line. */
export function formatNdjson(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}
