import type { Terminal } from "./io.ts";
import type { Arguments, Environment, Option } from "./options.ts";
import type { OpenedStorage, OpeningOptions } from "../storage/storage.ts";

/** A command: its description and its function. */
export interface Command {
  /** One or two words, like `keys create`. */
  readonly name: string;
  readonly summary: string;
  /** The arguments after the name, such as `ID`; those in brackets are optional. */
  readonly positionals?: readonly string[];
  readonly options: readonly Option[];
  /** Paragraphs of the help, separated by empty lines. */
  readonly details?: string;
  /** The meanings of exit statuses, if they differ from those that all commands have. */
  readonly statuses?: Readonly<Record<number, string>>;
  readonly example: string;
  /** Runs it and returns the exit status. Throws `UsageError` for a bad call. */
  readonly run: (invocation: Invocation) => Promise<number>;
  /**
   * Returns the help for its first argument, such as an operation. Absent: all help is the same.
   */
  readonly help?: (invocation: Invocation) => Promise<string>;
}

/** The environment of a command: the process, or a test. */
export interface ProcessContext {
  readonly environment: Environment;
  /** The names of all variables; none if listing them is not permitted. */
  readonly variableNames?: () => readonly string[];
  readonly terminal: Terminal;
  readonly openStorage: (url: string, options: OpeningOptions) => Promise<OpenedStorage>;
}

/** One call of a command, with its arguments. */
export interface Invocation extends ProcessContext {
  readonly args: Arguments;
}
