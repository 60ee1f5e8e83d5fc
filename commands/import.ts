import { CLIENT_OPTIONS, withApi } from "./_client.ts";
import type { Command, Invocation } from "./_command.ts";
import { type Input, openInput, readLines } from "./_input.ts";
import { formatNdjson, JSON_OPTION, readNdjson } from "./_listing.ts";
import { option, optionalChoice, UsageError } from "./_options.ts";
import { createProgress } from "./_progress.ts";
import { createRejectsFile, type Format, writeRejects } from "./_rejects.ts";
import { type Answer, RequestError, type SendRequest, withQuery } from "./_request.ts";
import { interruptible } from "./_signals.ts";

const REFUSED_STATUS = 3;
const RUN_AGAIN = "run it again to complete it";
const TRANSIENT = ["request_timeout", "storage_unavailable"];

export const importCommand: Command = {
  name: "subscribers import",
  positionals: ["FILE"],
  summary: "Import subscribers from a CSV or NDJSON file",
  options: [
    option(
      "format csv | ndjson",
      "The format of FILE. [default: ndjson if its name ends in .ndjson or " +
        ".jsonl, or if it starts with {, else csv]",
    ),
    option("dry-run", "Change nothing, but tell what would be changed."),
    option("resubscribe", "Let rows turn unsubscribed addresses back on."),
    option("rejects FILE", "Write the refused rows to this file, to be mended and imported."),
    JSON_OPTION,
    ...CLIENT_OPTIONS,
  ],
  details:
    "FILE - means standard input. CSV starts with a header that names the columns userEmail, " +
    "subscribed (true or false) and, optionally, userName, in any order; NDJSON has objects with " +
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
    const chosen = optionalChoice(args, "format", ["csv", "ndjson"]);
    const rejects = args.text("rejects");
    const input = await openInput(path);
    if (rejects !== undefined) await createRejectsFile(path, rejects);
    const format = chosen ??
      (/\.(?:ndjson|jsonl)$/i.test(path) || input.startsWithBrace ? "ndjson" : "csv");
    const isDryRun = args.flag("dry-run");
    const refused = await withApi(
      invocation,
      { isReading: isDryRun, mustExist: isDryRun },
      (send) => importList(send, { ...input, format }, invocation),
    );
    if (rejects !== undefined) await writeRejects(path, rejects, { format, refused });
    return refused.length > 0 ? REFUSED_STATUS : 0;
  },
};

/** Imports a list; returns the first line of each row that was refused. */
async function importList(
  send: SendRequest,
  input: Input & { readonly format: Format },
  { args, terminal }: Invocation,
): Promise<readonly number[]> {
  const interruption = new AbortController();
  const { signal } = interruption;
  const progress = createProgress({
    write: terminal.err,
    columns: terminal.errColumns,
    unit: "bytes",
    total: input.sizeBytes,
  });
  const asJson = args.flag(JSON_OPTION.name);
  const refused: number[] = [];
  let failure: unknown;

  function report(values: readonly Answer[]): void {
    progress.clear();
    if (asJson) terminal.out(formatNdjson(values));
    for (const { line, detail, ...counts } of values) {
      if (typeof line === "number") refused.push(line);
      if (asJson) continue;
      const remarks = (args.flag("dry-run") ? " (dry run: nothing was changed)" : "") +
        (signal.aborted ? " (incomplete)" : "");
      terminal.err(
        typeof line === "number"
          ? `line ${line}: ${detail}\n`
          : `${input.name}: ${describeCounts(counts)}${remarks}\n`,
      );
    }
  }

  const query = {
    ...(args.flag("dry-run") && { dryRun: true }),
    ...(args.flag("resubscribe") && { resubscribe: true }),
  };
  const request = {
    method: "POST",
    path: withQuery("/changelogs/subscribers/import", query),
    headers: { "Content-Type": input.format === "csv" ? "text/csv" : "application/x-ndjson" },
    body: readLines(input, {
      signal,
      onRead: progress.update,
      onFailure: (error) => failure = error,
    }),
  } as const;
  try {
    await interruptible(interruption, async () => {
      for await (const values of readNdjson(await send(request))) report(values);
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

function describeCounts(counts: Answer): string {
  const { added, changed, unchanged, keptUnsubscribed, refused } = counts;
  return `${added} added, ${changed} changed, ${unchanged} unchanged, ` +
    `${keptUnsubscribed} kept unsubscribed, ${refused} refused`;
}
