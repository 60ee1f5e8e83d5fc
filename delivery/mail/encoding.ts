// RFC 2047, section 2, allows an encoded word of 75 characters. A shorter one fits on the first
// line after the longest field name used here.
const MAX_ENCODED_BYTES = 39;
const SHORT_WORDS = /^[!-~]{1,60}(?: [!-~]{1,60})*$/;
// RFC 5322, section 3.2.3.
const ATOMS = /^[\w!#$%&'*+/=?^`{|}~ -]+$/;
const utf8 = new TextEncoder();
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9-]*$/;
const FIELD_VALUE = /^[!-~]+(?: [!-~]+)*$/;
const MAX_LINE = 76;
const [TAB, LF, CR, SPACE, EQUALS, DEL] = utf8.encode("\t\n\r =\x7f");
const SOFT_BREAK = utf8.encode("=\r\n");
const HEX = utf8.encode("0123456789ABCDEF");
// RFC 5322, section 2.1.1.
const MAX_LINE_AT_ALL = 998;

/**
 * Writes a header field, folded at spaces into lines of 76 characters where its words allow (RFC
 * 5322, section 2.2.3). Throws `TypeError` for a value that can't be in a field, such as one with
 * line breaks.
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

/** Encodes unstructured text, such as `Subject` (RFC 5322, section 3.2.5). */
export function encodeText(text: string): string {
  return isPlain(text) ? text : encodeWords(text);
}

/** Encodes the name before an address, a "phrase" (RFC 5322, section 3.2.5). */
export function encodePhrase(name: string): string {
  if (!isPlain(name)) return encodeWords(name);
  return ATOMS.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
}

// "=?" would start an encoded word.
function isPlain(text: string): boolean {
  return SHORT_WORDS.test(text) && !text.includes("=?");
}

/** Writes a text as encoded words (RFC 2047). Readers join them without the spaces in between. */
function encodeWords(text: string): string {
  if (/\p{Cc}/u.test(text)) {
    throw new TypeError("Cannot write a title or name that has control characters into a header");
  }
  // Each character is one byte, as `btoa` expects. A word ends between grapheme clusters if
  // possible, because some mail programs render each word by itself.
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

/**
 * Encodes a text as quoted-printable (RFC 2045, section 6.7), with CRLF as line endings. Works on
 * bytes, because regular expressions took 14 ms per mail for a text in Hebrew.
 */
export function encodeQuotedPrintable(text: string): string {
  const bytes = utf8.encode(text.replace(/\r\n?/g, "\n"));
  // A line of 25 escapes has three more characters.
  const encoded = new Uint8Array(Math.ceil(bytes.length * 3.2) + MAX_LINE);
  let length = 0;
  let column = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === LF) {
      encoded[length++] = CR;
      encoded[length++] = LF;
      column = 0;
      continue;
    }
    const isLast = index + 1 === bytes.length || bytes[index + 1] === LF;
    const isPlain = byte > SPACE && byte < DEL && byte !== EQUALS ||
      (byte === SPACE || byte === TAB) && !isLast;
    column += isPlain ? 1 : 3;
    // A line that continues ends with a soft line break, which takes one column.
    if (column > (isLast ? MAX_LINE : MAX_LINE - 1)) {
      encoded.set(SOFT_BREAK, length);
      length += SOFT_BREAK.length;
      column = isPlain ? 1 : 3;
    }
    if (isPlain) encoded[length++] = byte;
    else {
      encoded[length++] = EQUALS;
      encoded[length++] = HEX[byte >> 4];
      encoded[length++] = HEX[byte & 15];
    }
  }
  return new TextDecoder().decode(encoded.subarray(0, length));
}
