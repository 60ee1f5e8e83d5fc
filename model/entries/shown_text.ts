import { foldText } from "../values/folded_text.ts";
import { parseMarkdown, renderText } from "./markdown.ts";

// Text without these characters is shown as it was written.
const FORMATTED = /[*_~`\\&[]/;
const FORMATS = /\]\([^)\n]{0,500}\)|[*_~`\\[\]]/g;

/** Returns the text that readers see of Markdown, without the addresses of links. */
export function shownText(body: string): string {
  return renderText(parseMarkdown(body), { linkUrls: false });
}

/**
 * Tells whether a title and what readers see of bodies in Markdown match a search. Parses only the
 * bodies that may contain the folded `words`, because parsing takes twenty times as long.
 */
export function matchShown(
  { title, bodies }: { readonly title: string; readonly bodies: readonly string[] },
  words: readonly string[],
  matches: (text: string) => boolean,
): boolean {
  const written = [title, ...bodies].join("\n");
  if (!bodies.some((body) => FORMATTED.test(body))) return matches(written);
  if (!mayContain(foldText(written), words)) return false;
  return matches([title, ...bodies.map(shownText)].join("\n"));
}

/** Tells whether a text may contain words once formats, addresses and entities are replaced. */
function mayContain(folded: string, words: readonly string[]): boolean {
  if (folded.includes("&")) return true;
  const bare = folded.replace(FORMATS, "");
  return words.every((word) => folded.includes(word) || bare.includes(word.replace(FORMATS, "")));
}
