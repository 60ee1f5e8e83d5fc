import { Refusal } from "../../values/refusal.ts";

const NOT_JSON = new Refusal("invalid_value", "the file is not JSON");
const STRUCTURE = /"(?:[^"\\]|\\.)*"|[[\]{}]/gs;

/** Reads the values of JSON in a text, which may follow each other without anything in between. */
export function splitJson(text: string): readonly unknown[] | Refusal {
  const whole = parse(text);
  if (whole !== undefined) return [whole];
  const values: unknown[] = [];
  let [start, depth] = [0, 0];
  for (const { 0: part, index } of text.matchAll(STRUCTURE)) {
    if (part === "[" || part === "{") depth++;
    if (part !== "]" && part !== "}") continue;
    if (--depth > 0) continue;
    const value = parse(text.slice(start, index + 1));
    if (value === undefined) return NOT_JSON;
    values.push(value);
    start = index + 1;
  }
  return values.length === 0 || text.slice(start).trim() !== "" ? NOT_JSON : values;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
