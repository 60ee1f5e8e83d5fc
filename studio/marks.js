// The buttons and keys of an editor of Markdown, as functions from a text with a selection to
// another.

/** @typedef {{ text: string, start: number, end: number }} Selected */
/**
 * @typedef {"bold" | "italic" | "code" | "link" | "heading" | "list" | "quote" | "enter"} Command
 */

/**
 * Applies a command. Returns `undefined` for Enter outside lists and quotes.
 *
 * @type {Readonly<Record<Command, (at: Selected) => Selected | undefined>>}
 */
export const COMMANDS = {
  bold: (at) => emphasize(at, 2),
  italic: (at) => emphasize(at, 1),
  code,
  link,
  heading: (at) => prefix(at, "## ", /^#{1,6} /),
  list: (at) => prefix(at, "- ", /^(?:[-*+]|\d{1,9}[.)]) /),
  quote: (at) => prefix(at, "> ", /^> ?/),
  enter: goOn,
};

/**
 * Replaces a part of a text, and selects the middle of the replacement.
 *
 * @param {string} text
 * @param {readonly [from: number, to: number]} part
 * @param {readonly [lead: string, selected: string, tail: string]} by
 * @returns {Selected}
 */
function put(text, [from, to], [lead, selected, tail]) {
  const start = from + lead.length;
  return {
    text: text.slice(0, from) + lead + selected + tail + text.slice(to),
    start,
    end: start + selected.length,
  };
}

/**
 * Finds the difference of two texts: `by` replaces the part from `from` to `to`.
 *
 * @param {string} before
 * @param {string} after
 */
export function differenceOf(before, after) {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let same = 0;
  while (same < shorter - from && before.at(-1 - same) === after.at(-1 - same)) same++;
  return { from, to: before.length - same, by: after.slice(from, after.length - same) };
}

/**
 * Maps a position in a text to the changed text.
 *
 * @param {number} at
 * @param {string} before
 * @param {string} after
 */
export function movedPlace(at, before, after) {
  const { from, to, by } = differenceOf(before, after);
  return at <= from ? at : Math.max(from + by.length, at + by.length - (to - from));
}

/**
 * Puts `count` asterisks around the selection, or removes them.
 *
 * @param {Selected} at
 * @param {1 | 2} count
 */
function emphasize({ text, start, end }, count) {
  const marks = "*".repeat(count);
  const selected = text.slice(start, end);
  if (selected.includes("\n")) return emphasizeLines({ text, start, end }, count);
  // Marks must touch words, not spaces.
  start += selected.length - selected.trimStart().length;
  end -= selected.length - selected.trimEnd().length;
  if (start >= end) return emphasizeHere(text, start, count);
  const words = text.slice(start, end);
  const own = runOf(words);
  const isOne = !(count === 1 ? /(?<!\*)\*(?!\*)/ : /\*\*/).test(
    words.slice(own, -own || undefined),
  );
  if (isOne && hasMarks(own, count)) {
    return put(text, [start, end], ["", words.slice(count, -count), ""]);
  }
  if (hasMarks(Math.min(...starsAround(text, start, end)), count)) {
    return put(text, [start - count, end + count], ["", words, ""]);
  }
  // A partly bold selection becomes entirely bold.
  const plain = count === 2 ? words.replace(/(?<!\*)\*\*(?!\*)/g, "") : words;
  return put(text, [start, end], [marks, plain, marks]);
}

/** The marks before the words of a line. */
const MARKER = /^(?:\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s+(?:\[[ xX]\]\s+)?)*/;

/** Marks each selected line by itself. @param {Selected} at @param {1 | 2} count */
function emphasizeLines({ text, start, end }, count) {
  const marks = "*".repeat(count);
  const isMidLine = start > 0 && text[start - 1] !== "\n";
  const lines = text.slice(start, end).split("\n").map((line, index) => {
    const [lead] = index === 0 && isMidLine ? [""] : MARKER.exec(line) ?? [""];
    return /** @type {const} */ ([lead, line.slice(lead.length)]);
  });
  const has = (/** @type {string} */ words) => hasMarks(runOf(words), count);
  const isOn = lines.every(([, words]) => words.trim() === "" || has(words.trim()));
  const by = lines.map(([lead, words]) =>
    lead + words.replace(/\S(?:.*\S)?/, (bare) => {
      if (isOn) return bare.slice(count, -count);
      return has(bare) ? bare : marks + bare + marks;
    })
  );
  return put(text, [start, end], ["", by.join("\n"), ""]);
}

/**
 * Without a selection, marks the word at the caret, or inserts marks to write between. At the end
 * of marked words, moves the caret out of them.
 *
 * @param {string} text
 * @param {number} at
 * @param {1 | 2} count
 * @returns {Selected}
 */
