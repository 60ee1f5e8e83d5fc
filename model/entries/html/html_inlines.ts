import { longestTicks } from "./html_code.ts";
import { type MarkupElement, type MarkupNode, textOf, TooLong } from "./markup.ts";

/** The name, for people, of something in HTML that Markdown can't express. */
export type LostPart =
  | "picture"
  | "picture at an address that expires"
  | "drawing"
  | "formula"
  | "video"
  | "sound"
  | "embedded content"
  | "form"
  | "phone link"
  | "link"
  | "formatting"
  | "raised or lowered text"
  | "table"
  | "layout";

/** The state of one conversion from HTML. */
export interface Conversion {
  /** The names of the parts that were not kept. */
  readonly leftOut: Set<LostPart>;
  /** The numbers of links and images that were dropped because their addresses are relative. */
  readonly lost: { links: number; images: number };
  /** The base of relative addresses. */
  readonly base: string | undefined;
  /** The length of Markdown at which the conversion stops. */
  readonly maxLength: number;
  /** The number of nodes read so far. */
  nodes: number;
}

/** Elements that are blocks. */
export const BLOCKS =
  /^(?:address|article|aside|blockquote|body|center|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr|html|li|main|nav|ol|p|pre|section|summary|table|tbody|tr|ul)$/;
/** Elements whose content is not shown. */
export const DROPPED =
  /^(?:script|style|template|head|title|meta|link|svg|math|iframe|video|audio|object|embed|canvas|form|button|select|textarea|source|track)$/;
