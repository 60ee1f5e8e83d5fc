const CONTAINER = /^[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))/;
const CONTAINERS = /^[ \t>]*/;
const MAX_CONTAINERS = 16;
const MAX_FENCE_LENGTH = 1_000;
const FENCE = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/;
const MASKED = /\ue000(\d+)\ue001/g;

/** The start of a mark that replaces code. Texts lose this character before they get marks. */
export const MASK = "\ue000";

/** A text in Markdown whose code is replaced by marks. */
export interface MaskedMarkdown {
  readonly text: string;
  /** Replaces the marks in a changed text by the code. */
  restore(text: string): string;
}

/** Replaces the code in a text in Markdown by marks. */
export function maskCode(markdown: string): MaskedMarkdown {
  const codes: string[] = [];
  const mask = (code: string) => `\ue000${codes.push(code) - 1}\ue001`;
  const text = maskFences(markdown.replace(/[\ue000\ue001]/g, "\ufffd"), mask);
  return {
    text: text.split(/(\n[ \t]*\n)/).map((part) => maskSpans(part, mask)).join(""),
    restore: (changed) => changed.replace(MASKED, (_, index) => codes[Number(index)] ?? ""),
  };
}

/** Changes a text in Markdown except the code in it. */
export function changeOutsideCode(markdown: string, change: (text: string) => string): string {
  const { text, restore } = maskCode(markdown);
  return restore(change(text));
}

/**
 * Masks the code spans of a paragraph in linear time. A span ends at the next run of equally many
 * backticks.
 */
function maskSpans(text: string, mask: (code: string) => string): string {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, index }));
  const later = new Map<number, number[]>();
  for (let i = runs.length - 1; i >= 0; i--) {
    const same = later.get(runs[i].length);
    if (same === undefined) later.set(runs[i].length, [i]);
    else same.push(i);
  }
  let masked = "";
  let end = 0;
  for (let i = 0; i < runs.length; i++) {
    const { length, index } = runs[i];
    const same = later.get(length) ?? [];
    while (same.length > 0 && same[same.length - 1] <= i) same.pop();
    const closing = same.at(-1);
    if (closing === undefined) continue;
    const after = runs[closing].index + length;
    masked += text.slice(end, index) + mask(text.slice(index, after));
    end = after;
    i = closing;
  }
  return masked + text.slice(end);
}

/**
 * Creates a function to call with each line of a text in order. It returns whether the line belongs
 * to a fenced code block, including its fences.
 */
export function createFenceReader(): (line: string) => boolean {
  let fence: string | undefined;
  let isContained = false;
  return function isCode(line) {
    // A fence in a list or quote ends with the list or quote.
    if (fence !== undefined && isContained && /^[^\s>]/.test(line)) fence = undefined;
    if (fence === undefined) {
      fence = line.length > MAX_FENCE_LENGTH ? undefined : findFence(line);
      if (fence !== undefined) isContained = CONTAINER.test(line);
      return fence !== undefined;
    }
    const marker = (isContained ? line.replace(CONTAINERS, "") : line).trim();
    const isEnd = marker.length >= fence.length && marker === fence[0].repeat(marker.length);
    if (isEnd) fence = undefined;
    return true;
  };
}

function findFence(line: string): string | undefined {
  let rest = line;
  for (let depth = 0; depth < MAX_CONTAINERS; depth++) {
    const fence = FENCE.exec(rest)?.[1];
    const container = fence === undefined ? CONTAINER.exec(rest)?.[0] : undefined;
    if (container === undefined) return fence;
    rest = rest.slice(container.length);
  }
}

function maskFences(markdown: string, mask: (code: string) => string): string {
  const isCode = createFenceReader();
  const lines: string[] = [];
  let code: string[] = [];
  const endCode = () => {
    if (code.length > 0) lines.push(mask(code.join("\n")));
    code = [];
  };
  for (const line of markdown.split("\n")) {
    if (isCode(line)) code.push(line);
    else {
      endCode();
      lines.push(line);
    }
  }
  endCode();
  return lines.join("\n");
}
