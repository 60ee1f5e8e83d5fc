/** The most fields in a form, a query or a JSON object. */
export const MAX_FIELDS = 100;

/**
 * Reads `application/x-www-form-urlencoded` text (WHATWG URL, section 5.1), which is also the
 * form of a query, without repairing it. Throws a `SyntaxError` for a bad percent-escape,
 * invalid UTF-8, a known name given twice or more than 100 fields.
 */
export function parseForm(
  text: string,
  isKnown: (name: string) => boolean,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  if (text === "") return values;
  let count = 0;
  for (const part of text.split("&")) {
    if (part === "") continue;
    if (++count > MAX_FIELDS) throw new SyntaxError(`there are more than ${MAX_FIELDS} fields`);
    const equals = part.indexOf("=");
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    const raw = equals < 0 ? "" : part.slice(equals + 1);
    const value = decode(raw);
    if (!isKnown(name)) continue;
    if (values.has(name)) throw new SyntaxError(`the field ${name} is given twice`);
    // A mere part of the body, kept in storage, would keep all of the body in memory.
    values.set(name, value === raw ? decodeURIComponent(raw) : value);
  }
  return values;
}

/** Reads JSON text with one flat object in it. Throws a `SyntaxError` for anything else. */
export function parseFlatJson(text: string): ReadonlyMap<string, unknown> {
  const value = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SyntaxError("the JSON is not an object");
  }
  const entries = Object.entries(value);
  if (entries.length > MAX_FIELDS) {
    throw new SyntaxError(`there are more than ${MAX_FIELDS} fields`);
  }
  return new Map(entries);
}

function decode(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw new SyntaxError("it has a bad percent-escape or invalid UTF-8");
  }
}
