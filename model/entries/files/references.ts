import { changeOutsideCode } from "./code_mask.ts";

/** Where a label leads: an address and maybe a title, as they are written in a link. */
export type References = ReadonlyMap<string, string>;

const DEFINITION =
  /^ {0,3}\[((?:[^[\]\\\n]|\\.)+)\]:[ \t]*(?:\n[ \t]+)?<?([^\s<>]+)>?([ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*$/gm;
// A text, in which there may be images, and the label that follows it.
const LINK =
  /(\\?)(!?)\[((?:[^[\]\\\n]|\\.|\n(?!\n)|!\[[^[\]\n]*\]\([^()\s]*\))+)\](?:\[([^[\]\n]*)\])?(?![(:[])/g;

/** Takes the definitions of links out of a text in Markdown. */
export function takeReferences(
  markdown: string,
): { readonly markdown: string; readonly references: References } {
  const references = new Map<string, string>();
  const rest = changeOutsideCode(
    markdown,
    (text) =>
      text.replace(DEFINITION, (_, label: string, url: string, title = "") => {
        if (!references.has(keyOf(label))) references.set(keyOf(label), url + title);
        return "";
      }),
  );
  return { markdown: rest, references };
}

/** Replaces links by labels with links by addresses; what has no definition stays. */
export function resolveReferences(markdown: string, references: References): string {
  if (references.size === 0) return markdown;
  const resolve = (
    written: string,
    escape: string,
    mark: string,
    text: string,
    label: string | undefined,
  ): string => {
    const target = references.get(keyOf(label || text));
    return escape !== "" || target === undefined ? written : `${mark}[${text}](${target})`;
  };
  return changeOutsideCode(markdown, (text) => {
    // Images come first, as they may be the text of links.
    const images = text.replace(
      LINK,
      (written, escape, mark, ...rest: [string, string]) =>
        mark === "!" ? resolve(written, escape, mark, rest[0], rest[1]) : written,
    );
    return images.replace(LINK, resolve);
  });
}

function keyOf(label: string): string {
  return label.trim().toLowerCase().replace(/\s+/g, " ");
}
