// A text with a selection, as an editor has it, and its changes.

/** @typedef {{ text: string, start: number, end: number }} Selected */

/**
 * Replaces a part of a text, and selects the middle of the replacement.
 *
 * @param {string} text
 * @param {readonly [from: number, to: number]} part
 * @param {readonly [lead: string, selected: string, tail: string]} by
 * @returns {Selected}
 */
export function put(text, [from, to], [lead, selected, tail]) {
  const start = from + lead.length;
  return {
    text: text.slice(0, from) + lead + selected + tail + text.slice(to),
    start,
    end: start + selected.length,
  };
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
export function linesOf({ text, start, end }) {
  // A line without a selected character does not count.
  const last = end > start && text[end - 1] === "\n" ? end - 1 : end;
  const to = text.indexOf("\n", last);
  return [text.lastIndexOf("\n", start - 1) + 1, to < 0 ? text.length : to];
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
