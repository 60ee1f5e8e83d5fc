import {
  LIST_FORMAT_NAMES,
  LIST_PARAMETERS,
  parseListFormat,
} from "../../model/subscriptions/list_options.ts";
import type { JsonObject } from "../../model/values/json_object.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { CLIENT_OPTIONS } from "../api/client.ts";
import type { Command, Invocation } from "../shell/command.ts";
import { JSON_OPTION, option, UsageError } from "../shell/options.ts";
import { describeUnused, importFile } from "./import_file.ts";
import { openInput } from "./input.ts";
import { flagNames, flagOptions } from "./parameters.ts";
import { createRejects } from "./rejects.ts";

const FORMATS = ["csv", "ndjson", ...LIST_FORMAT_NAMES];
const HINT = " (see --columns)";
// In a dry run, the shown rows fit on one screen.
const DRY_RUN_ROWS = 10;

/** Imports subscribers from a file. */
export const importCommand: Command = {
  name: "subscribers import",
  summary: "Import subscribers from a CSV or NDJSON file",
  positionals: ["FILE"],
  options: [
    option(
      "format FORMAT",
      `${FORMATS.join(", ")}. [default: ndjson if the name ends in .ndjson or .jsonl, or FILE ` +
        "starts with {, else what the header of its CSV tells]",
    ),
    ...flagOptions(LIST_PARAMETERS),
    option(
      "rejects FILE",
      "Write the refused rows to this file, so that you can mend and import them.",
    ),
    JSON_OPTION,
    ...CLIENT_OPTIONS,
  ],
  details:
    "FILE is CSV or NDJSON; - means standard input. CSV starts with a header that names the columns " +
    "userEmail, subscribed (true or false, also in the words of spreadsheets) and maybe userName, in any " +
    "order. Exports of other products are known by their headers, and --columns explains any other " +
    "sheet. NDJSON has objects with these members. Other columns and members are named, not used. An empty " +
    "userName keeps the stored name.\n\n" +
    "Rows that can't be imported are listed with line and reason; all others are imported. Without " +
    "--resubscribe, a row never subscribes an unsubscribed address again. An import can be run again at " +
    "any time, also after an interruption, and ends in the same state.\n\n" +
    "Through a server, the key in BOARDCAST_KEY needs subscriptions:write.",
  statuses: { 3: "Some rows were refused; all others were imported." },
  example: "boardcast subscribers import people.csv --dry-run",
  run: importSubscribers,
};

async function importSubscribers(invocation: Invocation): Promise<number> {
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
      path: "/api/v1/changelogs/subscribers/import",
      query: isProduct ? { format: chosen } : {},
      type: isNdjson ? "application/x-ndjson" : "text/csv",
      flags: flagNames(LIST_PARAMETERS),
      describe: createReport(input.name, { isDryRun: args.flag("dry-run") }),
      rejects: file,
    });
  } finally {
    file?.close();
  }
}

function readFormat(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const choice = parseListFormat(text);
  if (!(choice instanceof Refusal)) return choice;
  if (text !== "csv" && text !== "ndjson") {
    throw new UsageError(`--format "${text}" is none of ${FORMATS.join(", ")}`);
  }
  return text;
}

/**
 * Describes the lines of a report in order. In a dry run, shows the first refused rows and counts
 * the others.
 */
function createReport(
  name: string,
  { isDryRun }: { readonly isDryRun: boolean },
): (line: JsonObject) => string {
  let rows = 0;
  return ({ line, detail, ...sum }) => {
    if (typeof line !== "number") {
      return isDryRun ? describeDryRun(name, sum) : describe(name, sum) + describeUnused(sum, HINT);
    }
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
    `${unsubscribing} unsubscribe${describeUnused(sum, HINT).replace(/^(?=.)/, "; ").trimEnd()}\n` +
    describe(name, sum).replace(/\n$/, " (dry run: nothing was changed)\n");
}
