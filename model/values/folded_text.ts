// Japanese marks make different letters, and so do the marks of Indian scripts.
const MARKS =
  /(?![\u3099\u309a])(?=[\p{Script=Inherited}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}])\p{M}/gu;
const LONG_RUNS = /(\p{M}{30})\p{M}+/gu;
const ASCII = /^[\0-\x7f]*$/;
// Unicode does not decompose these letters into a base letter and a mark.
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ı: "i",
  ς: "σ",
};
const OTHER_LETTERS = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

/**
 * Returns a text without differences that a search ignores: case, diacritics, and variants of a
 * letter. Shortens long runs of marks first, because normalizing them takes quadratic time.
 */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.replace(LONG_RUNS, "$1").normalize("NFKD").replace(MARKS, "").toLowerCase()
    .replace(OTHER_LETTERS, (letter) => LETTERS[letter]).normalize("NFC");
}
