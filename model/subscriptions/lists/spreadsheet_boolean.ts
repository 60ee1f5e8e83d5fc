import { Refusal } from "../../values/refusal.ts";
import { quote } from "../../values/text.ts";
import type { ListOptions } from "./list_format.ts";

// What spreadsheets write for TRUE and FALSE, by language.
const WORDS: Readonly<Record<string, readonly [yes: string, no: string]>> = {
  en: ["true", "false"],
  de: ["wahr", "falsch"],
  es: ["verdadero", "falso"],
  fr: ["vrai", "faux"],
  it: ["vero", "falso"],
  nl: ["waar", "onwaar"],
  pl: ["prawda", "fałsz"],
  pt: ["verdadeiro", "falso"],
  ar: ["صح", "خطأ"],
  he: ["אמת", "שקר"],
  ja: ["真", "偽"],
  zh: ["真", "假"],
};
const [TRUE, FALSE] = [0, 1].map((at) => Object.values(WORDS).map((words) => words[at]));

/**
 * Accepts the words of spreadsheets for true and false, in any case, and those that are named for this
 * list; refuses anything else with `invalid_value`.
 */
export function parseSpreadsheetBoolean(
  text: string,
  { true: named = [], false: refused = [] }: Pick<ListOptions, "true" | "false"> = {},
): boolean | Refusal {
  const word = text.trim().toLowerCase();
  if (named.includes(word)) return true;
  if (refused.includes(word)) return false;
  if (TRUE.includes(word)) return true;
  if (FALSE.includes(word)) return false;
  const found = text.length === 0 ? "is empty" : `is ${quote(text)}`;
  return new Refusal(
    "invalid_value",
    `must be true or false, and ${found}; name other words by true and false (--true WORD, --false WORD)`,
  );
}
