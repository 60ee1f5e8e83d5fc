import type { JsonObject } from "../model/values/json_object.ts";
import { CLIENT_OPTIONS, withApi } from "./api/client.ts";
import type { SendRequest } from "./api/request.ts";
import { printContent, readListing } from "./api/responses.ts";
import { postImportCommand } from "./rows/post_import.ts";
import type { Command } from "./shell/command.ts";
import { option, optionalChoice, UsageError } from "./shell/options.ts";

const exportCommand: Command = {
  name: "posts export",
  summary: "Print all posts with their votes as NDJSON, or without them as CSV",
  options: [
    option("board ID", "Only the posts of this board; CSV needs it."),
    option("format csv | ndjson", "The format of the posts.", { default: "ndjson" }),
    ...CLIENT_OPTIONS,
  ],
  details:
    "Held and hidden posts are included, and NDJSON can be imported again whole. CSV has a row for " +
    "each post, in which text that a spreadsheet would run as a formula gets a leading " +
    "apostrophe.\n\n" +
    "Through a server, the key in BOARDCAST_KEY needs posts:read, subscriptions:read and, without " +
    "--board, boards:read.",
  example: "boardcast posts export --board ideas > ideas.ndjson",
  async run({ args, terminal, ...invocation }) {
    const isCsv = optionalChoice(args, "format", ["csv", "ndjson"]) === "csv";
    if (isCsv && args.text("board") === undefined) {
      throw new UsageError("--format csv needs --board: a table has the posts of one board");
    }
    const headers: Record<string, string> = isCsv ? { Accept: "text/csv" } : {};
    const access = { isReading: true, mustExist: true };
    const lines = await withApi({ args, terminal, ...invocation }, access, async (send) => {
      const board = args.text("board");
      let count = 0;
      for (const boardId of board === undefined ? await listBoards(send) : [board]) {
        const path = `/api/v1/boards/${encodeURIComponent(boardId)}/posts/export`;
        count += await printContent(terminal, await send({ method: "GET", path, headers }));
      }
      return count;
    });
    // A text in CSV may have several lines.
    if (isCsv) terminal.err(`Exported the posts of ${args.text("board")}.\n`);
    else terminal.err(`Exported ${lines} ${lines === 1 ? "line" : "lines"}.\n`);
    return 0;
  },
};

async function listBoards(send: SendRequest): Promise<readonly string[]> {
  const boards: string[] = [];
  const call = { method: "GET", path: "/api/v1/boards" };
  for await (const page of readListing<JsonObject>(send, call)) {
    boards.push(...page.map(({ boardId }) => `${boardId}`));
  }
  return boards;
}

export const postCommands: readonly Command[] = [exportCommand, postImportCommand];
