// What the buttons and keys of an editor of Markdown do: of a text and a selection, a text and a selection.

/** @typedef {{ text: string, start: number, end: number }} Selected */
/** @typedef {"bold" | "italic" | "code" | "link" | "heading" | "list" | "quote" | "enter"} Command */

/**
 * Carries out a command; returns `undefined` for an Enter that has nothing to go on with.
 *
 * @param {Command} command
 * @param {Selected} at
 * @returns {Selected | undefined}
 */
export function apply(command, at) {
  switch (command) {
    case "bold":
      return emphasize(at, 2);
    case "italic":
      return emphasize(at, 1);
    case "code":
      return code(at);
    case "link":
      return link(at);
    case "heading":
      return prefix(at, "## ", /^#{1,6} /);
    case "list":
      return prefix(at, "- ", /^(?:[-*+]|\d{1,9}[.)]) /);
    case "quote":
      return prefix(at, "> ", /^> ?/);
    default:
      return goOn(at);
  }
}

/**
 * Replaces a part of a text, and selects a part of it.
 *
 * @param {string} text
 * @param {readonly [from: number, to: number, by: string]} change
 * @param {readonly [start: number, end: number]} selection
 * @returns {Selected}
 */
function replace(text, [from, to, by], [start, end]) {
  return { text: text.slice(0, from) + by + text.slice(to), start, end };
}

/**
 * What a text has become another by: `by` in place of what stood from `from` to `to`.
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
 * Where a place in a text is once that has become another.
 *
 * @param {number} at
 * @param {string} before
 * @param {string} after
 */
export function movedPlace(at, before, after) {
  const { from, to, by } = differenceOf(before, after);
  return at <= from ? at : Math.max(from + by.length, at + by.length - (to - from));
}

/** What stands before the words of a line. */
const MARKER = /^(?:\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s+(?:\[[ xX]\]\s+)?)*/;

/**
 * Puts `count` asterisks around what is selected, each line by itself, or takes them away.
 *
 * @param {Selected} at
 * @param {1 | 2} count
 */
function emphasize({ text, start, end }, count) {
  const marks = "*".repeat(count);
  if (start === end) return emphasizeHere(text, start, count);
  if (text.slice(start, end).includes("\n")) {
    const lines = text.slice(start, end).split("\n").map((line, index) => {
      const lead = index === 0 && text[start - 1] !== "\n" && start > 0
        ? ""
        : MARKER.exec(line)?.[0] ?? "";
      return { lead, words: line.slice(lead.length) };
    });
    const filled = lines.filter(({ words }) => words.trim() !== "");
    const isOn = filled.every(({ words }) => hasMarks(runOf(words.trim()), count));
    const by = lines.map(({ lead, words }) => lead + toggle(words, count, isOn)).join("\n");
    return replace(text, [start, end, by], [start, start + by.length]);
  }
  // Marks stand at words, not at spaces.
  const selected = text.slice(start, end);
  start += selected.length - selected.trimStart().length;
  end -= selected.length - selected.trimEnd().length;
  if (start >= end) return emphasizeHere(text, start, count);
  const words = text.slice(start, end);
  const around = runOf(words);
  const inside = words.slice(around, words.length - around);
  const isOne = !(count === 1 ? /(?<!\*)\*(?!\*)/ : /\*\*/).test(inside);
  if (isOne && hasMarks(around, count)) {
    const by = words.slice(count, -count);
    return replace(text, [start, end, by], [start, start + by.length]);
  }
  const run = Math.min(starsBefore(text, start), starsAfter(text, end));
  if (hasMarks(run, count)) {
    return replace(text, [start - count, end + count, words], [start - count, end - count]);
  }
  // What is bold in parts becomes bold as a whole.
  const plain = count === 2 ? words.replace(/(?<!\*)\*\*(?!\*)/g, "") : words;
  return replace(text, [start, end, marks + plain + marks], [
    start + count,
    start + count + plain.length,
  ]);
}

/**
 * With nothing selected: the word around, or marks to write between; at their end, one steps out.
 *
 * @param {string} text
 * @param {number} at
 * @param {1 | 2} count
 * @returns {Selected}
 */
function emphasizeHere(text, at, count) {
  const marks = "*".repeat(count);
  const [before, after] = [starsBefore(text, at), starsAfter(text, at)];
  if (before === after && hasMarks(before, count)) {
    return replace(text, [at - count, at + count, ""], [at - count, at - count]);
  }
  if (hasMarks(after, count)) return { text, start: at + count, end: at + count };
  const [head] = /[\p{L}\p{N}_]*$/u.exec(text.slice(0, at)) ?? [""];
  const [tail] = /^[\p{L}\p{N}_]*/u.exec(text.slice(at)) ?? [""];
  if (head !== "" && tail !== "") {
    const found = emphasize({ text, start: at - head.length, end: at + tail.length }, count);
    const caret = found.start + head.length;
    return { ...found, start: caret, end: caret };
  }
  return replace(text, [at, at, marks + marks], [at + count, at + count]);
}

/** @param {number} run How many asterisks there are. @param {1 | 2} count */
function hasMarks(run, count) {
  return count === 1 ? run === 1 || run === 3 : run === 2 || run === 3;
}

/** How many asterisks stand around words. @param {string} words */
function runOf(words) {
  const [, before, after] = /^(\**)[^*](?:.*[^*])?(\**)$/s.exec(words) ?? ["", "", ""];
  return Math.min(before.length, after.length);
}

