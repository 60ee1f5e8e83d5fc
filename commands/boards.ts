import { apiCommand } from "./api/api_command.ts";
import type { Command } from "./shell/command.ts";

/** What identifiers are that people choose. */
export const ID_DETAILS =
  "ID is 1 to 128 letters, digits and . _ ~ -, starts with a letter or digit, and is " +
  "case-sensitive.";

/** The commands for boards. */
export const boardCommands: readonly Command[] = [
  apiCommand("boards create ID", "createBoard", { details: ID_DETAILS }),
  apiCommand("boards get ID", "getBoard"),
  apiCommand("boards list", "listBoards"),
  apiCommand("boards update ID", "updateBoard"),
  apiCommand("boards delete ID", "deleteBoard"),
];
