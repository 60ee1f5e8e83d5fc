import { ar } from "./boards/ar.ts";
import { de } from "./boards/de.ts";
import { en } from "./boards/en.ts";
import { es } from "./boards/es.ts";
import { fr } from "./boards/fr.ts";
import { he } from "./boards/he.ts";
import { it } from "./boards/it.ts";
import { ja } from "./boards/ja.ts";
import { nl } from "./boards/nl.ts";
import { pl } from "./boards/pl.ts";
import { pt } from "./boards/pt.ts";
import { zh } from "./boards/zh.ts";
import type { BoardTexts } from "./boards/board_texts.ts";
import type { Language } from "./language.ts";

export type { BoardTexts } from "./boards/board_texts.ts";

const TEXTS: Readonly<Record<Language, BoardTexts>> = {
  en,
  de,
  fr,
  es,
  pt,
  it,
  nl,
  pl,
  ja,
  zh,
  ar,
  he,
};

/** Returns the texts of the public pages of boards in a language. */
export function boardTextsOf(language: Language): BoardTexts {
  return TEXTS[language];
}
