import { formatNdjson } from "../model/values/text.ts";
import { LIST_FORMAT_NAMES, parseListFormat } from "../model/subscriptions/lists/list_format.ts";
import { Refusal } from "../model/values/refusal.ts";
import { readFlags } from "./api/call.ts";
import { CLIENT_OPTIONS, withApi } from "./api/client.ts";
import { flagsOf, operationOf } from "./api/fields.ts";
import type { Command, Invocation } from "./shell/command.ts";
import { createImportReport } from "./rows/import_report.ts";
import { type Input, openInput, readLines } from "./shell/input.ts";
import { JSON_OPTION, readNdjson } from "./api/listing.ts";
import { option, UsageError } from "./shell/options.ts";
import { createProgress } from "./rows/progress.ts";
import { createRejects, type Rejects } from "./rows/rejects.ts";
import { type JsonObject, RequestError, type SendRequest, withQuery } from "./api/request.ts";
import { interruptible } from "./serve/signals.ts";

const FORMATS = ["csv", "ndjson", ...LIST_FORMAT_NAMES];
const FLAGS = flagsOf(operationOf("importSubscribers"), {
  own: [option(
    "format FORMAT",
    `${
      FORMATS.join(", ")
    }. [default: ndjson if the name ends in .ndjson or .jsonl, or FILE starts ` +
      "with {, else what the header of its CSV tells]",
    { choices: FORMATS },
  )],
  isFilled: () => false,
});
const REFUSED_STATUS = 3;
const RUN_AGAIN = "run it again to complete it";
const TRANSIENT = ["request_timeout", "storage_unavailable"];

/** Imports subscribers from a file. */
export const importCommand: Command = {
  name: "subscribers import",
  positionals: ["FILE"],
  summary: "Import subscribers from a CSV or NDJSON file",
  options: [
    ...FLAGS,
    option("rejects FILE", "Write the refused rows to this file, to be mended and imported."),
    JSON_OPTION,
    ...CLIENT_OPTIONS,
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
  async run(invocation) {
    const { args } = invocation;
    const [path] = args.positionals;
    const { fields: { format: _, ...query } } = await readFlags(FLAGS, args);
    const chosen = readFormat(args.text("format"));
    const rejects = args.text("rejects");
    const input = await openInput(path);
    const isNdjson = chosen === undefined
      ? /\.(?:ndjson|jsonl)$/i.test(path) || input.startsWithBrace
      : chosen === "ndjson";
    const file = rejects === undefined
      ? undefined
      : await createRejects(path, rejects, { hasHeader: !isNdjson });
    const product = chosen === "csv" || isNdjson ? undefined : chosen;
    const isDryRun = args.flag("dry-run");
    try {
      const refused = await withApi(
        invocation,
        { isReading: isDryRun, mustExist: isDryRun },
        (send) =>
          importList(send, { ...input, isNdjson, product, query, rejects: file }, invocation),
      );
      return refused > 0 ? REFUSED_STATUS : 0;
    } finally {
      file?.close();
    }
  },
};

function readFormat(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const choice = parseListFormat(text);
  if (!(choice instanceof Refusal)) return choice;
  if (text !== "csv" && text !== "ndjson") {
    throw new UsageError(`--format "${text}" is none of ${FORMATS.join(", ")}`);
  }
  return text;
}

/** Imports a list; returns how many rows were refused. */
async function importList(
  send: SendRequest,
  input: Input & {
    readonly isNdjson: boolean;
    readonly product: string | undefined;
    readonly query: JsonObject;
    readonly rejects: Rejects | undefined;
  },
  { args, terminal }: Invocation,
): Promise<number> {
  const interruption = new AbortController();
  const { signal } = interruption;
  const progress = createProgress({
    write: terminal.err,
    columns: terminal.errColumns,
    unit: "bytes",
    total: input.sizeBytes,
  });
  const asJson = args.flag(JSON_OPTION.name);
  const isDryRun = args.flag("dry-run");
  let refused = 0;
  let failure: unknown;

  const report = createImportReport(input.name, { isDryRun });

  function show(values: readonly JsonObject[]): void {
    progress.clear();
    if (asJson) terminal.out(formatNdjson(values));
    for (const value of values) {
      if (typeof value.line === "number") refused++;
      if (!asJson) terminal.err(report(value) + (signal.aborted ? "(incomplete)\n" : ""));
    }
  }

  const query = { ...input.query, ...input.product !== undefined && { format: input.product } };
  const request = {
    method: "POST",
    path: withQuery("/changelogs/subscribers/import", query),
    headers: { "Content-Type": input.isNdjson ? "application/x-ndjson" : "text/csv" },
    body: readLines(input, {
      signal,
      onRead(bytes, chunk) {
        progress.update(bytes);
        input.rejects?.readHeader(chunk);
      },
      onFailure: (error) => failure = error,
    }),
  } as const;
  try {
    await interruptible(interruption, async () => {
      for await (const values of readNdjson(await send(request))) {
        show(values);
        await input.rejects?.write(values);
      }
    });
  } catch (error) {
    failure ??= error;
  }
  progress.clear();
  if (signal.aborted) throw new Error(`interrupted; ${RUN_AGAIN}`);
  if (failure !== undefined) throw explain(failure, input);
  return refused;
}

function explain(failure: unknown, { name }: Input): unknown {
  if (!(failure instanceof Error)) return failure;
  if (!(failure instanceof RequestError)) return new Error(`${failure.message}; ${RUN_AGAIN}`);
  if (failure.code === "malformed_body") return new UsageError(`${name}: ${failure.message}`);
  return TRANSIENT.includes(failure.code) ? new Error(`${failure.message}; ${RUN_AGAIN}`) : failure;
}
