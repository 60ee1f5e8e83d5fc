import { createRecordSplitter, type TextRecord } from "../../model/values/record_splitter.ts";
import { UsageError } from "../shell/options.ts";

/** How a file of refused rows is written. */
export type Format = "csv" | "ndjson";

/**
 * Creates the file for the refused rows. Throws a {@linkcode UsageError} where they can't be written to
 * it, or something would be lost.
 */
export async function createRejectsFile(list: string, rejects: string): Promise<void> {
  if (list === "-") throw new UsageError("--rejects needs a FILE that can be read again, not -");
  const [from, to] = await Promise.all(
    [list, rejects].map((path) => Deno.realPath(path).catch(() => undefined)),
  );
  if (from !== undefined && from === to) {
    throw new UsageError("--rejects names the list itself: choose another file");
  }
  try {
    (await Deno.open(rejects, { write: true, createNew: true })).close();
  } catch (error) {
    throw new UsageError(
      error instanceof Deno.errors.AlreadyExists
        ? `--rejects "${rejects}" is there already: name a new file`
        : `--rejects "${rejects}" can't be created: ${(error as Error).message}`,
    );
  }
}

/** Fills the file with the refused rows of a list and, for CSV, its header. */
export async function writeRejects(
  list: string,
  rejects: string,
  { format, refused }: { readonly format: Format; readonly refused: readonly number[] },
): Promise<void> {
  const splitter = createRecordSplitter({ quoting: format === "csv" });
  const lines = new Set(refused);
  let hasHeader = format !== "csv" || refused.length === 0;

  function choose(records: readonly TextRecord[]): Uint8Array {
    let text = "";
    for (const { line, text: row } of records) {
      const isHeader = !hasHeader && row !== "";
      if (isHeader) hasHeader = true;
      if (isHeader || lines.has(line)) text += `${row}\n`;
    }
    return new TextEncoder().encode(text);
  }

  const { readable } = await Deno.open(list);
  const { writable } = await Deno.open(rejects, { write: true });
  const writer = writable.getWriter();
  for await (const chunk of readable) await writer.write(choose(splitter.push(chunk)));
  await writer.write(choose(splitter.end()));
  await writer.close();
}
