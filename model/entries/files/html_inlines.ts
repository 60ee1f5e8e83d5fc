import { longestTicks } from "./html_code.ts";
import { type MarkupElement, textOf, TooLong } from "./markup.ts";

/** What the conversion of one text in HTML has in common. */
export interface Conversion {
  /** The names of elements whose content or meaning could not be kept. */
  readonly leftOut: Set<string>;
  /** How many links and images lead nowhere, as their addresses are relative. */
  readonly lost: { links: number; images: number };
  /** The address that relative ones start from. */
  readonly base: string | undefined;
  /** The length of Markdown at which it stops. */
  readonly maxLength: number;
  /** How many nodes were read. */
  nodes: number;
}

/** Elements that stand by themselves, and not in a line. */
export const BLOCKS =
  /^(?:address|article|aside|blockquote|body|center|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr|html|li|main|nav|ol|p|pre|section|summary|table|tbody|tr|ul)$/;
/** Elements whose content is not shown. */
export const DROPPED =
  /^(?:script|style|template|head|title|meta|link|svg|math|iframe|video|audio|object|embed|canvas|form|button|select|textarea|source|track)$/;
const SILENT = /^(?:head|title|meta|link|source|track)$/;
const TRANSPARENT =
  /^(?:a|abbr|bdi|bdo|big|font|input|ins|kbd|label|mark|samp|small|span|picture|time|tt|u|var|wbr|g-emoji|thead|tfoot|colgroup|col)$/;
