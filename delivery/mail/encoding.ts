// RFC 2047, section 2, allows an encoded word of 75 characters; a shorter one fits on the first line
// beside the longest field name here.
const MAX_ENCODED_BYTES = 39;
const SHORT_WORDS = /^[!-~]{1,60}(?: [!-~]{1,60})*$/;
// RFC 5322, section 3.2.3.
const ATOMS = /^[\w!#$%&'*+/=?^`{|}~ -]+$/;
const utf8 = new TextEncoder();
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9-]*$/;
const FIELD_VALUE = /^[!-~]+(?: [!-~]+)*$/;
const MAX_LINE = 76;
// RFC 5322, section 2.1.1.
const MAX_LINE_AT_ALL = 998;

/**
 * Writes a header field, folded at spaces to lines of 76 characters as far as its words allow (RFC
 * 5322, section 2.2.3). Throws `TypeError` for what can't be a field, such as one with line breaks.
 */
export function encodeField(name: string, value: string): string {
  if (!FIELD_NAME.test(name)) throw new TypeError("Cannot write a header field: bad name");
  if (!FIELD_VALUE.test(value)) {
    throw new TypeError(
      `Cannot write the header field ${name}: give words of printable ASCII with single spaces`,
    );
  }
  let field = `${name}:`;
  let length = field.length;
  for (const [index, word] of value.split(" ").entries()) {
    if (index > 0 && length + 1 + word.length > MAX_LINE) {
      field += "\r\n";
      length = 0;
    }
    field += ` ${word}`;
    length += 1 + word.length;
    if (length > MAX_LINE_AT_ALL) {
      throw new TypeError(`Cannot write the header field ${name}: a word is too long`);
    }
  }
  return `${field}\r\n`;
}

/** Encodes a text such as that of `Subject` (RFC 5322, section 3.2.5, "unstructured"). */
export function encodeText(text: string): string {
  return isPlain(text) ? text : encodeWords(text);
}

/** Encodes a name that stands before an address (RFC 5322, section 3.2.5, "phrase"). */
export function encodePhrase(name: string): string {
  if (!isPlain(name)) return encodeWords(name);
  return ATOMS.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
}

// "=?" would start an encoded word.
function isPlain(text: string): boolean {
  return SHORT_WORDS.test(text) && !text.includes("=?");
}

/** Writes encoded words (RFC 2047), which readers join again without the spaces between them. */
function encodeWords(text: string): string {
  if (/\p{Cc}/u.test(text)) {
    throw new TypeError("Cannot write a title or name that has control characters into a header");
  }
  // Each byte is a character here, as `btoa` takes them. A word ends between what readers see as
  // characters, as some mail programs draw each by itself; one may be too long for that.
  const words = [""];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const isLong = utf8.encode(segment).length > MAX_ENCODED_BYTES;
    for (const character of isLong ? segment : [segment]) {
      const bytes = String.fromCharCode(...utf8.encode(character));
      const isFull = words.at(-1)!.length + bytes.length > MAX_ENCODED_BYTES;
      if (isFull) words.push(bytes);
      else words[words.length - 1] += bytes;
    }
  }
  return words.map((bytes) => `=?UTF-8?B?${btoa(bytes)}?=`).join(" ");
}

/** Encodes a text as quoted-printable (RFC 2045, section 6.7), with CRLF at the ends of lines. */
export function encodeQuotedPrintable(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, "\n").split("\n").map(encodeLine).join("\r\n");
}

function encodeLine(line: string): string {
  // A URL would escape the same characters, and likewise byte by byte.
  const encoded = line.replace(
    /[^\t -<>-~]+|[\t ]$/g,
    (part) => encodeURIComponent(part).replaceAll("%", "="),
  );
  let lines = "";
  let start = 0;
  while (encoded.length - start > MAX_LINE) {
    // The last character is that of the soft line break, which may not part an escape.
    let end = start + MAX_LINE - 1;
    if (encoded[end - 1] === "=") end -= 1;
    else if (encoded[end - 2] === "=") end -= 2;
    lines += `${encoded.slice(start, end)}=\r\n`;
    start = end;
  }
  return lines + encoded.slice(start);
}