/** The names of parts that are not kept. Dropping any other element loses nothing for readers. */
export const LOST_PARTS: ReadonlyMap<string, LostPart> = new Map<string, LostPart>([
  ["svg", "drawing"],
  ["math", "formula"],
  ["video", "video"],
  ["audio", "sound"],
  ["iframe", "embedded content"],
  ["embed", "embedded content"],
  ["object", "embedded content"],
  ["canvas", "embedded content"],
  ["script", "embedded content"],
  ["form", "form"],
  ["button", "form"],
  ["select", "form"],
  ["textarea", "form"],
  ["sub", "raised or lowered text"],
  ["sup", "raised or lowered text"],
]);
// Elements that play or show something from another site; a link replaces them.
const EMBEDDED = /^(?:iframe|video|audio|embed)$/;
/** The Markdown marks around the text of an element. */
export const MARKS: ReadonlyMap<string, string> = new Map([
  ["strong", "**"],
  ["b", "**"],
  ["em", "*"],
  ["i", "*"],
  ["cite", "*"],
  ["dfn", "*"],
  ["q", '"'],
  ["del", "~~"],
  ["s", "~~"],
  ["strike", "~~"],
]);
const EMOJI =
  /^(?=.*[\p{Extended_Pictographic}\p{Regional_Indicator}\u20e3])[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\u200d\ufe0f\u20e3#*0-9\u{e0020}-\u{e007f}]{1,32}$/u;
// Nobody can open an address with these schemes, so only the link's text is kept.
const MEANINGLESS_SCHEME = /^(?:javascript|vbscript|data|blob|about|file|cid|chrome[\w-]*):/i;
const URL_IN_TEXT = /(https?:\/\/\S+)/i;
const BLOCK_START = /^(?:([#>+-]|=+|\||~{3})|(\d{1,9})([.)])(?=\s|$))/;
const NODES_AT_ONCE = 100;

/** Counts a node, and tells whether a pause is due. */
export function isPauseDue(conversion: Conversion): boolean {
  return ++conversion.nodes % NODES_AT_ONCE === 0;
}

/** Converts inlines to a paragraph, or to the text of a heading. */
export function* paragraphOf(
  inlines: readonly MarkupNode[],
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
  inlines: readonly MarkupNode[],
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
  const part = LOST_PARTS.get(name);
  if (part !== undefined) leftOut.add(part);
  if (DROPPED.test(name)) return "";
  if (name === "br") return "\\\n";
  if (name === "code") return codeOf(textOf(element));
  if (name === "img") return imageOf(attributes, conversion);
  if (name === "input" && attributes.get("type") === "checkbox") {
    return attributes.has("checked") ? "[x] " : "[ ] ";
  }
  const text = yield* inlinesOf(children, conversion);
  if (text.trim() === "") return text;
  // The mark beside a heading links to the page itself.
  if (name === "a" && !/[\p{L}\p{N}!]/u.test(text) && attributes.get("href")?.startsWith("#")) {
    return "";
  }
  const href = name === "a" ? attributes.get("href")?.trim() : undefined;
  if (href) {
    const url = resolve(href, conversion.base);
    if (url !== undefined) return linkOf(text, url, attributes.get("title"));
    const part = lostLinkOf(href);
    if (part !== undefined) leftOut.add(part);
    else if (!/^[a-z][a-z0-9+.-]*:/i.test(href)) conversion.lost.links++;
  }
  const marks = MARKS.get(name);
  return marks === undefined ? text : mark(text, marks);
}

/**
 * Returns the name of a link with an unusable address; `undefined` for a relative or meaningless
 * one.
 */
export function lostLinkOf(href: string): LostPart | undefined {
  if (/^(?:tel|sms|callto):/i.test(href)) return "phone link";
  const isLink = /^[a-z][a-z0-9+.-]*:/i.test(href) && !/^(?:https?|mailto):/i.test(href) &&
    !MEANINGLESS_SCHEME.test(href);
  return isLink ? "link" : undefined;
}

const MAX_EMOJI_PX = 32;
// Words that Markdown shows as they are.
const WORDS = /^[\p{L}\p{N}][\p{L}\p{N} .,+-]*$/u;

/**
 * Returns the emoji that a picture represents, or its name such as `:tada:`; `undefined` for any
 * other picture.
 */
export function emojiOf(attributes: ReadonlyMap<string, string>): string | undefined {
  const alt = attributes.get("alt")?.trim() ?? "";
  if (alt.length > 64) return undefined;
  const isNamed = EMOJI.test(alt) || /^:[\w+-]+:$/.test(alt);
  return isNamed || (isSmallEmoji(attributes) && WORDS.test(alt)) ? alt : undefined;
}

function isSmallEmoji(attributes: ReadonlyMap<string, string>): boolean {
  const sides = ["width", "height"].flatMap((side) => attributes.get(side) ?? []);
  return /(?:^|\s)emoji(?:\s|$)/.test(attributes.get("class") ?? "") && sides.length > 0 &&
    sides.every((side) => Number.parseFloat(side) <= MAX_EMOJI_PX);
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
  // A picture of one pixel is an invisible counter of readers.
  if (["width", "height"].some((side) => /^[01](?:px)?$/.test(attributes.get(side) ?? ""))) {
    return "";
  }
  const emoji = emojiOf(attributes);
  if (emoji !== undefined) return emoji;
  const alt = escapeText(attributes.get("alt") ?? "");
  // A lazily loaded picture has a placeholder in `src`.
  const sources = ["src", "data-src", "data-original", "data-lazy-src"]
    .map((name) => attributes.get(name)?.trim() ?? "")
    .filter((source) => source !== "" && !/^data:/i.test(source));
  const source = sources.map((source) => resolve(source, conversion.base))
    .find((url) => url !== undefined);
  if (source !== undefined) {
    return `![${alt}](${destinationOf(source)}${titleOf(attributes.get("title"))})`;
  }
  if (sources.length > 0) conversion.lost.images++;
  else conversion.leftOut.add("picture");
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

/** Puts marks around a text, inside its outer white space. */
function mark(text: string, marks: string): string {
  const content = text.trim();
  return text.replace(content, () => marks + content + marks);
}

/** Returns the absolute address in an attribute; `undefined` if readers can't open it. */
function resolve(address: string, base: string | undefined): string | undefined {
  if (/^(?:https?:\/\/|mailto:)[^\s]+$/i.test(address)) return address;
  const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
  return url !== undefined && /^(?:https?|mailto):$/.test(url.protocol) ? url.href : undefined;
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
