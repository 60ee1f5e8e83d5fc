import type { Language } from "./language.ts";
import { ar } from "./_texts/ar.ts";
import { de } from "./_texts/de.ts";
import { en } from "./_texts/en.ts";
import { es } from "./_texts/es.ts";
import { fr } from "./_texts/fr.ts";
import { he } from "./_texts/he.ts";
import { it } from "./_texts/it.ts";
import { ja } from "./_texts/ja.ts";
import { nl } from "./_texts/nl.ts";
import { pl } from "./_texts/pl.ts";
import { pt } from "./_texts/pt.ts";
import type { Texts } from "./_texts/texts.ts";
import { zh } from "./_texts/zh.ts";

export type { Texts } from "./_texts/texts.ts";

// The compiler refuses a language without a table, and a table that lacks a text.
const TEXTS: Readonly<Record<Language, Texts>> = {
  ...{ en, de, fr, es, pt, it, nl, pl, ja, zh, ar, he },
};

/**
 * Returns what readers are told in a language: on pages, in mails and in the widget.
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { textsOf } from "./texts.ts";
 *
 * assertEquals(textsOf("nl").unread("3"), "Ongelezen: 3");
 * ```
 */
export function textsOf(language: Language): Texts {
  return TEXTS[language];
}
