import { BOARD } from "../model/board.ts";
import { apiCommand } from "./api/api_command.ts";
import { fieldColumns } from "./api/fields.ts";
import type { Command } from "./shell/command.ts";

/** The commands for boards. */
export const boardCommands: readonly Command[] = [
  apiCommand("boards create ID", "createBoard", {
    fields: { boardId: ":ID" },
    done: ({ boardId }) => `Created the board ${boardId}.`,
    details: "ID is 1 to 128 letters, digits and . _ ~ -, starts with a letter or digit, and is " +
      "case-sensitive.",
    example: "boardcast boards create feature-requests --name 'Feature requests'",
  }),
  apiCommand("boards get ID", "getBoard", {
    summary: "Show a board",
    example: "boardcast boards get feature-requests --json",
  }),
  apiCommand("boards list", "listBoards", {
    listing: { noun: "boards", columns: fieldColumns(BOARD) },
    example: "boardcast boards list --json",
  }),
  apiCommand("boards update ID", "updateBoard", {
    summary: "Change the given fields of a board",
    done: ({ boardId }) => `Updated the board ${boardId}.`,
    details: "An empty TEXT or URL clears the field.",
    example: "boardcast boards update feature-requests --url https://example.com/ideas",
  }),
  apiCommand("boards delete ID", "deleteBoard", {
    done: (_, { positionals: [boardId] }) => `Deleted the board ${boardId}.`,
    example: "boardcast boards delete feature-requests",
  }),
];
