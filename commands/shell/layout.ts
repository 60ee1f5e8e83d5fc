/** The columns of a line of help; wider lines are hard to read. */
export const HELP_WIDTH = 80;

/** Breaks a text into lines between its words. */
export function wrap(text: string, width: number = HELP_WIDTH): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (longer.length > width && lines.at(-1) !== "") lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.join("\n");
}

/** Moves each line to the right. */
export function indent(text: string, spaces: number): string {
  return text.replace(/^(?=.)/gm, " ".repeat(spaces));
}

/**
 * Returns what a server says without the control characters that a terminal would obey; keeps the
 * ends of lines.
 */
export function printable(text: unknown): string {
  return `${text}`.replace(/(?!\n)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "");
}
