// The names from U+00A0 to U+00FF, in order.
const LATIN_1 = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg " +
  "macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 " +
  "iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave " +
  "Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc " +
  "Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc " +
  "euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave " +
  "uacute ucirc uuml yacute thorn yuml";
const OTHERS = "quot \" amp & apos ' lt < gt > ensp \u2002 emsp \u2003 thinsp \u2009 " +
  "zwnj \u200c zwj \u200d ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ " +
  "lsaquo ‹ rsaquo › dagger † Dagger ‡ bull • hellip … permil ‰ euro € trade ™ larr ← uarr ↑ " +
  "rarr → darr ↓ harr ↔ minus − ne ≠ le ≤ ge ≥ OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ";
// Of the 2,125 names of HTML, those of Latin-1 and of typography, which word processors and editors
// export. Any other character can be typed, or written as a number.
const NAMED: ReadonlyMap<string, string> = new Map([
  ...LATIN_1.split(" ").map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
  // An array: Node 20 has no methods of iterators.
  ...[...OTHERS.matchAll(/(\w+) (.)/gu)].map(([, name, character]) => [name, character] as const),
]);

const ESCAPE = "\\\\([!-/:-@[-`{-~])|" +
  "&(?:#[xX]([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|([A-Za-z][A-Za-z0-9]{1,9}));";
const ESCAPES = new RegExp(ESCAPE, "g");
// XML 1.0 cannot hold most of them (section 2.2), and what is rendered goes into feeds.
const UNSUPPORTED = /(?![\t\n])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

/** Matches a backslash escape, or what looks like an entity, where it is. */
export const ESCAPE_HERE: RegExp = new RegExp(ESCAPE, "y");

/** Executes a sticky or global pattern from `offset`. */
export function matchFrom(pattern: RegExp, text: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(text);
}

/** Replaces control characters but tabs and line feeds, lone surrogates and U+FFFE and U+FFFF. */
export function replaceControls(text: string): string {
  return text.replace(UNSUPPORTED, "\ufffd");
}

/** Resolves backslash escapes and entities; one whose name is not known stays. */
export function unescapeText(text: string): string {
  return text.replace(
    ESCAPES,
    (written: string, escaped?: string, hex?: string, decimal?: string, name?: string) =>
      escaped ?? decode(hex, decimal, name) ?? written,
  );
}

function decode(hex?: string, decimal?: string, name?: string): string | undefined {
  if (name !== undefined) return NAMED.get(name);
  const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
  return code > 0x10ffff ? "\ufffd" : replaceControls(String.fromCodePoint(code));
}