/** @param {string} text @param {number} at */
function starsBefore(text, at) {
  return (/\**$/.exec(text.slice(0, at)) ?? [""])[0].length;
}

/** @param {string} text @param {number} at */
function starsAfter(text, at) {
  return (/^\**/.exec(text.slice(at)) ?? [""])[0].length;
}

/** @param {string} line @param {1 | 2} count @param {boolean} isOn */
function toggle(line, count, isOn) {
  const words = line.trim();
  if (words === "") return line;
  const marks = "*".repeat(count);
  const has = hasMarks(runOf(words), count);
  const next = isOn ? words.slice(count, -count) : has ? words : marks + words + marks;
  return line.replace(words, () => next);
}

/** @param {Selected} at @returns {Selected} */
function code({ text, start, end }) {
  const words = text.slice(start, end);
  if (words.includes("\n")) {
    const { from, to } = linesOf({ text, start, end });
    const block = text.slice(from, to);
    const fenced = /^(`{3,})[^\n]*\n([\s\S]*?)\n?\1$/.exec(block);
    if (fenced) return replace(text, [from, to, fenced[2]], [from, from + fenced[2].length]);
    const [, before] = /(?:^|\n)(`{3,}[^\n`]*\n)$/.exec(text.slice(0, from)) ?? [];
    const [, after] = /^(\n`{3,})(?:\n|$)/.exec(text.slice(to)) ?? [];
    if (before && after) {
      const start = from - before.length;
      return replace(text, [start, to + after.length, block], [start, start + block.length]);
    }
    const fence = "`".repeat(Math.max(3, longestTicks(block) + 1));
    const by = `${fence}\n${block}\n${fence}`;
    const inside = from + fence.length + 1;
    return replace(text, [from, to, by], [inside, inside + block.length]);
  }
  if (text[start - 1] === "`" && text[end] === "`") {
    return replace(text, [start - 1, end + 1, words], [start - 1, end - 1]);
  }
  const inner = /^`([^`]+)`$/.exec(words)?.[1];
  if (inner) return replace(text, [start, end, inner], [start, start + inner.length]);
  const ticks = "`".repeat(longestTicks(words) + 1);
  const gap = ticks.length > 1 ? " " : "";
  const [lead, tail] = [ticks + gap, gap + ticks];
  return replace(text, [start, end, lead + words + tail], [
    start + lead.length,
    end + lead.length,
  ]);
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
    if (from > start || to < end) continue;
    // Of a link that is there, the address is selected.
    return { text, start: to - 1 - found[1].length, end: to - 1 };
  }
  const words = text.slice(start, end);
  if (URL_ALONE.test(words)) {
    return replace(text, [start, end, `[](${words})`], [start + 1, start + 1]);
  }
  const by = `[${words}](https://)`;
  const address = start + words.length + 3;
  return replace(
    text,
    [start, end, by],
    words === "" ? [start + 1, start + 1] : [address, address + 8],
  );
}

/**
 * Pastes an address over words, which become a link; `undefined` where there is nothing of the kind.
 *
 * @param {Selected} at
 * @param {string} pasted
 * @returns {Selected | undefined}
 */
export function pasteLink({ text, start, end }, pasted) {
  const words = text.slice(start, end);
  const isLink = URL_ALONE.test(pasted) && words.trim() !== "" && !/[\n[\]]/.test(words) &&
    !URL_ALONE.test(words);
  if (!isLink) return undefined;
  const by = `[${words}](${pasted})`;
  return replace(text, [start, end, by], [start + by.length, start + by.length]);
}

/** The lines in which a selection is. @param {Selected} at */
function linesOf({ text, start, end }) {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  // A line of which nothing is selected is none of them.
  const last = end > start && text[end - 1] === "\n" ? end - 1 : end;
  const stop = text.indexOf("\n", last);
  return { from, to: stop < 0 ? text.length : stop };
}

/**
 * Puts a mark in front of each selected line, or takes it away; another one of its kind is replaced.
 *
 * @param {Selected} at
 * @param {string} mark
 * @param {RegExp} kind
 * @returns {Selected}
 */
function prefix(at, mark, kind) {
  const { from, to } = linesOf(at);
  const lines = at.text.slice(from, to).split("\n");
  const filled = lines.length === 1 ? lines : lines.filter((line) => line.trim() !== "");
  const isOn = filled.every((line) => line.startsWith(mark));
  const next = lines.map((line) => {
    if (!filled.includes(line)) return line;
    return isOn ? line.slice(mark.length) : mark + line.replace(kind, "");
  });
  const by = next.join("\n");
  if (at.start === at.end) {
    const caret = Math.max(from, at.start + by.length - (to - from));
    return replace(at.text, [from, to, by], [caret, caret]);
  }
  return replace(at.text, [from, to, by], [from, from + by.length]);
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
  const isEmpty = line.length === lead.length && /^(?:\n|$)/.test(text.slice(end));
  // An empty one ends the list or the quote.
  if (isEmpty) return replace(text, [from, end, ""], [from, from]);
  const next = marks === undefined
    ? lead
    : `${quote}${indent}${bullet ?? `${Number(number) + 1}${dot}`}${space}${task ? "[ ] " : ""}`;
  const caret = start + 1 + next.length;
  return replace(text, [start, end, `\n${next}`], [caret, caret]);
}
