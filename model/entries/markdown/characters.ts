import { findEntity } from "./entities.ts";

const ESCAPE = "\\\\([!-/:-@[-`{-~])|" +
  "&(?:#[xX]([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|([A-Za-z][A-Za-z0-9]{1,31}));";
const ESCAPES = new RegExp(ESCAPE, "g");
// XML 1.0 excludes most of these characters (section 2.2), and feeds contain rendered entries.
const UNSUPPORTED = /(?![\t\n])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

/** Matches a backslash escape or a possible entity at an offset. */
export const ESCAPE_HERE: RegExp = new RegExp(ESCAPE, "y");

/** Executes a sticky or global pattern from `offset`. */
export function matchFrom(pattern: RegExp, text: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(text);
}

/** Replaces lone surrogates, U+FFFE, U+FFFF, and control characters except tabs and line feeds. */
export function replaceControls(text: string): string {
  return text.replace(UNSUPPORTED, "\ufffd");
}

/** Resolves backslash escapes and entities; an unknown entity stays as it is. */
export function unescapeText(text: string): string {
  return text.replace(
    ESCAPES,
    (written: string, escaped?: string, hex?: string, decimal?: string, name?: string) =>
      escaped ?? decode(hex, decimal, name) ?? written,
  );
}

function decode(hex?: string, decimal?: string, name?: string): string | undefined {
  if (name !== undefined) return findEntity(name);
  const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
  return code > 0x10ffff ? "\ufffd" : replaceControls(String.fromCodePoint(code));
}
