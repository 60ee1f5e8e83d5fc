// The buttons and keys of an editor of Markdown, as functions from a text with a selection to
// another: those for words here, those for whole lines in `blocks.js`.

/** @import { Selected } from "./selection.js" */
import { continueBlock, prefix } from "./blocks.js";
import { linesOf, put } from "./selection.js";

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
  enter: continueBlock,
};

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
