import type { Language } from "./language.ts";
import { ar } from "./ar.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { he } from "./he.ts";
import { it } from "./it.ts";
import { ja } from "./ja.ts";
import { nl } from "./nl.ts";
import { pl } from "./pl.ts";
import { pt } from "./pt.ts";
import type { Texts } from "./locale.ts";
import { zh } from "./zh.ts";

export type { Texts } from "./locale.ts";

// The compiler refuses a language without a table, and a table without a text.
const TEXTS: Readonly<Record<Language, Texts>> = {
  ...{ en, de, fr, es, pt, it, nl, pl, ja, zh, ar, he },
};

/**
 * Returns the texts of all pages, mails and the widget in a language.
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { textsOf } from "./locales.ts";
 *
 * assertEquals(textsOf("nl").unread("3"), "Ongelezen: 3");
 * ```
 */
export function textsOf(language: Language): Texts {
  return TEXTS[language];
}
