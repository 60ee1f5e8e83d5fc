import { LIST_FORMAT_NAMES, parseListFormat } from "../../model/subscriptions/list_options.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { apiCommand } from "../api/api_command.ts";
import type { JsonObject } from "../api/request.ts";
import type { Command } from "../shell/command.ts";
import { option, UsageError } from "../shell/options.ts";
import { importFile } from "./import_file.ts";
import { openInput } from "./input.ts";
import { createRejects } from "./rejects.ts";

const FORMATS = ["csv", "ndjson", ...LIST_FORMAT_NAMES];
// What a dry run shows fits on one screen.
const DRY_RUN_ROWS = 10;

/** Imports subscribers from a file. */
export const importCommand: Command = apiCommand("subscribers import FILE", "importSubscribers", {
  summary: "Import subscribers from a CSV or NDJSON file",
  options: [
    option(
      "format FORMAT",
      `${FORMATS.join(", ")}. [default: ndjson if the name ends in .ndjson or .jsonl, or FILE ` +
        "starts with {, else what the header of its CSV tells]",
      { choices: FORMATS, isOwn: true },
    ),
    option("rejects FILE", "Write the refused rows to this file, to be mended and imported.", {
      isOwn: true,
    }),
  ],
  details:
    "FILE - means standard input. CSV starts with a header that names the columns userEmail, " +
    "subscribed (true or false, in the words of a spreadsheet too) and, optionally, userName, in any " +
    "order, or is what another product exports, or is explained by --columns; NDJSON has objects with " +
    "these members. Other columns and members are ignored. An empty userName keeps the name on " +
    "record.\n\n" +
    "Rows that can't be imported are listed with line and reason; all others are imported. A row " +
    "never turns an unsubscribed address back on unless --resubscribe is given. An import can be run " +
    "again at any time, also after an interruption, and ends in the same state.",
  statuses: ["3  Some rows were refused; all others were imported."],
  example: "boardcast subscribers import people.csv --dry-run",
  async run(invocation, call) {
    const { args } = invocation;
    const [path] = args.positionals;
    const chosen = readFormat(args.text("format"));
    const rejects = args.text("rejects");
    const input = await openInput(path);
    const isNdjson = chosen === undefined
      ? /\.(?:ndjson|jsonl)$/i.test(path) || /^\s*\{/.test(input.startText)
      : chosen === "ndjson";
    const file = rejects === undefined
      ? undefined
      : await createRejects(path, rejects, { hasHeader: !isNdjson });
    const isProduct = chosen !== undefined && chosen !== "csv" && !isNdjson;
    try {
      return await importFile(invocation, input, {
        call: {
          ...call,
          fields: { ...call.fields, ...isProduct && { format: chosen } },
          headers: { "Content-Type": isNdjson ? "application/x-ndjson" : "text/csv" },
        },
        describe: createReport(input.name, { isDryRun: args.flag("dry-run") }),
        rejects: file,
      });
    } finally {
      file?.close();
    }
  },
});

function readFormat(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const choice = parseListFormat(text);
  if (!(choice instanceof Refusal)) return choice;
  if (text !== "csv" && text !== "ndjson") {
    throw new UsageError(`--format "${text}" is none of ${FORMATS.join(", ")}`);
  }
  return text;
}

/** Words the lines of a report in their order. Of a dry run, the first refused rows alone; the rest is counted. */
function createReport(
  name: string,
  { isDryRun }: { readonly isDryRun: boolean },
): (line: JsonObject) => string {
  let rows = 0;
  return ({ line, detail, ...sum }) => {
    if (typeof line !== "number") return isDryRun ? describeDryRun(name, sum) : describe(name, sum);
    return isDryRun && ++rows > DRY_RUN_ROWS ? "" : `line ${line}: ${detail}\n`;
  };
}

function describe(name: string, sum: JsonObject): string {
  const { added, changed, unchanged, keptUnsubscribed, refused } = sum;
  return `${name}: ${added} added, ${changed} changed, ${unchanged} unchanged, ` +
    `${keptUnsubscribed} kept unsubscribed, ${refused} refused\n`;
}

function describeDryRun(name: string, sum: JsonObject): string {
  const { format, subscribing, unsubscribing } = sum.dryRun as JsonObject;
  const more = Number(sum.refused) - DRY_RUN_ROWS;
  return (more > 0 ? `… and ${more} more refused rows: --json or --rejects has them all\n` : "") +
    `${name} was taken for a list of ${format}: ${subscribing} rows subscribe, ` +
    `${unsubscribing} unsubscribe\n` +
    describe(name, sum).replace(/\n$/, " (dry run: nothing was changed)\n");
}
