import {
  StorageError,
  type SubscriptionOutcome,
  type SubscriptionStorage,
} from "../../adapters/storage.ts";
import { applySubscriptionChange, type SubscriptionChange } from "../../model/subscription.ts";
import type { Command, Invocation } from "../_command.ts";
import { type ImportCounts, importRows, type ImportStep } from "./import.ts";
import { type Input, openInput, readFirst, readUntil } from "./input.ts";
import { formatNdjson, JSON_OPTION } from "../_listing.ts";
import { UsageError } from "../_options.ts";
import { interruptible } from "../_signals.ts";
import { createProgress } from "./progress.ts";
import { openRowBatches, type RefusedRow, type RowBatch } from "./row_batches.ts";
import { csvRows, describeForeign, describeForeignJson, ndjsonRows } from "./rows.ts";
import { LASTING_STORAGE_OPTIONS, withStorage } from "../_storage.ts";
import { optionalChoice } from "../_values.ts";

const REFUSED_STATUS = 3;
const RUN_AGAIN = "run it again to complete it";

/** Imports subscribers from a file. */
export const importCommand: Command = {
  name: "subscribers import",
  positionals: ["FILE"],
  summary: "Import subscribers from a CSV or NDJSON file",
  options: [
    {
      name: "format",
      value: "csv | ndjson",
      description: "The format of FILE. [default: ndjson if its name ends in .ndjson or " +
        ".jsonl, or if it starts with {, else csv]",
    },
    {
      name: "dry-run",
      description:
        "Change nothing; for each row that would be imported, print its line number, the " +
        "outcome and the address.",
    },
    { name: "resubscribe", description: "Let rows turn unsubscribed addresses back on." },
    { ...JSON_OPTION, description: "With --dry-run: print one JSON object per row." },
    ...LASTING_STORAGE_OPTIONS,
  ],
  details: [
    "FILE - means standard input. CSV starts with a header that names the columns userEmail, " +
    "subscribed (true or false) and, optionally, userName, in any order; NDJSON has objects with " +
    "these members. Other columns and members are ignored. An empty userName keeps the name on " +
    "record.",
    "Rows that can't be imported are listed with line, field and reason; all others are imported. " +
    "A row never turns an unsubscribed address back on unless --resubscribe is given. An import " +
    "can be run again at any time, also after an interruption, and ends in the same state.",
  ],
  statuses: ["3  Some rows were refused; all others were imported."],
  example: "boardcast subscribers import people.csv --dry-run",
  overHttp: () => ({
    method: "PUT",
    path: "/changelogs/subscribe",
    // No values of anybody's, which the paste would store.
    fields: { userEmail: "EMAIL", userName: "NAME", subscribe: "TRUE_OR_FALSE" },
    note: "Over HTTP that takes one call per row, and subscribe=true turns an unsubscribed " +
      "address back on.\nTo import the file as it is, stop the server first.",
  }),
  run: importSubscribers,
};

async function importSubscribers(invocation: Invocation): Promise<number> {
  const { given, terminal } = invocation;
  const [path] = given.positionals;
  const format = optionalChoice(given, "format", ["csv", "ndjson"]) ??
    (/\.(?:ndjson|jsonl)$/i.test(path) ? "ndjson" : undefined);
  if (given.flag(JSON_OPTION.name) && !given.flag("dry-run")) {
    throw new UsageError("--json needs --dry-run");
  }
  const input = await openInput(path);
  const interruption = new AbortController();
  // Before storage is opened: a file that can't be used is no reason to create or migrate it.
  const batches = await openRows(input, {
    format,
    signal: interruption.signal,
    note: terminal.err,
  });
  const counts = await withStorage(
    invocation,
    ({ subscriptions }) =>
      importBatches(batches, { invocation, subscriptions, input, interruption }),
    { readOnly: given.flag("dry-run") },
  );
  return counts.refused > 0 ? REFUSED_STATUS : 0;
}

/** How a file is read. */
interface Reading {
  /** Absent: to be found out. */
  readonly format: "csv" | "ndjson" | undefined;
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
}