// What plays or shows something of another site, which a link leads to.
const EMBEDDED = /^(?:iframe|video|audio|embed)$/;
/** What stands around the text of elements. */
export const MARKS: ReadonlyMap<string, string> = new Map([
  ...["strong", "b"].map((name) => [name, "**"] as const),
  ...["em", "i", "cite", "dfn"].map((name) => [name, "*"] as const),
  ["q", '"'],
  ...["del", "s", "strike"].map((name) => [name, "~~"] as const),
]);
const URL_IN_TEXT = /(https?:\/\/\S+)/i;
const BLOCK_START = /^(?:([#>+-]|=+|\||~{3})|(\d{1,9})([.)])(?=\s|$))/;
const NODES_AT_ONCE = 100;

/** Counts a node, and tells whether it is time for a pause. */
export function isPauseDue(conversion: Conversion): boolean {
  return ++conversion.nodes % NODES_AT_ONCE === 0;
}

/** Converts inlines to a paragraph, or the text of a heading. */
export function* paragraphOf(
  inlines: readonly (MarkupElement | string)[],
  conversion: Conversion,
): Generator<void, string> {
  if (inlines.length === 0) return "";
  const text = (yield* inlinesOf(inlines, conversion)).replace(/(?<! ) +(?=\n)|(?<=\n) +/g, "")
    .replace(/^[\s\\]*\n/, "");
  return trimBreaks(text).trim()
    .split("\n").map((line) => line.replace(BLOCK_START, "$2\\$1$3")).join("\n");
}

/** Removes line breaks from the end. (A pattern would take quadratic time.) */
function trimBreaks(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end -= text[end - 2] === "\\" ? 2 : 1;
  return text.slice(0, end);
}

function* inlinesOf(
  inlines: readonly (MarkupElement | string)[],
  conversion: Conversion,
): Generator<void, string> {
  let text = "";
  for (const inline of inlines) {
    if (isPauseDue(conversion)) yield;
    text += typeof inline === "string" ? escapeText(inline) : yield* inlineOf(inline, conversion);
    if (text.length > conversion.maxLength) throw new TooLong();
  }
  return text.replace(/ {2,}/g, " ");
}

function* inlineOf(element: MarkupElement, conversion: Conversion): Generator<void, string> {
  const { name, attributes, children } = element;
  const { leftOut } = conversion;
  if (EMBEDDED.test(name)) {
    const link = embeddedLink(element, conversion);
    if (link !== undefined) return link;
  }
  if (DROPPED.test(name)) {
    if (!SILENT.test(name)) leftOut.add(name);
    return "";
  }
  if (name === "br") return "\\\n";
  if (name === "code") return codeOf(textOf(element));
  if (name === "img") return imageOf(attributes, conversion);
  if (name === "input" && attributes.get("type") === "checkbox") {
    return attributes.has("checked") ? "[x] " : "[ ] ";
  }
  const text = yield* inlinesOf(children, conversion);
  if (text.trim() === "") return text;
  // A mark that leads to a place of the page itself, such as that of a heading.
  if (name === "a" && !/[\p{L}\p{N}!]/u.test(text) && attributes.get("href")?.startsWith("#")) {
    return "";
  }
  const href = name === "a" ? attributes.get("href")?.trim() : undefined;
  if (href) {
    const url = resolve(href, conversion.base);
    if (url !== undefined) return linkOf(text, url, attributes.get("title"));
    conversion.lost.links++;
  }
  const marks = MARKS.get(name);
  if (marks !== undefined) return mark(text, marks);
  if (!TRANSPARENT.test(name) && !BLOCKS.test(name)) leftOut.add(name);
  return text;
}

function embeddedLink(
  { attributes, children }: MarkupElement,
  { base }: Conversion,
): string | undefined {
  const sources = [
    attributes,
    ...children.map((child) => typeof child === "string" ? undefined : child.attributes),
  ].flatMap((all) => all?.get("src")?.trim() || []);
  const url = sources.map((source) => resolve(source, base)).find((url) =>
    /^https?:/.test(`${url}`)
  );
  if (url === undefined) return undefined;
  const title = escapeText(attributes.get("title") ?? "").trim();
  return ` ${linkOf(title || url, url, undefined)} `;
}

function linkOf(text: string, href: string, title: string | undefined): string {
  if (text.trim() === href && title === undefined) return `<${href}>`;
  return `[${text.trim()}](${destinationOf(href)}${titleOf(title)})`;
}

function imageOf(attributes: ReadonlyMap<string, string>, conversion: Conversion): string {
  // Nobody sees what counts readers.
  if (["width", "height"].some((side) => /^[01](?:px)?$/.test(attributes.get(side) ?? ""))) {
    return "";
  }
  const alt = escapeText(attributes.get("alt") ?? "");
  // A picture that is loaded when it is seen has a stand-in before.
  const sources = ["src", "data-src", "data-original", "data-lazy-src"]
    .map((name) => attributes.get(name)?.trim() ?? "")
    .filter((source) => source !== "" && !/^data:/i.test(source));
  const source = sources.map((source) => resolve(source, conversion.base))
    .find((url) => url !== undefined);
  if (source !== undefined) {
    return `![${alt}](${destinationOf(source)}${titleOf(attributes.get("title"))})`;
  }
  if (sources.length > 0) conversion.lost.images++;
  else conversion.leftOut.add("img");
  return alt;
}

function titleOf(title: string | undefined): string {
  return !title ? "" : ` "${title.replace(/["\\]/g, "\\$&")}"`;
}

function codeOf(text: string): string {
  if (text === "") return "";
  const ticks = "`".repeat(longestTicks(text) + 1);
  const isPadded = text.startsWith(" ") && text.endsWith(" ") && text.trim() !== "";
  const gap = isPadded || text.startsWith("`") || text.endsWith("`") ? " " : "";
  return ticks + gap + text.split("\n").map((line) => line.trim()).join(" ") + gap + ticks;
}

/** Puts marks around a text, within the white space around it. */
function mark(text: string, marks: string): string {
  const content = text.trim();
  return text.replace(content, () => marks + content + marks);
}

/** Returns an absolute address for what stands in an attribute. */
function resolve(address: string, base: string | undefined): string | undefined {
  if (/^(?:https?:\/\/|mailto:)[^\s]+$/i.test(address)) return address;
  return URL.canParse(address, base) ? new URL(address, base).href : undefined;
}

function destinationOf(url: string): string {
  return url.replace(/[()\\<>]/g, (character) => encodeURIComponent(character))
    .replaceAll("(", "%28").replaceAll(")", "%29");
}

function escapeText(text: string): string {
  return text.replace(/[ \t\r\n]+/g, " ").split(URL_IN_TEXT).map((part, index) =>
    index % 2 === 1
      ? part
      : part.replace(/[\\`*_[\]<~]/g, "\\$&").replace(/&(?=#?\w{1,31};)/g, "&amp;")
  ).join("");
}
