/** A fenced piece of code in a Markdown file. */
export interface Snippet {
  /** The number of the line on which the fence opens, from 1. */
  readonly line: number;
  /** The language; empty where none is named. */
  readonly language: string;
  /** What stands after the language, like `ignore`. */
  readonly attributes: readonly string[];
  /** The code, without the indentation of the fence. */
  readonly code: string;
  /** The text of an HTML comment that stands just before the fence, if one does. */
  readonly comment: string | undefined;
}

const FENCE = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^\s`]*)[ \t]*([^`\n]*)$/;
const COMMENT_BEFORE = /<!--((?:(?!-->)[\s\S])*)-->\s*$/;

/** Returns the fenced code blocks of a Markdown text (CommonMark 0.31, section 4.5). */
export function findSnippets(markdown: string): Snippet[] {
  const lines = markdown.split("\n");
  const snippets: Snippet[] = [];
  let start = 0;
  for (let i = 0; i < lines.length; i++) {
    const fence = FENCE.exec(lines[i]);
    if (fence === null) continue;
    const [, indentation, marks, language, rest] = fence;
    const isEnd = (line: string) => {
      const text = line.trim();
      return text.startsWith(marks) && text === marks[0].repeat(text.length);
    };
    let end = i + 1;
    while (end < lines.length && !isEnd(lines[end])) end++;
    const code = lines.slice(i + 1, end).map((line) =>
      line.startsWith(indentation) ? line.slice(indentation.length) : line.trimStart()
    );
    snippets.push({
      line: i + 1,
      language: language.toLowerCase(),
      attributes: rest.split(/[\s,]+/).filter((attribute) => attribute !== ""),
      code: code.map((line) => `${line}\n`).join(""),
      comment: COMMENT_BEFORE.exec(lines.slice(start, i).join("\n"))?.[1].trim(),
    });
    start = end + 1;
    i = end;
  }
  return snippets;
}