async function openRows(
  input: Input,
  { format, signal, note }: Reading,
): Promise<AsyncIterable<RowBatch>> {
  const { first, all } = await readFirst(readUntil(signal, input));
  const isNdjson = format === "ndjson" || (format === undefined && /^\s*\{/.test(first));
  const foreign = isNdjson ? describeForeignJson(first) : undefined;
  if (foreign !== undefined) throw new UsageError(`${input.name}: ${foreign}`);
  try {
    return await openRowBatches(all, isNdjson ? ndjsonRows() : csvRows(note));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${input.name}: ${describeForeign(first) ?? error.message}`);
  }
}

interface ImportContext {
  readonly invocation: Invocation;
  readonly subscriptions: SubscriptionStorage;
  readonly input: Input;
  /** Ends the batches. */
  readonly interruption: AbortController;
}

async function importBatches(
  batches: AsyncIterable<RowBatch>,
  { invocation: { given, terminal }, subscriptions, input, interruption }: ImportContext,
): Promise<ImportCounts> {
  const { name, sizeBytes } = input;
  const isDryRun = given.flag("dry-run");
  const progress = createProgress({
    write: terminal.err,
    // Rows on the same terminal show how far a dry run is.
    columns: isDryRun && terminal.outColumns !== undefined ? undefined : terminal.errColumns,
    totalBytes: sizeBytes,
  });
  let counts: ImportCounts | undefined;
  let isComplete = false;

  function report(step: ImportStep): void {
    counts = step.counts;
    if (step.refused.length > 0) {
      progress.clear();
      terminal.err(step.refused.map(describeRefused).join(""));
    }
    if (isDryRun) terminal.out(describeDone(step, given.flag(JSON_OPTION.name)));
    const rows = Object.values(step.counts).reduce((sum, count) => sum + count);
    progress.update({ bytesRead: step.bytesRead, rows });
  }

  try {
    await interruptible(interruption, () =>
      importRows(batches, {
        put: isDryRun ? foresee(subscriptions) : (change) => subscriptions.put(change),
        resubscribe: given.flag("resubscribe"),
        now: () => new Date().toISOString(),
        onStep: report,
        isRead: ({ refused }) => isDryRun || refused.length > 0,
      }));
    isComplete = true;
  } catch (error) {
    if (error === interruption.signal.reason) throw new Error(`interrupted; ${RUN_AGAIN}`);
    const isPassing = error instanceof StorageError && error.code === "unavailable";
    throw isPassing ? new Error(`${error.message}; once that is mended, ${RUN_AGAIN}`) : error;
  } finally {
    progress.clear();
    if (counts !== undefined) {
      const dryRun = isDryRun ? " (dry run: nothing was changed)" : "";
      const incomplete = isComplete ? "" : " (incomplete)";
      terminal.err(`${name}: ${describeCounts(counts)}${dryRun}${incomplete}\n`);
    }
  }
  return counts!;
}

/** Finds out what a change would do to what is stored now. */
function foresee(
  subscriptions: SubscriptionStorage,
): (change: SubscriptionChange) => Promise<SubscriptionOutcome> {
  return async (change) => {
    const previous = await subscriptions.get(change.userEmail);
    const subscription = applySubscriptionChange(previous, change);
    return { subscription, previous, changed: subscription !== previous };
  };
}

function describeRefused({ line, lastLine, reason }: RefusedRow): string {
  return `${line === lastLine ? `line ${line}` : `lines ${line}-${lastLine}`}: ${reason}\n`;
}

function describeDone({ done }: ImportStep, asJson: boolean): string {
  return done.map(({ row: { line, userEmail }, fate }) =>
    asJson ? formatNdjson([{ line, outcome: fate, userEmail }]) : `${line}\t${fate}\t${userEmail}\n`
  ).join("");
}

function describeCounts(counts: ImportCounts): string {
  return Object.entries(counts).map(([fate, count]) => `${count} ${fate}`).join(", ");
}
