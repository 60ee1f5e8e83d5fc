/** The effort of a run. */
export interface Effort {
  readonly rounds: number;
  /** The seconds of one measurement. */
  readonly seconds: number;
  /** The most subscribers, for `growth`. */
  readonly subscribers: number;
  /** The connections over which `growth` sends requests. */
  readonly connections: number;
  /** The names of the storages that `growth` measures; empty for all. */
  readonly storages: readonly string[];
}

/** A question that a measurement answers. */
export interface Subject {
  /** The name on the command line. */
  readonly name: string;
  /** Returns the results as Markdown tables. */
  readonly run: (effort: Effort) => Promise<string>;
}
