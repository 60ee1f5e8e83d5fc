/** How much is measured. */
export interface Effort {
  readonly rounds: number;
  /** The seconds of one measurement. */
  readonly seconds: number;
  /** The most subscribers, for `growth`. */
  readonly subscribers: number;
  /** The connections over which `growth` sends requests. */
  readonly connections: number;
  /** The names of the storages that `growth` measures; none: all of them. */
  readonly storages: readonly string[];
}

/** One question that is answered by measurement. */
export interface Subject {
  /** The name by which it is called on the command line. */
  readonly name: string;
  /** Returns what was found, as tables in Markdown. */
  readonly run: (effort: Effort) => Promise<string>;
}
