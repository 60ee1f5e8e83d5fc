const FENCE = /^[ \t>]*(?:[-+*]|\d{1,9}[.)])?[ \t]*(`{3,}(?=[^`]*$)|~{3,})/;
// Far enough for code in a paragraph.
const CODE_SPAN = /(?<!`)(`+)(?!`)([^]{1,2000}?[^`])\1(?!`)/g;
const MASKED = /\ue000(\d+)\ue001/g;

/** Changes a text in Markdown, but not the code in it. */
export function changeOutsideCode(markdown: string, change: (text: string) => string): string {
  const codes: string[] = [];
  const mask = (code: string) => `\ue000${codes.push(code) - 1}\ue001`;
  const text = maskFences(markdown.replace(/[\ue000\ue001]/g, "\ufffd"), mask);
  const changed = change(text.replace(CODE_SPAN, mask));
  return changed.replace(MASKED, (_, index) => codes[Number(index)] ?? "");
}

function maskFences(markdown: string, mask: (code: string) => string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  let code: string[] = [];
  for (const line of markdown.split("\n")) {
    if (fence === undefined) {
      fence = FENCE.exec(line)?.[1];
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
