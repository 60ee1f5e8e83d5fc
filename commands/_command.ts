import type { Storage } from "../adapters/storage.ts";
import type { HttpCall } from "./_http_call.ts";
import type { Terminal } from "./_io.ts";
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
  /** Paragraphs of the help beside the flags. */
  readonly details?: readonly string[];
  /** Exit statuses of its own, beside 0, 1 and 2: `3  Some rows were refused.` */
  readonly statuses?: readonly string[];
  /** A call to learn from. */
  readonly example: string;
  /** The HTTP call that does the same, for when a running server holds the storage. */
  readonly overHttp?: (given: Given) => HttpCall;
  /** Carries it out and returns the exit status. Throws `UsageError` for a bad call. */
  readonly run: (invocation: Invocation) => Promise<number>;
}

/** How storage is opened. */
export interface OpeningOptions {
  /** The flag that names the storage. Default: `storage`. */
  readonly flag?: string;
  /** Whether a folder must be there already, with data in it. */
  readonly mustExist?: boolean;
  /** Whether a database that needs it may be migrated. Default: yes, unless `--no-migrate` is given. */
  readonly mayMigrate?: boolean;
  /** Whether a folder is only read, whoever holds it, and counts as empty where it is missing. */
  readonly readOnly?: boolean;
  /** How long a call of PostgreSQL may take, in milliseconds. Default: that of the adapter. */
  readonly timeoutMs?: number;
  /** Called with what an operator should know. */
  readonly onWarning?: (message: string) => void;
  /** Called when the folder is lost to another process, and storage of no use any more. */
  readonly onLost?: () => void;
}

/** What surrounds a command: the process, or a test. */
export interface Surroundings {
  /** The environment, for variables that have no flag. */
  readonly environment: Environment;
  /** Where it writes. */
  readonly terminal: Terminal;
  /** Opens the storage that the flags name. */
  readonly openStorage: (given: Given, options?: OpeningOptions) => Promise<Storage>;
}

/** What a command is given. */
export interface Invocation extends Surroundings {
  /** Its flags and arguments. */
  readonly given: Given;
}
