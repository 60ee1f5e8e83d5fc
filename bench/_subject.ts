/** How much is measured. */
export interface Effort {
  readonly rounds: number;
  /** Of one measurement. */
  readonly seconds: number;
  /** The most subscribers, for `growth` and `scale`. */
  readonly subscribers: number;
}

/** One question that is answered by measurement. */
export interface Subject {
  /** The name by which it is called on the command line. */
  readonly name: string;
  /** Returns what was found, as tables in Markdown. */
  readonly run: (effort: Effort) => Promise<string>;
}
