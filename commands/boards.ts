import { apiCommand, type ApiOption } from "./_api_command.ts";
import type { Command } from "./_command.ts";
import { formatDay } from "./_listing.ts";

const NAME: ApiOption = { name: "name", value: "NAME", description: "The name for people." };
const DESCRIPTION: ApiOption = {
  name: "description",
  value: "TEXT",
  description: "What the board is for; may have several lines.",
};
const URL_OPTION: ApiOption = {
  name: "url",
  value: "URL",
  description: "Where the board is shown: an absolute http or https URL.",
};
const PATH = "/boards/:ID";

/** The commands that manage boards. */
export const boardCommands: readonly Command[] = [
  apiCommand({
    name: "boards create",
    summary: "Create a board",
    method: "POST",
    path: "/boards",
    positionals: ["ID"],
    fields: { boardId: ":ID" },
    options: [{ ...NAME, required: true }, DESCRIPTION, URL_OPTION],
    done: ({ boardId }) => `Created the board ${boardId}.`,
    details: [
      "ID is 1 to 128 letters, digits and . _ ~ -, starts with a letter or digit, and is " +
      "case-sensitive.",
    ],
    example: "boardcast boards create feature-requests --name 'Feature requests'",
  }),
  apiCommand({
    name: "boards get",
    summary: "Show a board",
    method: "GET",
    path: PATH,
    positionals: ["ID"],
    example: "boardcast boards get feature-requests --json",
  }),
  apiCommand({
    name: "boards list",
    summary: "List the boards",
    method: "GET",
    path: "/boards",
    listing: {
      noun: "boards",
      columns: [
        { title: "ID", text: ({ boardId }) => `${boardId}` },
        { title: "NAME", text: ({ name }) => `${name}` },
        { title: "URL", text: ({ url }) => `${url ?? "-"}` },
        { title: "UPDATED", text: ({ updatedAt }) => formatDay(updatedAt), fixed: true },
      ],
    },
    example: "boardcast boards list --json",
  }),
  apiCommand({
    name: "boards update",
    summary: "Change the given fields of a board",
    method: "PATCH",
    path: PATH,
    positionals: ["ID"],
    options: [NAME, DESCRIPTION, URL_OPTION],
    done: ({ boardId }) => `Updated the board ${boardId}.`,
    details: ["An empty TEXT or URL clears the field."],
    example: "boardcast boards update feature-requests --url https://example.com/ideas",
  }),
  apiCommand({
    name: "boards delete",
    summary: "Delete a board",
    method: "DELETE",
    path: PATH,
    positionals: ["ID"],
    done: (_, { positionals: [boardId] }) => `Deleted the board ${boardId}.`,
    example: "boardcast boards delete feature-requests",
  }),
];
