// Blocks of Markdown: lists, quotes, headings and code between fences.

/** @import { Selected } from "./selection.js" */
import { linesOf, put } from "./selection.js";

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
 * Quotes words that are no Markdown: their marks stand for themselves.
 *
 * @param {string} words
 */
export function quotationOf(words) {
  return words.trim().split("\n").map((line) => {
    const plain = line.trim().replace(/[\\`*_~[\]<>|&]/g, "\\$&")
      .replace(/^(\d{1,9})([.)])/, "$1\\$2")
      .replace(/^[#+=-]/, "\\$&");
    return `> ${plain}`.trimEnd();
  }).join("\n");
}

/**
 * Puts a mark in front of each selected line, or removes it. Replaces other marks of its kind.
 *
 * @param {Selected} at
 * @param {string} mark
 * @param {RegExp} kind
 */
export function prefix(at, mark, kind) {
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

/**
 * Goes on with a list or a quote in the next line, or ends it in an empty one.
 *
 * @param {Selected} at
 * @returns {Selected | undefined}
 */
export function continueBlock({ text, start, end }) {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const line = text.slice(from, start);
  if ((text.slice(0, from).match(/^(?:```|~~~)/gm)?.length ?? 0) % 2 === 1) return undefined;
  const [marks, quote, indent, bullet, number, dot, space, task] = ITEM.exec(line) ?? [];
  const lead = marks ?? QUOTE.exec(line)?.[1];
  if (lead === undefined) return undefined;
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
