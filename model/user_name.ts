import type { Refusal } from "./refusal.ts";
import { parseText } from "./text.ts";

/** The most code points in a user name. */
export const USER_NAME_MAX_CODE_POINTS = 200;

/**
 * Takes the name of a user: NFC, outer white space trimmed, at most 200 code
 * points. The result is empty where no name was given.
 */
export function parseUserName(text: string): string | Refusal {
  return parseText(text, { maxCodePoints: USER_NAME_MAX_CODE_POINTS });
}
