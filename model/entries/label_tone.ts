// The tones of labels that many changelogs use; a style sheet gives each tone its colours.
const KNOWN: Readonly<Record<string, number>> = {
  new: 0,
  added: 0,
  feature: 0,
  breaking: 2,
  removed: 2,
  security: 2,
  changed: 3,
  improved: 3,
  bug: 5,
  fix: 5,
  fixed: 5,
};

/** The number of tones. */
export const TONES = 6;

/** Chooses the tone of a label by its word, the same one everywhere. */
export function toneOf(label: string): number {
  const sum = [...label].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0);
  return KNOWN[label] ?? sum % TONES;
}
