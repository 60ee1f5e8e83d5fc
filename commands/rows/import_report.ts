import type { JsonObject } from "../api/request.ts";

// What a dry run shows fits on one screen.
const DRY_RUN_ROWS = 10;

/**
 * Creates a function that words the lines of an import's report for people, in their order. Of a dry
 * run, only the first refused rows are worded; the rest is counted.
 */
export function createImportReport(
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
