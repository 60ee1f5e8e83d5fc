import { POST_PARAMETERS } from "../../model/posts/files/sheet_columns.ts";
import { isZip } from "../../model/posts/files/zip.ts";
import type { JsonObject } from "../../model/values/json_object.ts";
import { CLIENT_OPTIONS } from "../api/client.ts";
import type { Command } from "../shell/command.ts";
import { JSON_OPTION, option, UsageError } from "../shell/options.ts";
import { describeUnused, importFile } from "./import_file.ts";
import { type Input, openInput } from "./input.ts";
import { flagNames, flagOptions } from "./parameters.ts";
import { createRejects } from "./rejects.ts";

/** Imports posts from a file. */
export const postImportCommand: Command = {
  name: "posts import",
  summary: "Import posts and votes from another product, or from an export",
  positionals: ["FILE"],
  options: [
    option("board ID", "The board for the posts.", { required: true }),
    ...flagOptions(POST_PARAMETERS),
    option(
      "rejects FILE",
      "Write the refused rows to this file, so that you can mend and import them.",
    ),
    option(
      "status WORD=STATUS",
      "The status for a word of the file that is not known; repeat it for more.",
      { multiple: true },
    ),
    JSON_OPTION,
    ...CLIENT_OPTIONS,
  ],
  details:
    "FILE is what posts export prints, Fider's posts.csv or its backup, one of Quackback's two files " +
    "(the posts first), UserVoice's full export, or any sheet; - means standard input. Nobody is " +
    "mailed. An import that is run again fills what is empty, and overwrites nothing.\n\n" +
    "Through a server, the key in BOARDCAST_KEY needs posts:publish and subscriptions:write.",
  statuses: { 3: "Some rows were refused; all others were imported." },
  example: "boardcast posts import posts.csv --board ideas --status 'later=open' --dry-run",
  async run(invocation) {
    const { args } = invocation;
    const [path] = args.positionals;
    const board = args.text("board");
    if (board === undefined) throw new UsageError("--board is missing: name the board");
    const rejects = args.text("rejects");
    const statuses = args.texts("status");
    const input = await openInput(path);
    const type = typeOf(input, path);
    const file = rejects === undefined
      ? undefined
      : await createRejects(path, rejects, { hasHeader: type === "text/csv" });
    try {
      return await importFile(invocation, input, {
        path: `/api/v1/boards/${encodeURIComponent(board)}/posts/import`,
        // The board is there already.
        mustExist: true,
        query: statuses.length === 0 ? {} : { status: statuses.join(",") },
        type,
        flags: flagNames(POST_PARAMETERS),
        describe: (line) => describe(line, input.name, args.flag("dry-run")),
        rejects: file,
      });
    } finally {
      file?.close();
    }
  },
};

/** Returns the media type of a file by its start, or else by its name. */
function typeOf({ start, startText }: Input, path: string): string {
  if (isZip(start)) return "application/zip";
  return /\.(?:ndjson|jsonl)$/i.test(path) || /^\s*\{/.test(startText)
    ? "application/x-ndjson"
    : "text/csv";
}

function describe({ line, detail, ...sum }: JsonObject, name: string, isDryRun: boolean): string {
  if (typeof line === "number") return `line ${line}: ${detail}\n`;
  const { added, changed, unchanged, keptUnsubscribed, refused, votesAdded } = sum;
  const filled = changed === 0 ? "" : `${changed} filled, `;
  return `${name}: ${added} posts added, ${votesAdded} votes added, ${filled}` +
    `${unchanged} rows unchanged, ` +
    `${keptUnsubscribed} kept away, ${refused} refused` +
    `${isDryRun ? " (dry run: nothing was changed)" : ""}\n` + describeLeftOut(sum) +
    describeUnused(sum, " (see --columns)");
}

function describeLeftOut({ leftOut }: JsonObject): string {
  const nouns = { spam: "spam", deleted: "deleted", withoutAddress: "votes without an address" };
  const counts = leftOut as Readonly<Record<string, number>>;
  const omissions = Object.entries(nouns).flatMap(([name, noun]) =>
    counts[name] > 0 ? [`${noun}: ${counts[name]}`] : []
  );
  return omissions.length === 0 ? "" : `left out: ${omissions.join(", ")}\n`;
}
