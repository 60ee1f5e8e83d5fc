/** Keeps the direction of a text that a person wrote from mixing with that of the sentence around it. */
export function isolate(text: string): string {
  return `\u2068${text}\u2069`;
}
