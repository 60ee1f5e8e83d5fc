import {
  type BodyLimits,
  hasBody,
  type Incoming,
  malformed,
  readText,
  streamBody,
  tooLarge,
} from "./content.ts";
import {
  type Accepted,
  type CheckOptions,
  checkValues,
  type Inputs,
  type RawValues,
} from "./fields.ts";
import { parseFlatJson, parseForm } from "./form.ts";
import type { Instant } from "../../model/values/time.ts";
import { checkCodings, readMediaType } from "./media_type.ts";
import type { Operation } from "./operation.ts";
import { Problem, validationFailed } from "./problem.ts";
import { JSON_TYPE } from "./reply.ts";

/** The default for the time that a body may take to arrive, in milliseconds. */
export const BODY_TIMEOUT_MS = 10_000;

/** The media type of forms. */
export const FORM_TYPE = "application/x-www-form-urlencoded";

const MULTIPART_TYPE = "multipart/form-data";
const MEDIA_TYPES = [FORM_TYPE, JSON_TYPE] as const;
// A form that was copied into another site may have another `enctype`.
const PAGE_MEDIA_TYPES = [...MEDIA_TYPES, MULTIPART_TYPE] as const;
const NO_RAW_VALUES: RawValues = { kind: "text", values: new Map() };
// Over HTTP/2, a client can send several such headers.
const BAD_LENGTH = malformed("The Content-Length is not one number");

/** The limits of a body, and the clock for checks of its values. */
export interface BodyOptions extends BodyLimits {
  readonly clock: () => Instant;
}

/**
 * Reads and checks the fields of an operation's body, a form or JSON. Returns a problem otherwise:
 * `unsupported_media_type`, `body_too_large`, `request_timeout`, `malformed_body`,
 * `validation_failed` or, if the server stops meanwhile, `storage_unavailable`.
 */
export async function readBody(
  incoming: Incoming,
  operation: Operation,
  options: BodyOptions,
): Promise<Accepted | Problem> {
  const { request } = incoming;
  const { bodyInputs: inputs, bodyOptional, maxBodyBytes: maxBytes } = operation;
  if (inputs === undefined) return {};
  const { check, ignoresUnknown } = operation;
  const checking: CheckOptions = {
    ignoresUnknown,
    check: check && ((accepted) => check(accepted, options.clock())),
  };
  const refused = checkCodings(request);
  if (refused !== undefined) return refused;
  const announced = request.headers.get("content-length");
  if (announced !== null && !/^\d*$/.test(announced)) return BAD_LENGTH;
  const mediaType = readMediaType(request, operation.isPage ? PAGE_MEDIA_TYPES : MEDIA_TYPES);
  if (mediaType instanceof Problem) {
    // Some clients send a Content-Type, even an unknown one, without a body.
    const found = !bodyOptional || await hasBody(incoming, options);
    if (found === false) return checkValues(inputs, NO_RAW_VALUES, checking);
    return found === true ? mediaType : found;
  }
  const isForm = mediaType === FORM_TYPE;
  const text = await readText(incoming, { maxBytes, announced, isForm }, options);
  if (text instanceof Problem) return text;
  if (text === "" && bodyOptional) return checkValues(inputs, NO_RAW_VALUES, checking);
  let raw: RawValues;
  try {
    if (mediaType === MULTIPART_TYPE) {
      raw = { kind: "text", values: await readMultipart(request, text) };
    } else {
      raw = isForm
        ? { kind: "text", values: readForm(text, operation.isPage ? inputs : undefined) }
        : { kind: "json", values: parseFlatJson(text) };
    }
  } catch (error) {
    return malformed(`The body can't be read: ${(error as Error).message}`);
  }
  const checked = checkValues(inputs, raw, checking);
  const isKnown = Object.keys(inputs).some((name) => raw.values.has(name));
  if (!(checked instanceof Problem && isForm && !isKnown)) return checked;
  const hint = hintAt(text);
  return hint === undefined ? checked : validationFailed(checked.errors ?? [], hint);
}

/**
 * Opens a body that is read in pieces, as by `streamBody`. Returns a problem if the operation does
 * not accept its media type or its announced size.
 */
export function openStream(
  request: Request,
  types: NonNullable<Operation["streams"]>,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array> | Problem {
  const mediaType = checkCodings(request) ?? readMediaType(request, Object.keys(types));
  if (mediaType instanceof Problem) return mediaType;
  const { maxBytes = Infinity } = types[mediaType];
  if (Number(request.headers.get("content-length")) > maxBytes) return tooLarge(maxBytes);
  return streamBody(request, { ...limits, maxBytes });
}

function readForm(text: string, known: Inputs | undefined): ReadonlyMap<string, string> {
  // The platform has removed one byte order mark from a body that is read as text.
  const form = text.startsWith("\ufeff") ? text.replace(/^\ufeff+/, "") : text;
  return parseForm(form, known && Object.keys(known));
}

/** Reads the texts of a multipart form, without files; the first one of fields given twice. */
async function readMultipart(
  { headers }: Request,
  text: string,
): Promise<ReadonlyMap<string, string>> {
  const contentType = headers.get("content-type") ?? "";
  const form = await new Response(text, { headers: { "content-type": contentType } }).formData();
  const values = new Map<string, string>();
  for (const [name, value] of form) {
    if (typeof value === "string" && !values.has(name)) values.set(name, value);
  }
  return values;
}

/** Guesses the mistake in a form without any known field. */
function hintAt(text: string): string | undefined {
  if (text === "") return "the body is empty";
  if (/^\s*(?:[[{]|%5B|%7B)/i.test(text)) {
    return `the body looks like JSON: send it with Content-Type: ${JSON_TYPE}`;
  }
  return text.startsWith("--")
    ? "the body looks like multipart/form-data, which is not taken"
    : undefined;
}
