import { type JsonItem, objectsOf, stringOf } from "./json_item.ts";

/** The HTML of a post, and the names of its parts that have no HTML. */
export interface GhostText {
  readonly html: string;
  readonly leftOut: readonly string[];
}

// The bits of a format in Lexical, with the elements for them.
const FORMATS = [[1, "b"], [2, "i"], [4, "s"], [16, "code"]] as const;
const PARAGRAPHS = /^(?:root|paragraph|aside)$/;
const MAX_DEPTH = 100;

/** Writes the text of a post in an editor's own format as HTML; absent if it can't be read. */
export function readEditorText(
  { lexical, mobiledoc }: { readonly lexical: string; readonly mobiledoc: string },
): GhostText | undefined {
  const leftOut = new Set<string>();
  try {
    const html = lexical === ""
      ? readMobiledoc(JSON.parse(mobiledoc), leftOut)
      : readLexical(JSON.parse(lexical).root, leftOut);
    return { html, leftOut: [...leftOut] };
  } catch {
    return undefined;
  }
}

function readLexical(node: JsonItem, leftOut: Set<string>, depth = 0): string {
  if (depth > MAX_DEPTH) throw new RangeError("The text is nested too deeply");
  const type = stringOf(node.type).replace(/^extended-/, "");
  const content = objectsOf(node.children).map((child) => readLexical(child, leftOut, depth + 1))
    .join("");
  if (type === "linebreak") return "<br>";
  if (type === "text" || type === "code-highlight") {
    const marks = FORMATS.filter(([bit]) => (Number(node.format) & bit) !== 0);
    return marks.reduce((html, [, name]) => `<${name}>${html}</${name}>`, escape(node.text));
  }
  if (type === "link" || type === "autolink") {
    return `<a href="${escape(node.url)}">${content}</a>`;
  }
  if (type === "heading" && /^h[1-6]$/.test(`${node.tag}`)) {
    return `<${node.tag}>${content}</${node.tag}>`;
  }
  if (type === "list") return element(node.listType === "number" ? "ol" : "ul", content);
  if (type === "listitem") return element("li", content);
  if (type === "quote") return element("blockquote", element("p", content));
  if (PARAGRAPHS.test(type)) return type === "root" ? content : element("p", content);
  return node.children === undefined ? readCard(type, node, leftOut) : element("div", content);
}

/** Reads the format of older posts: sections with markers, cards and atoms. */
function readMobiledoc(document: JsonItem, leftOut: Set<string>): string {
  const [cards, markups] = [document.cards, document.markups].map(listOf);

  function readMarkers(markers: unknown): string {
    const open: string[] = [];
    return listOf(markers).map((marker) => {
      const [kind, starts, ends, text] = listOf(marker);
      let html = "";
      for (const index of listOf(starts)) {
        const [name, attributes] = listOf(markups[Number(index)]);
        const at = listOf(attributes).indexOf("href") + 1;
        const href = at === 0 ? "" : ` href="${escape(listOf(attributes)[at])}"`;
        html += `<${toName(name)}${href}>`;
        open.push(toName(name));
      }
      html += kind === 0 ? escape(text) : "<br>";
      for (let count = Number(ends); count > 0; count--) html += `</${open.pop()}>`;
      return html;
    }).join("");
  }

  return listOf(document.sections).map((section) => {
    const [kind, first, content] = listOf(section);
    if (kind === 1) return element(toName(first), readMarkers(content));
    if (kind === 2) return `<img src="${escape(first)}">`;
    if (kind === 3) {
      const items = listOf(content).map((item) => element("li", readMarkers(item)));
      return element(toName(first), items.join(""));
    }
    const [name, card] = listOf(cards[Number(first)]);
    return readCard(stringOf(name), (card ?? {}) as JsonItem, leftOut);
  }).join("");
}

function readCard(type: string, card: JsonItem, leftOut: Set<string>): string {
  switch (type) {
    case "image":
      return `<p><img src="${escape(card.src)}" alt="${escape(card.alt)}"></p>`;
    case "codeblock":
    case "code":
      return element("pre", element("code", escape(card.code)));
    case "horizontalrule":
    case "hr":
      return "<hr>";
    case "html":
      return stringOf(card.html);
    case "markdown":
    case "card-markdown":
      return stringOf(card.markdown).split(/\n{2,}/)
        .map((text) => element("p", escape(text))).join("");
    case "bookmark":
      return element("p", element("a", escape(card.url), ` href="${escape(card.url)}"`));
    case "callout":
      return element("p", escape(stringOf(card.calloutText).replace(/<[^<>]*>/g, "")));
  }
  leftOut.add(`a card (${type.slice(0, 40)})`);
  return "";
}

function element(name: string, content: string, attributes = ""): string {
  return `<${name}${attributes}>${content}</${name}>`;
}

function toName(value: unknown): string {
  return /^[a-z][a-z0-9]*$/i.test(`${value}`) ? `${value}` : "p";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function escape(value: unknown): string {
  return stringOf(value).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
