import { matchFrom } from "./characters.ts";

// The end of another scheme or of a word before a URL. As on GitHub, only ASCII letters count.
const BARRED_BEFORE = /[a-z]/i;
const SEGMENT = "[\\p{L}\\p{N}_-]+";
const ORIGIN = new RegExp(
  `https?://(?<domain>${SEGMENT}(?:\\.${SEGMENT})*\\.?)(?::[0-9]{1,5})?`,
  "iuy",
);
const PATH = /(?:[/?#][^\s<]*)?/y;
// If brackets surround a URL, it ends before the closing one, because it may be the text of a link.
const PATH_IN_BRACKETS = /(?:[/?#][^\s<\]]*)?/y;
const ENTITY_AT_END = /&[a-z0-9]+;$/i;

/**
 * Finds the http or https URL that starts at an offset and has no brackets around it (GFM 0.29,
 * section 6.9). Punctuation at its end, and a closing parenthesis that it has not opened, are not
 * part of it.
 */
export function findBareUrl(
  text: string,
  offset: number,
  { isInBrackets }: { readonly isInBrackets: boolean },
): string | undefined {
  if (offset > 0 && BARRED_BEFORE.test(text[offset - 1])) return undefined;
  const origin = matchFrom(ORIGIN, text, offset);
  if (origin === null || !isDomain(origin.groups?.domain ?? "")) return undefined;
  const pattern = isInBrackets ? PATH_IN_BRACKETS : PATH;
  return trimEnd(origin[0] + (matchFrom(pattern, text, ORIGIN.lastIndex)?.[0] ?? ""));
}

function isDomain(domain: string): boolean {
  const last = domain.split(".").slice(-2);
  return !last.some((segment) => segment.includes("_"));
}

function trimEnd(url: string): string {
  let end = url.length;
  let unopened = url.split(")").length - url.split("(").length;
  for (;;) {
    const last = url[end - 1];
    if (/[?!.,:*_~'"]/.test(last)) end--;
    else if (last === ")" && unopened > 0) {
      end--;
      unopened--;
    } else if (last === ";") {
      // A longer one is no entity.
      const start = Math.max(0, end - 40);
      const entity = ENTITY_AT_END.exec(url.slice(start, end));
      if (entity === null) return url.slice(0, end);
      end -= entity[0].length;
    } else return url.slice(0, end);
  }
}
