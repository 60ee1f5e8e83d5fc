import type { Environment, Given, Option } from "./_options.ts";

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
  /** A call to learn from. */
  readonly example: string;
  /** Carries it out and returns the exit status. Throws `UsageError` for a bad call. */
  readonly run: (invocation: Invocation) => Promise<number>;
}

/** What a command is given. */
export interface Invocation {
  /** Its flags and arguments. */
  readonly given: Given;
  /** The environment, for variables that have no flag. */
  readonly environment: Environment;
}
