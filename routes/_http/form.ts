import { quote } from "../../model/values/text.ts";

/** The maximum number of fields in a form, a query or a JSON object. */
export const MAX_FIELDS = 100;

/**
 * Parses a form or a query (`application/x-www-form-urlencoded`, WHATWG URL, section 5.1) without
 * repairing it. Returns the values of `names`, or of all fields. Throws a `SyntaxError` for a bad
 * percent-escape, invalid UTF-8, one of these fields given twice, or more than 100 fields.
 */
export function parseForm(text: string, names?: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  let count = 0;
  for (let start = 0, end: number; start < spaced.length; start = end + 1) {
    end = indexOrEnd(spaced, "&", start);
    if (end === start) continue;
    if (++count > MAX_FIELDS) throw new SyntaxError(`there are more than ${MAX_FIELDS} fields`);
    const equals = Math.min(indexOrEnd(spaced, "=", start), end);
    const name = decode(spaced.slice(start, equals));
    const value = decode(spaced.slice(equals + 1, end));
    if (names !== undefined && !names.includes(name)) continue;
    if (values.has(name)) throw givenTwice(name);
    values.set(name, value);
  }
  return values;
}

/**
 * Parses a JSON text that holds one object. Throws a `SyntaxError` for anything else; its message
 * quotes nothing of the text.
 */
export function parseFlatJson(text: string): ReadonlyMap<string, unknown> {
  const value = parseJson(text);
  if (typeof value === "string") {
    throw new SyntaxError("the JSON is a string, maybe an object that was encoded twice");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SyntaxError("the JSON is not an object");
  }
  const entries = Object.entries(value);
  if (entries.length > MAX_FIELDS) {
    throw new SyntaxError(`there are more than ${MAX_FIELDS} fields`);
  }
  checkNames(text);
  return new Map(entries);
}

// JSON.parse keeps the last value of a repeated name, and another parser may keep the first.
function checkNames(text: string): void {
  const names = new Set<string>();
  let depth = 0;
  let last = "";
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (token !== ":") last = token;
    else if (depth === 1) {
      const name: string = JSON.parse(last);
      if (names.has(name)) throw givenTwice(name);
      names.add(name);
    }
  }
}

function givenTwice(name: string): SyntaxError {
  return new SyntaxError(`the field ${quote(name)} is given twice`);
}

// The messages of JSON.parse quote the body.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (text === "") throw new SyntaxError("it is empty");
    if (text.startsWith("\ufeff")) throw new SyntaxError("it starts with a byte order mark");
    if (/^[\w.%-]+=/.test(text)) throw new SyntaxError("it looks like a form, not like JSON");
    throw new SyntaxError("check its JSON");
  }
}

function indexOrEnd(text: string, character: string, start: number): number {
  const index = text.indexOf(character, start);
  return index < 0 ? text.length : index;
}

function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SyntaxError("it has a bad percent-escape or invalid UTF-8");
  }
}
