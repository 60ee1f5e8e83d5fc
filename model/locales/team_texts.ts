import type { Language } from "./language.ts";
import { ar } from "./team/ar.ts";
import { de } from "./team/de.ts";
import { en } from "./team/en.ts";
import { es } from "./team/es.ts";
import { fr } from "./team/fr.ts";
import { he } from "./team/he.ts";
import { it } from "./team/it.ts";
import { ja } from "./team/ja.ts";
import { nl } from "./team/nl.ts";
import { pl } from "./team/pl.ts";
import { pt } from "./team/pt.ts";
import type { TeamTexts } from "./team/team_texts.ts";
import { zh } from "./team/zh.ts";

export type { TeamTexts } from "./team/team_texts.ts";

const TEXTS: Readonly<Record<Language, TeamTexts>> = {
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

/** Returns the texts of signing in and of mails to the team, in a language. */
export function teamTextsOf(language: Language): TeamTexts {
  return TEXTS[language];
}
