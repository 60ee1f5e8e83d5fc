import { randomText } from "../crypto/random.ts";
import { Refusal } from "./refusal.ts";

/** The pattern of identifiers that callers choose. */
export const ID_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$";

const ID = new RegExp(ID_PATTERN);

/** Tells whether a text is a valid identifier of a record. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/** Creates an identifier: `length` lower-case letters and digits. */
export function generateId(length = 16): string {
  return randomText(length, "0123456789abcdefghijklmnopqrstuvwxyz");
}

/** Accepts the identifier of a new record; refuses with `too_long` or `invalid_value`. */
export function parseId(text: string): string | Refusal {
  if (isId(text)) return text;
  if (text.length > 128) return new Refusal("too_long", "is longer than 128 characters");
  return new Refusal(
    "invalid_value",
    "must start with a letter or digit and contain only letters, digits and . _ ~ -",
  );
}

/** Accepts the identifier of a new record with a page; refuses `.atom`, the ending of its feed. */
export function parsePageId(text: string): string | Refusal {
  return text.endsWith(".atom") ? new Refusal("invalid_value", "ends in .atom") : parseId(text);
}
