/** How thoroughly is measured. */
export interface Effort {
  readonly rounds: number;
  /** How long one measurement takes, in seconds. */
  readonly seconds: number;
  /** The most subscribers, for the subject that grows. */
  readonly subscribers: number;
}

/** One question that is answered by measurement. */
export interface Subject {
  /** The name by which it is called on the command line. */
  readonly name: string;
  /** Returns what was found, as tables in Markdown. */
  readonly run: (effort: Effort) => Promise<string>;
}
