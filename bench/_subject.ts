/** How thoroughly is measured. */
export interface Effort {
  readonly rounds: number;
  /** How long one measurement takes, in seconds. */
  readonly seconds: number;
  /** The most subscribers, for the subject that grows. */
  readonly subscribers: number;
}

/** What a subject found out. */
export interface Findings {
  /** Sentences and tables, in Markdown. */
  readonly text: string;
  /** A picture of them, as SVG. */
  readonly chart?: string;
}

/** One question that is answered by measurement. */
export interface Subject {
  /** The name by which it is called on the command line. */
  readonly name: string;
  readonly run: (effort: Effort) => Promise<Findings>;
}
