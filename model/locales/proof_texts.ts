import type { Language } from "./language.ts";
import { ar } from "./proof/ar.ts";
import { de } from "./proof/de.ts";
import { en } from "./proof/en.ts";
import { es } from "./proof/es.ts";
import { fr } from "./proof/fr.ts";
import { he } from "./proof/he.ts";
import { it } from "./proof/it.ts";
import { ja } from "./proof/ja.ts";
import { nl } from "./proof/nl.ts";
import { pl } from "./proof/pl.ts";
import type { ProofTexts } from "./proof/proof_texts.ts";
import { pt } from "./proof/pt.ts";
import { zh } from "./proof/zh.ts";

export type { ProofTexts } from "./proof/proof_texts.ts";

const TEXTS: Readonly<Record<Language, ProofTexts>> = {
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

/** Returns the texts of forms, of the proof of an address and of a person's own page in a language. */
export function proofTextsOf(language: Language): ProofTexts {
  return TEXTS[language];
}
