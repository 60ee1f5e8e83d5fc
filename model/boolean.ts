import { Refusal } from "./refusal.ts";

/** Accepts the text `true` or `false`, in any case; refuses anything else with `invalid_value`. */
export function parseBoolean(text: string): boolean | Refusal {
  const lower = text.toLowerCase();
  if (lower === "true") return true;
  if (lower === "false") return false;
  return new Refusal("invalid_value", "must be true or false");
}
