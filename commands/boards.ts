import { BOARD } from "../model/board.ts";
import { apiCommand } from "./api/api_command.ts";
import type { Command } from "./shell/command.ts";
import { changeOptions, creationOptions, fieldColumns } from "./api/fields.ts";

/** The commands for boards. */
export const boardCommands: readonly Command[] = [
  apiCommand({
    synopsis: "boards create ID",
    summary: "Create a board",
    request: "POST /boards",
    fields: { boardId: ":ID" },
    options: creationOptions(BOARD),
    done: ({ boardId }) => `Created the board ${boardId}.`,
    details: "ID is 1 to 128 letters, digits and . _ ~ -, starts with a letter or digit, and is " +
      "case-sensitive.",
    example: "boardcast boards create feature-requests --name 'Feature requests'",
  }),
  apiCommand({
    synopsis: "boards get ID",
    summary: "Show a board",
    request: "GET /boards/:ID",
    example: "boardcast boards get feature-requests --json",
  }),
  apiCommand({
    synopsis: "boards list",
    summary: "List the boards",
    request: "GET /boards",
    listing: { noun: "boards", columns: fieldColumns(BOARD) },
    example: "boardcast boards list --json",
  }),
  apiCommand({
    synopsis: "boards update ID",
    summary: "Change the given fields of a board",
    request: "PATCH /boards/:ID",
    options: changeOptions(BOARD),
    done: ({ boardId }) => `Updated the board ${boardId}.`,
    details: "An empty TEXT or URL clears the field.",
    example: "boardcast boards update feature-requests --url https://example.com/ideas",
  }),
  apiCommand({
    synopsis: "boards delete ID",
    summary: "Delete a board",
    request: "DELETE /boards/:ID",
    done: (_, { positionals: [boardId] }) => `Deleted the board ${boardId}.`,
    example: "boardcast boards delete feature-requests",
  }),
];
