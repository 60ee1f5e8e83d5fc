import { nearest } from "../../model/values/nearest.ts";
import { quote } from "../../model/values/text.ts";
import { openFile, readFile } from "../shell/files.ts";
import { UsageError } from "../shell/options.ts";
import type { CallField, CallOperation } from "./operations.ts";
import type { Call } from "./request.ts";

/** A field, and the text after its `=`. */
interface GivenField {
  readonly field: CallField;
  readonly text: string;
}

// The maximum body size of an operation that declares no other.
const MAX_BODY_BYTES = 16 * 1024;

/** Media types by file name extension; the first type that the operation accepts counts. */
const TYPES_BY_ENDING: Readonly<Record<string, readonly string[]>> = {
  atom: ["application/atom+xml"],
  csv: ["text/csv"],
  eml: ["message/rfc822"],
  gif: ["image/gif"],
  jpeg: ["image/jpeg"],
  jpg: ["image/jpeg"],
  json: ["application/json"],
  jsonl: ["application/x-ndjson"],
  markdown: ["text/markdown"],
  md: ["text/markdown"],
  ndjson: ["application/x-ndjson"],
  png: ["image/png"],
  rss: ["application/rss+xml"],
  svg: ["image/svg+xml"],
  txt: ["text/plain"],
  webp: ["image/webp"],
  xml: ["application/xml"],
};

/**
 * Creates the call of an operation from words such as `name=Ideas`, and reads the files in them.
 * Throws a {@linkcode UsageError} for an unknown or a missing field.
 */
export async function readCall(
  operation: CallOperation,
  words: readonly string[],
): Promise<Call> {
  const given = readFields(operation, words);
  const fileType = readMediaType(operation, given);
  const parts = { path: {}, query: {}, header: {}, body: {} };
  const texts: Readonly<Record<string, Record<string, string>>> = parts;
  let content: ReadableStream<Uint8Array> | undefined;
  for (const { field, text } of given) {
    if (field.in === "content") content = await openContent(text);
    else if (field.in !== "type") {
      texts[field.in][field.sentAs] = await readText(text, operation.maxBodyBytes);
    }
  }
  const { method, hasForm } = operation;
  return {
    method,
    path: fillPath(operation.path, parts.path),
    query: parts.query,
    headers: fileType === undefined ? parts.header : { ...parts.header, "Content-Type": fileType },
    body: content ?? (hasForm ? parts.body : undefined),
  };
}

function readFields(operation: CallOperation, words: readonly string[]): readonly GivenField[] {
  const { operationId, fields } = operation;
  const given = new Map<CallField, string>();
  for (const word of words) {
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (name === undefined) {
      throw new UsageError(
        `${quote(word)} is not like FIELD=VALUE (try call ${operationId} --help)`,
      );
    }
    const field = findField(operation, name);
    if (given.has(field)) throw givenTwice(operation, field);
    given.set(field, text);
  }
  const isMissing = (field: CallField) =>
    field.required && (field.in === "path" ? !given.get(field) : !given.has(field));
  const missing = fields.find(isMissing);
  if (missing !== undefined) throw new UsageError(`${operationId} needs ${missing.name}=…`);
  const found = [...given].map(([field, text]) => ({ field, text }));
  const streams = found.filter(({ text }) => text === "@-").map(({ field }) => field.name);
  if (streams.length < 2) return found;
  throw new UsageError(`only one field can be read from standard input, not ${streams.join(", ")}`);
}

function findField({ operationId, fields }: CallOperation, name: string): CallField {
  const field = fields.find((field) => field.name === name) ??
    fields.find((field) => field.in === "body" && name === `body.${field.sentAs}`);
  if (field !== undefined) return field;
  const names = fields.map((field) => field.name);
  const meant = nearest(name, names);
  const hint = meant === undefined ? `it has ${names.join(", ")}` : `did you mean ${meant}?`;
  throw new UsageError(`${operationId} has no field ${quote(name)}: ${hint}`);
}

function givenTwice({ fields }: CallOperation, { name }: CallField): UsageError {
  const inBody = fields.find((field) => field.name === `body.${name}`);
  const hint = inBody === undefined ? "" : `; the one of the body is ${inBody.name}`;
  return new UsageError(`${name} is given twice${hint}`);
}

/** Returns the media type of a body from a file; `undefined` for other bodies. */
function readMediaType(
  { operationId, mediaTypes }: CallOperation,
  given: readonly GivenField[],
): string | undefined {
  if (mediaTypes.length === 0) return undefined;
  const textOf = (place: CallField["in"]) => given.find(({ field }) => field.in === place)?.text;
  const named = textOf("type");
  if (named !== undefined) {
    const [essence] = named.split(";");
    if (mediaTypes.includes(essence.trim().toLowerCase())) return named;
    const meant = nearest(named, mediaTypes);
    const hint = meant === undefined
      ? `it takes ${mediaTypes.join(", ")}`
      : `did you mean ${meant}?`;
    throw new UsageError(`${operationId} takes no type ${quote(named)}: ${hint}`);
  }
  const [, ending = ""] = /\.([^./\\]+)$/.exec(textOf("content") ?? "") ?? [];
  const types = TYPES_BY_ENDING[ending.toLowerCase()] ?? [];
  const known = types.find((type) => mediaTypes.includes(type));
  if (known !== undefined) return known;
  if (mediaTypes.length === 1) return mediaTypes[0];
  throw new UsageError(
    `${operationId} needs type=…, as the name of the file doesn't tell: ${mediaTypes.join(", ")}`,
  );
}

function fillPath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    // A URL treats these segments as steps to a parent folder, which would be another operation.
    if (value === "." || value === "..") throw new UsageError(`${name} can't be "${value}"`);
    return encodeURIComponent(value);
  });
}

async function openContent(text: string): Promise<ReadableStream<Uint8Array>> {
  return isFile(text) ? await openFile(text.slice(1)) : new Blob([unescape(text)]).stream();
}

/** Tells whether a value names a file. A value that itself starts with `@` is written as `@@`. */
function isFile(value: string): boolean {
  return value.startsWith("@") && !value.startsWith("@@");
}

function unescape(value: string): string {
  return value.replace(/^@@/, "@");
}

/** Returns a value. For `@FILE`, returns the content of the file without a byte order mark. */
async function readText(value: string, maxBytes: number = MAX_BODY_BYTES): Promise<string> {
  if (!isFile(value)) return unescape(value);
  const path = value.slice(1);
  const bytes = await readFile(path, maxBytes);
  if (bytes.length > maxBytes) {
    throw new UsageError(`cannot read "${path}": it is larger than ${maxBytes} bytes`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`cannot read "${path}": it is not UTF-8 text`);
  }
}
