import type { Terminal } from "./_io.ts";
import type { Environment, Given, Option } from "./_options.ts";
import type { OpenedStorage, OpeningOptions } from "./_storage.ts";

/** One command: how it is described and what it does. */
export interface Command {
  /** The words that call it, like `keys create`. */
  readonly name: string;
  /** One line that says what it does. */
  readonly summary: string;
  /** What stands after the name, like `ID`. */
  readonly positionals?: readonly string[];
  /** Its flags. */
  readonly options: readonly Option[];
  /** Paragraphs of the help beside the flags. */
  readonly details?: readonly string[];
  /** Exit statuses of its own, beside 0, 1 and 2: `3  Some rows were refused.` */
  readonly statuses?: readonly string[];
  /** A call to learn from. */
  readonly example: string;
  /** Carries it out and returns the exit status. Throws `UsageError` for a bad call. */
  readonly run: (invocation: Invocation) => Promise<number>;
}

/** What surrounds a command: the process, or a test. */
export interface Surroundings {
  /** The environment, for variables that have no flag. */
  readonly environment: Environment;
  /** Where it writes. */
  readonly terminal: Terminal;
  /** Opens the storage of a URL. */
  readonly openStorage: (url: string, options: OpeningOptions) => Promise<OpenedStorage>;
}

/** What a command is given. */
export interface Invocation extends Surroundings {
  /** Its flags and arguments. */
  readonly given: Given;
}