function emphasizeHere(text, at, count) {
  const marks = "*".repeat(count);
  const [before, after] = starsAround(text, at, at);
  if (before === after && hasMarks(before, count)) {
    return put(text, [at - count, at + count], ["", "", ""]);
  }
  if (hasMarks(after, count)) return { text, start: at + count, end: at + count };
  const [head] = /[\p{L}\p{N}_]*$/u.exec(text.slice(0, at)) ?? [""];
  const [tail] = /^[\p{L}\p{N}_]*/u.exec(text.slice(at)) ?? [""];
  if (head === "" || tail === "") return put(text, [at, at], [marks, "", marks]);
  const found = emphasize({ text, start: at - head.length, end: at + tail.length }, count);
  const caret = found.start + head.length;
  return { ...found, start: caret, end: caret };
}

/** @param {number} run How many asterisks there are. @param {1 | 2} count */
function hasMarks(run, count) {
  return run === count || run === 3;
}

/** Returns the number of asterisks at both ends of words. @param {string} words */
function runOf(words) {
  const [, before, after] = /^(\**)[^*](?:.*[^*])?(\**)$/s.exec(words) ?? ["", "", ""];
  return Math.min(before.length, after.length);
}

/**
 * Returns the number of asterisks before and after a part.
 *
 * @param {string} text
 * @param {number} start
 * @param {number} end
 */
function starsAround(text, start, end) {
  const found = [/\**$/.exec(text.slice(0, start)), /^\**/.exec(text.slice(end))];
  return found.map((stars) => stars?.[0].length ?? 0);
}

/** @param {Selected} at @returns {Selected} */
function code({ text, start, end }) {
  const words = text.slice(start, end);
  if (words.includes("\n")) return codeBlock({ text, start, end });
  if (text[start - 1] === "`" && text[end] === "`") {
    return put(text, [start - 1, end + 1], ["", words, ""]);
  }
  // At the end of a code span, the caret moves out of it.
  if (words === "" && text[end] === "`") return { text, start: end + 1, end: end + 1 };
  const inner = /^`([^`]+)`$/.exec(words)?.[1];
  if (inner) return put(text, [start, end], ["", inner, ""]);
  const ticks = "`".repeat(longestTicks(words) + 1);
  const gap = ticks.length > 1 ? " " : "";
  return put(text, [start, end], [ticks + gap, words, gap + ticks]);
}

/** @param {Selected} at */
function codeBlock(at) {
  const { text } = at;
  const [from, to] = linesOf(at);
  const block = text.slice(from, to);
  const fenced = /^(`{3,})[^\n]*\n([\s\S]*?)\n?\1$/.exec(block);
  if (fenced) return put(text, [from, to], ["", fenced[2], ""]);
  const [, before] = /(?:^|\n)(`{3,}[^\n`]*\n)$/.exec(text.slice(0, from)) ?? [];
  const [, after] = /^(\n`{3,})(?:\n|$)/.exec(text.slice(to)) ?? [];
  if (before && after) return put(text, [from - before.length, to + after.length], ["", block, ""]);
  const fence = "`".repeat(Math.max(3, longestTicks(block) + 1));
  return put(text, [from, to], [`${fence}\n`, block, `\n${fence}`]);
}

/** @param {string} text */
function longestTicks(text) {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

const URL_ALONE = /^(?:https?:\/\/|mailto:)\S+$/;

/** @param {Selected} at @returns {Selected} */
function link({ text, start, end }) {
  for (const found of text.matchAll(/\[[^\]\n]*\]\(([^)\n]*)\)/g)) {
    const from = found.index;
    const to = from + found[0].length;
    // Selects the address of an existing link.
    if (from <= start && to >= end) return { text, start: to - 1 - found[1].length, end: to - 1 };
  }
  const words = text.slice(start, end);
  if (URL_ALONE.test(words)) return put(text, [start, end], ["[", "", `](${words})`]);
  if (words === "") return put(text, [start, end], ["[", "", "](https://)"]);
  return put(text, [start, end], [`[${words}](`, "https://", ")"]);
}

/**
 * Turns the selected words into a link to a pasted address; `undefined` if that is impossible.
 *
 * @param {Selected} at
 * @param {string} pasted
 */
export function pasteLink({ text, start, end }, pasted) {
  const words = text.slice(start, end);
  const isLink = URL_ALONE.test(pasted) && words.trim() !== "" && !/[\n[\]]/.test(words) &&
    !URL_ALONE.test(words);
  return isLink ? put(text, [start, end], [`[${words}](${pasted})`, "", ""]) : undefined;
}

