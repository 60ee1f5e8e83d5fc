/** A mail, or a part of one: its header fields and its content. */
export interface MailPart {
  /** The media type, in lower case, without parameters; `text/plain` if the header names none. */
  readonly mediaType: string;
  /** The parts of a multipart, followed by their own parts, in document order. */
  readonly parts: readonly MailPart[];
  /**
   * The start of the content, decoded, with LF as line endings. The content of a multipart stays
   * encoded.
   */
  readonly content: string;
  /**
   * Returns the unfolded value of a header field by its lower-case name; empty if there is none.
   */
  header(name: string): string;
}

// A report tells its reason at its start. These limits keep the time to read a mail of a megabyte
// almost independent of its content.
const MAX_CONTENT_LENGTH = 64 * 1024;
const MAX_HEAD_LENGTH = 64 * 1024;
const MAX_FIELDS = 500;
const MAX_PARTS = 100;
const MAX_DEPTH = 4;
const MAX_ADDRESS_LENGTH = 320;
const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i;
const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;]+))/i;

/**
 * Reads a mail (RFC 5322, RFC 2046) with all its parts, except the parts of mails attached to it.
 */
export function readMail(text: string): MailPart {
  // Pipes and mbox files put empty lines and a `From ` line before the first header field.
  const lines = text.replace(/\r\n?/g, "\n").replace(/^\n*(?:From [^\n]*\n)?/, "");
  return readPart(lines, 0, { left: MAX_PARTS });
}

/** Reads the header fields at the start of a part. */
export function readFields(text: string): MailPart["header"] {
  const fields = new Map<string, string>();
  const unfolded = text.slice(0, MAX_HEAD_LENGTH).replace(/\n[ \t]+/g, " ");
  for (const line of unfolded.split("\n", MAX_FIELDS)) {
    const end = line.indexOf(":");
    if (end <= 0) continue;
    const name = line.slice(0, end).trim().toLowerCase();
    if (!fields.has(name)) fields.set(name, line.slice(end + 1).trim());
  }
  return (name) => fields.get(name) ?? "";
}

/** Reads the only address in a field; empty if the field has none or several. */
export function readAddress(text: string): string {
  if (text.length > MAX_HEAD_LENGTH) return "";
  const [, bracketed] = /^[^<>]*<([^<>]*)>[^<>]*$/.exec(text) ?? [];
  const address = (bracketed ?? text).trim();
  return address.length <= MAX_ADDRESS_LENGTH && /^[^\s@,;<>]+@[^\s@,;<>]+$/.test(address)
    ? address
    : "";
}

/** Reads the header fields of the mail that a report returns, which may be cut short. */
export function readReturned(head: string): MailPart["header"] {
  return readFields(head.trimStart().split("\n\n", 1)[0]);
}

function readPart(text: string, depth: number, budget: { left: number }): MailPart {
  const end = text.startsWith("\n") ? 0 : text.indexOf("\n\n");
  const header = readFields(end < 0 ? text : text.slice(0, end));
  const body = end < 0 ? "" : text.slice(end + (end === 0 ? 1 : 2));
  const type = header("content-type");
  const mediaType = /^[^\s;]*/.exec(type)![0].toLowerCase() || "text/plain";
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain;
  const parts = depth < MAX_DEPTH && mediaType.startsWith("multipart/") && boundary
    ? splitParts(body, boundary, budget).map((part) => readPart(part, depth + 1, budget))
      .flatMap((part) => [part, ...part.parts])
    : [];
  let content: string | undefined;
  return {
    mediaType,
    parts,
    header,
    get content() {
      if (parts.length > 0) return content ??= body.slice(0, MAX_CONTENT_LENGTH);
      const [, charset] = CHARSET.exec(type) ?? [];
      const encoding = header("content-transfer-encoding");
      return content ??= decode(body, { encoding, charset }).slice(0, MAX_CONTENT_LENGTH);
    },
  };
}

function splitParts(body: string, boundary: string, budget: { left: number }): readonly string[] {
  const parts: string[] = [];
  const delimiter = `\n--${boundary}`;
  const text = `\n${body}`;
  let start = text.indexOf(delimiter);
  while (start >= 0 && budget.left-- > 0) {
    const content = start + delimiter.length;
    if (text.startsWith("--", content)) break;
    const next = text.indexOf(delimiter, content);
    const part = text.slice(content, next < 0 ? undefined : next);
    // The rest of the delimiter's line is padding.
    parts.push(part.slice(part.indexOf("\n") + 1));
    start = next;
  }
  return parts;
}

function decode(
  body: string,
  { encoding, charset }: { readonly encoding: string; readonly charset: string | undefined },
): string {
  switch (encoding.toLowerCase()) {
    case "base64": {
      const digits = body.slice(0, MAX_CONTENT_LENGTH * 2).replace(/\s+/g, "");
      return decodeBase64(digits.slice(0, digits.length - digits.length % 4), charset) ?? body;
    }
    case "quoted-printable":
      return decodeBytes(
        body.slice(0, MAX_CONTENT_LENGTH * 2).replace(/=[ \t]{0,80}\n/g, "")
          .replace(/=([\da-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
        charset,
      );
    default:
      // ISO-2022-JP is 7-bit text that marks Japanese with escape sequences.
      return body.includes("\x1b$")
        ? decodeBytes(body.slice(0, MAX_CONTENT_LENGTH), charset ?? "iso-2022-jp")
        : body;
  }
}

function decodeBase64(digits: string, charset: string | undefined): string | undefined {
  try {
    return decodeBytes(atob(digits), charset).replace(/\r\n?/g, "\n");
  } catch {
    return undefined;
  }
}

/**
 * Decodes text whose characters each stand for a byte: with the given charset, or as UTF-8 if it is
 * unknown. Returns text with any other character unchanged.
 */
function decodeBytes(text: string, charset: string | undefined): string {
  // deno-lint-ignore no-control-regex
  if (/[^\x00-\xff]/.test(text)) return text;
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
