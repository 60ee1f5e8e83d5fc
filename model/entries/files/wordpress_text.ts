const BLOCK =
  "address|article|aside|blockquote|center|dd|details|div|dl|dt|figcaption|figure|footer|form|h[1-6]|header|hr|iframe|li|main|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul";
const BLOCK_AT_START = new RegExp(`^</?(?:${BLOCK})(?![\\w-])`, "i");
const BLOCK_AT_END = new RegExp(`</?(?:${BLOCK})(?:\\s[^<>]*)?/?>$`, "i");
const SHORTCODE = /\[(\/?)(caption|gallery|playlist|audio|video|embed)((?:\s[^[\]]{0,2000})?)\]/gi;
const LINES_AT_ONCE = 1_000;

/** The HTML of a WordPress text, and the names of the parts that only WordPress can show. */
export interface WordPressText {
  readonly html: string;
  readonly leftOut: readonly string[];
}

/**
 * Converts a WordPress text to HTML, with pauses. In the classic editor, blank lines separate
 * paragraphs and line ends are breaks; codes in brackets represent galleries and players.
 */
export function* readWordPressText(text: string): Generator<void, WordPressText> {
  const leftOut = new Set<string>();
  const html = text.replace(SHORTCODE, (_, slash: string, name: string) => {
    const kind = name.toLowerCase();
    if (slash === "" && kind !== "caption" && kind !== "embed") leftOut.add(NAMES[kind] ?? kind);
    return "";
  });
  yield;
  const isOfBlocks = html.includes("<!-- wp:") || /<p[\s>]/i.test(html);
  return { html: isOfBlocks ? html : yield* toParagraphs(html), leftOut: [...leftOut] };
}

const NAMES: Readonly<Record<string, string>> = { audio: "sound", playlist: "sound" };

function* toParagraphs(html: string): Generator<void, string> {
  const parts: string[] = [];
  let isCode = false;
  let isAfterBlank = false;
  let isAfterBlock = true;
  for (const [index, line] of html.replace(/\r\n?/g, "\n").split("\n").entries()) {
    if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1) yield;
    const trimmed = line.trim();
    const opens = line.lastIndexOf("<pre");
    const closes = line.lastIndexOf("</pre>");
    if (isCode) parts.push("\n");
    else if (trimmed === "") {
      isAfterBlank = true;
      continue;
    } else if (isAfterBlank) parts.push(BLOCK_AT_START.test(trimmed) ? "\n" : "\n<p>");
    else if (index > 0) {
      parts.push(isAfterBlock || BLOCK_AT_START.test(trimmed) ? "\n" : "<br>");
    }
    parts.push(line);
    isCode = opens > closes || isCode && closes < 0;
    isAfterBlank = false;
    isAfterBlock = BLOCK_AT_END.test(trimmed);
  }
  return parts.join("");
}