/** The start of a block that can't stand within a line, or two blocks. */
const BLOCK = /^(?:#{1,6} |[-*+] |\d{1,9}[.)] |> ?|```|~~~|\||!\[[^\]]*\]\([^)]*\)$)|\n/;

/** Tells whether Markdown is more than words of a line. @param {string} markdown */
export function isBlock(markdown) {
  return BLOCK.test(markdown.trim());
}

/**
 * Replaces a selection by blocks with empty lines around them, and puts the caret after them.
 *
 * @param {Selected} at
 * @param {string} blocks
 * @returns {Selected}
 */
export function putBlocks({ text, start, end }, blocks) {
  const [before, after] = [text.slice(0, start), text.slice(end)];
  const isFirst = /(?:^|\n[ \t]*\n)[ \t]*$/.test(before);
  const isLast = after === "" || /^[ \t]*\n[ \t]*(?:\n|$)/.test(after);
  const lead = isFirst ? "" : /\n[ \t]*$/.test(before) ? "\n" : "\n\n";
  const tail = isLast ? "" : /^[ \t]*\n/.test(after) ? "\n" : "\n\n";
  return put(text, [start, end], [`${lead}${blocks}${tail}`, "", ""]);
}

/**
 * Replaces a selection by words.
 *
 * @param {Selected} at
 * @param {string} words
 * @returns {Selected}
 */
export function putText({ text, start, end }, words) {
  return put(text, [start, end], [words, "", ""]);
}

/** Returns the lines of a selection. @param {Selected} at @returns {[from: number, to: number]} */
function linesOf({ text, start, end }) {
  // A line without a selected character does not count.
  const last = end > start && text[end - 1] === "\n" ? end - 1 : end;
  const to = text.indexOf("\n", last);
  return [text.lastIndexOf("\n", start - 1) + 1, to < 0 ? text.length : to];
}

/**
 * Puts a mark in front of each selected line, or removes it. Replaces other marks of its kind.
 *
 * @param {Selected} at
 * @param {string} mark
 * @param {RegExp} kind
 */
function prefix(at, mark, kind) {
  const [from, to] = linesOf(at);
  const lines = at.text.slice(from, to).split("\n");
  const isBetween = (/** @type {string} */ line) => lines.length > 1 && line.trim() === "";
  const isOn = lines.every((line) => isBetween(line) || line.startsWith(mark));
  const by = lines.map((line) => {
    if (isBetween(line)) return line;
    return isOn ? line.slice(mark.length) : mark + line.replace(kind, "");
  }).join("\n");
  if (at.start !== at.end) return put(at.text, [from, to], ["", by, ""]);
  const caret = Math.max(0, at.start + by.length - to);
  return put(at.text, [from, to], [by.slice(0, caret), "", by.slice(caret)]);
}

const ITEM = /^((?:> ?)*)(\s*)(?:([-*+])|(\d{1,9})([.)]))(\s+)(\[[ xX]\]\s+)?/;
const QUOTE = /^((?:> ?)+)/;

/** @param {Selected} at @returns {Selected | undefined} */
function goOn({ text, start, end }) {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const line = text.slice(from, start);
  if ((text.slice(0, from).match(/^(?:```|~~~)/gm)?.length ?? 0) % 2 === 1) return undefined;
  const [marks, quote, indent, bullet, number, dot, space, task] = ITEM.exec(line) ?? [];
  const lead = marks ?? QUOTE.exec(line)?.[1];
  if (lead === undefined) return undefined;
  // Enter in an empty item ends the list or the quote.
  const isEmpty = line.length === lead.length && /^(?:\n|$)/.test(text.slice(end));
  if (isEmpty) return put(text, [from, end], ["", "", ""]);
  const next = marks === undefined
    ? lead
    : `${quote}${indent}${bullet ?? `${Number(number) + 1}${dot}`}${space}${task ? "[ ] " : ""}`;
  return put(text, [start, end], [`\n${next}`, "", ""]);
}

/**
 * Tells whether a selection begins in code: in a block with fences, or between backticks of one
 * line.
 *
 * @param {Selected} at
 */
export function isInCode({ text, start }) {
  const lines = text.slice(0, start).split("\n");
  const line = lines.pop() ?? "";
  let fence = "";
  for (const before of lines) {
    const mark = /^[ \t>]*(`{3,}|~{3,})([^`]*)$/.exec(before);
    if (mark === null) continue;
    if (fence === "") fence = mark[1];
    else if (mark[1].startsWith(fence) && mark[2].trim() === "") fence = "";
  }
  if (fence !== "") return true;
  const rest = text.slice(start).split("\n", 1)[0];
  return line.split("`").length % 2 === 0 && rest.includes("`");
}
