import { Refusal } from "./refusal.ts";
import { parseText } from "./text.ts";

/** The maximum number of code points in the name of a user, a board or a key. */
export const NAME_MAX_CODE_POINTS = 200;

/** Accepts the name of a board or key: NFC, trimmed, 1 to 200 code points. */
export function parseName(text: string): string | Refusal {
  const name = parseUserName(text);
  return name === "" ? new Refusal("invalid_value", "is empty") : name;
}

/** Accepts the name of a user: the same, but empty if no name was given. */
export function parseUserName(text: string): string | Refusal {
  return parseText(text, { maxCodePoints: NAME_MAX_CODE_POINTS });
}
