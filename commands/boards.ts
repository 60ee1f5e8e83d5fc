import {
  applyBoardChange,
  type Board,
  isBoardId,
  parseBoardId,
  parseBoardUrl,
  parseDescription,
} from "../model/board.ts";
import { parseName } from "../model/name.ts";
import type { BoardStorage } from "../adapters/storage.ts";
import type { Command, Invocation } from "./_command.ts";
import { formatDay, JSON_OPTION, printListing } from "./_listing.ts";
import { type Given, type Option, UsageError } from "./_options.ts";
import { LASTING_STORAGE_OPTIONS, withStorage } from "./_storage.ts";
import { accept, optionalValue, requiredText } from "./_values.ts";

// Each try that fails means that somebody else changed the board meanwhile; so many won't in a row.
const MAX_CHANGE_TRIES = 100;

const NAME: Option = { name: "name", value: "NAME", description: "The name for people." };
const DESCRIPTION: Option = {
  name: "description",
  value: "TEXT",
  description: "What the board is for; may have several lines.",
};
const URL_OPTION: Option = {
  name: "url",
  value: "URL",
  description: "Where the board is shown: an absolute http or https URL.",
};

/** The commands that manage boards. */
export const boardCommands: readonly Command[] = [
  {
    name: "boards create",
    positionals: ["ID"],
    summary: "Create a board",
    options: [{ ...NAME, required: true }, DESCRIPTION, URL_OPTION, ...LASTING_STORAGE_OPTIONS],
    details: [
      "ID is 1 to 128 letters, digits and . _ ~ -, starts with a letter or digit, and is " +
      "case-sensitive.",
    ],
    example: "boardcast boards create feature-requests --name 'Feature requests'",
    overHttp: (given) => ({
      method: "POST",
      path: "/boards",
      fields: { boardId: given.positionals[0], ...textFields(given) },
    }),
    run: createBoard,
  },
  {
    name: "boards list",
    summary: "List the boards",
    options: [JSON_OPTION, ...LASTING_STORAGE_OPTIONS],
    details: ["Dates are in UTC. --json also shows the descriptions."],
    example: "boardcast boards list --json",
    async run(invocation) {
      await withStorage(invocation, ({ boards }) =>
        printListing(invocation, {
          noun: "boards",
          source: boards,
          keyOf: ({ boardId }) => boardId,
          columns: [
            { title: "ID", text: ({ boardId }) => boardId },
            { title: "NAME", text: ({ name }) => name },
            { title: "URL", text: ({ url }) => url ?? "-" },
            { title: "UPDATED", text: ({ updatedAt }) => formatDay(updatedAt), fixed: true },
          ],
        }), { readOnly: true });
      return 0;
    },
  },
  {
    name: "boards update",
    positionals: ["ID"],
    summary: "Change the given fields of a board",
    options: [NAME, DESCRIPTION, URL_OPTION, ...LASTING_STORAGE_OPTIONS],
    details: ["An empty TEXT or URL clears the field."],
    example: "boardcast boards update feature-requests --url https://example.com/ideas",
    overHttp: (given) => ({
      method: "PATCH",
      path: `/boards/${encodeURIComponent(given.positionals[0])}`,
      fields: textFields(given),
    }),
    run: updateBoard,
  },
  {
    name: "boards delete",
    positionals: ["ID"],
    summary: "Delete a board",
    options: LASTING_STORAGE_OPTIONS,
    example: "boardcast boards delete feature-requests",
    overHttp: ({ positionals: [boardId] }) => ({
      method: "DELETE",
      path: `/boards/${encodeURIComponent(boardId)}`,
    }),
    async run(invocation) {
      const [boardId] = invocation.given.positionals;
      await withStorage(
        invocation,
        ({ boards }) => changeBoard(boards, boardId, (current) => boards.delete(current)),
      );
      invocation.terminal.err(`Deleted the board ${boardId}.\n`);
      return 0;
    },
  },
];

async function createBoard(invocation: Invocation): Promise<number> {
  const { given, terminal } = invocation;
  const at = new Date().toISOString();
  const board: Board = {
    boardId: accept("ID", parseBoardId(given.positionals[0])),
    name: accept("--name", parseName(requiredText(given, "name"))),
    description: optionalValue(given, "description", parseDescription) || null,
    url: readUrl(given) ?? null,
    createdAt: at,
    updatedAt: at,
  };
  if (!await withStorage(invocation, ({ boards }) => boards.create(board))) {
    throw new Error(`there already is a board "${board.boardId}"`);
  }
  terminal.err(`Created the board ${board.boardId}.\n`);
  return 0;
}

async function updateBoard(invocation: Invocation): Promise<number> {
  const { given, terminal } = invocation;
  const [boardId] = given.positionals;
  const name = optionalValue(given, "name", parseName);
  const description = optionalValue(given, "description", parseDescription);
  const url = readUrl(given);
  if (name === undefined && description === undefined && url === undefined) {
    throw new UsageError("boards update needs --name, --description or --url");
  }
  const isChanged = await withStorage(invocation, async ({ boards }) => {
    let changed = false;
    await changeBoard(boards, boardId, async (current) => {
      const at = new Date().toISOString();
      const next = applyBoardChange(current, { name, description, url, at });
      changed = next !== current;
      return !changed || await boards.replace(current, next);
    });
    return changed;
  });
  terminal.err(isChanged ? `Updated the board ${boardId}.\n` : "Nothing to change.\n");
  return 0;
}

/** Reads and changes a board, again and again until no other change comes between. */
async function changeBoard(
  boards: BoardStorage,
  boardId: string,
  change: (current: Board) => Promise<boolean>,
): Promise<void> {
  for (let tries = 0; tries < MAX_CHANGE_TRIES; tries++) {
    const current = isBoardId(boardId) ? await boards.get(boardId) : undefined;
    if (current === undefined) throw new Error(`there is no board "${boardId}"`);
    if (await change(current)) return;
  }
  throw new Error(`other changes to the board "${boardId}" always came first; try again`);
}

/** The URL given; `null` where it is given as empty. */
function readUrl(given: Given): string | null | undefined {
  return given.text("url") === "" ? null : optionalValue(given, "url", parseBoardUrl);
}

function textFields(given: Given): Readonly<Record<string, string | undefined>> {
  const [name, description, url] = ["name", "description", "url"].map((name) => given.text(name));
  return { name, description, url };
}
