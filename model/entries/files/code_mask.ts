const CONTAINER = /^[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))/;
const MAX_CONTAINERS = 16;
const FENCE = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/;
const MASKED = /\ue000(\d+)\ue001/g;

/** Changes a text in Markdown, but not the code in it. */
export function changeOutsideCode(markdown: string, change: (text: string) => string): string {
  const codes: string[] = [];
  const mask = (code: string) => `\ue000${codes.push(code) - 1}\ue001`;
  const text = maskFences(markdown.replace(/[\ue000\ue001]/g, "\ufffd"), mask);
  const changed = change(text.split(/(\n[ \t]*\n)/).map((part) => maskSpans(part, mask)).join(""));
  return changed.replace(MASKED, (_, index) => codes[Number(index)] ?? "");
}

/** Masks the code spans of a paragraph, each up to the next run of as many backticks, in linear time. */
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
  const lines: string[] = [];
  let fence: string | undefined;
  let code: string[] = [];
  for (const line of markdown.split("\n")) {
    if (fence === undefined) {
      fence = findFence(line);
      if (fence === undefined) lines.push(line);
      else code = [line];
    } else {
      code.push(line);
      const marker = line.trim();
      const isEnd = marker.length >= fence.length && marker === fence[0].repeat(marker.length);
      if (!isEnd) continue;
      lines.push(mask(code.join("\n")));
      fence = undefined;
    }
  }
  if (fence !== undefined) lines.push(mask(code.join("\n")));
  return lines.join("\n");
}
