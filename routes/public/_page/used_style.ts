/** A rule of a style, and the names that a page needs for it. */
interface Rule {
  readonly text: string;
  /** The conditions of each of its selectors; a page needs to meet those of one. */
  readonly selectors: readonly Condition[];
}

/** The names of a selector, all needed, and groups of which one each is needed. */
interface Condition {
  readonly names: readonly string[];
  readonly anyOf: readonly (readonly (readonly string[])[])[];
}

/** Rules under one condition, such as `@media print`; the text is empty for those without. */
interface Block {
  readonly media: string;
  readonly rules: readonly Rule[];
}

export type StyleRules = readonly Block[];

const BLOCK = /(@[^{}]+)\{((?:[^{}]+\{[^{}]*\})*)\}|([^{}@]+)\{([^{}]*)\}/g;
// A reader opens `<details>` later, so that `[open]` needs nothing.
const NAME = /\.[\w-]+|\[(?!open\])[^\]]+\]|(?<![\w:#.[-])[a-z][a-z0-9]*/g;
const NESTED = /\(([^()]*)\([^()]*\)/;

/** Reads the rules of a style that has no comments. */
export function readRules(style: string): StyleRules {
  return [...style.matchAll(BLOCK)].map(([, media = "", inner, selectors, declarations]) => ({
    media,
    rules: media === ""
      ? [readRule(selectors, declarations)]
      : [...inner.matchAll(/([^{}]+)\{([^{}]*)\}/g)].map(([, selectors, declarations]) =>
        readRule(selectors, declarations)
      ),
  }));
}

/** Returns the rules for elements, classes and attributes that HTML has, in their order. */
export function usedStyle(blocks: StyleRules, html: string): string {
  const known = new Set(["html", "body"]);
  for (const [, tag] of html.matchAll(/<([a-z][a-z0-9]*)/g)) known.add(tag);
  for (const [, classes] of html.matchAll(/ class="([^"]*)"/g)) {
    for (const name of classes.split(" ")) known.add(`.${name}`);
  }
  const has = (name: string) =>
    name.startsWith("[") ? html.includes(` ${name.slice(1, -1)}`) : known.has(name);
  const hasAll = (names: readonly string[]) => names.every(has);
  const isUsed = ({ selectors }: Rule) =>
    selectors.some(({ names, anyOf }) =>
      hasAll(names) && anyOf.every((group) => group.some(hasAll))
    );
  return blocks.map(({ media, rules }) => {
    const text = rules.filter(isUsed).map(({ text }) => text).join("");
    return media === "" || text === "" ? text : `${media}{${text}}`;
  }).join("");
}

function readRule(selectors: string, declarations: string): Rule {
  return {
    text: `${selectors}{${declarations}}`,
    selectors: splitList(flatten(selectors)).map(readSelector),
  };
}

/** Removes functions within others, which need nothing. */
function flatten(selectors: string): string {
  let flat = selectors;
  while (NESTED.test(flat)) flat = flat.replace(NESTED, "($1");
  return flat;
}

/** Reads what a selector needs; what it excludes needs nothing. */
function readSelector(selector: string): Condition {
  const anyOf: (readonly string[])[][] = [];
  const rest = selector.replace(/:([\w-]+)\(([^()]*)\)/g, (_, name, list) => {
    if (name === "is" || name === "has") anyOf.push(splitList(list).map(namesIn));
    return "";
  });
  return { names: namesIn(rest), anyOf };
}

function namesIn(selector: string): readonly string[] {
  return selector.match(NAME) ?? [];
}

/** Splits a list of selectors at the commas outside parentheses. */
function splitList(list: string): readonly string[] {
  return list.split(/,(?![^()]*\))/);
}
