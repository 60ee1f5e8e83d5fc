import { Refusal } from "../../values/refusal.ts";

const NOT_JSON = new Refusal("invalid_value", "the file is not JSON");
const TOO_LONG = new Refusal("too_long", "a value in the file is too long to be read");
const PIECE_LENGTH = 16_384;
// Limits for one piece of work: some milliseconds of text, and some dozens of brackets.
const MAX_PIECE_LENGTH = 4_194_304;
const MAX_DEPTH = 1_000;
const BRACKETS_AT_ONCE = 2_000;

/**
 * Parses the JSON values in a text, one or several in a row, with pauses. Splits the items of
 * top-level arrays, such as `[…]`, `[[…]]` and `{ "items": […] }`, and parses some of them at a
 * time.
 */
export function* parseJsonValues(text: string): Generator<void, readonly unknown[] | Refusal> {
  const values: unknown[] = [];
  // The outermost open brackets, and the number of all open brackets.
  const open: string[] = [];
  let depth = 0;
  // The current value, in which an object with an index replaces each separately parsed list.
  let rest = "";
  let end = 0;
  let parsed: (readonly unknown[])[] = [];
  // The items being read, and the number of brackets around them.
  let items: { readonly start: number; readonly depth: number; end: number } | undefined;

  function endItems({ start, end: itemsEnd }: NonNullable<typeof items>): void {
    rest += `${text.slice(end, start)}{"at":${parsed.length}}`;
    parsed.push(parse(`[${text.slice(start, itemsEnd)}]`) as readonly unknown[]);
    end = itemsEnd;
    items = undefined;
  }

  function fill(value: unknown): unknown {
    if (!Array.isArray(value)) return value;
    return value.flatMap((item) => {
      if (Array.isArray(item)) return [fill(item)];
      return typeof item === "object" && item !== null ? parsed[item.at] : [item];
    });
  }

  function endValue(at: number): void {
    const value = parse(rest + text.slice(end, at));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    values.push(
      isObject
        ? Object.fromEntries(Object.entries(value).map(([name, of]) => [name, fill(of)]))
        : fill(value),
    );
    [rest, end, parsed] = ["", at, []];
  }

  try {
    let count = 0;
    for (const at of bracketsOf(text)) {
      if (++count % BRACKETS_AT_ONCE === 0) yield;
      if (text[at] === "[" || text[at] === "{") {
        const isInArray = depth <= 2 && open[depth - 1] === "[";
        if (isInArray && (depth === 2 || text[at] === "{")) {
          items ??= { start: at, depth, end: at };
        }
        if (depth < 2) open[depth] = text[at];
        if (++depth > MAX_DEPTH) return NOT_JSON;
        continue;
      }
      depth--;
      if (items?.depth === depth) items.end = at + 1;
      if (items !== undefined && (depth < items.depth || items.end - items.start > PIECE_LENGTH)) {
        endItems(items);
        yield;
      }
      if (depth === 0) endValue(at + 1);
    }
    if (text.slice(end).trim() !== "" || values.length === 0) endValue(text.length);
  } catch (error) {
    if (error instanceof RangeError) return TOO_LONG;
    if (error instanceof SyntaxError) return NOT_JSON;
    throw error;
  }
  return values;
}

function parse(json: string): unknown {
  if (json.length > MAX_PIECE_LENGTH) throw new RangeError("The value is too long");
  return JSON.parse(json);
}

/** Yields the positions of the brackets in a JSON text, except those in strings. */
function* bracketsOf(text: string): Generator<number> {
  const part = /["[\]{}]/g;
  for (let match = part.exec(text); match !== null; match = part.exec(text)) {
    if (match[0] === '"') part.lastIndex = endOfString(text, match.index) + 1;
    else yield match.index;
  }
}

function endOfString(text: string, start: number): number {
  for (let end = start;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let escapes = end;
    while (text[escapes - 1] === "\\") escapes--;
    if ((end - escapes) % 2 === 0) return end;
  }
}
