import type { JsonObject } from "../../model/values/json_object.ts";
import { findSeparator } from "../../model/values/csv.ts";
import { createRecordSplitter } from "../../model/values/record_splitter.ts";
import { UsageError } from "../shell/options.ts";

/** A file with the refused rows of a list, to be corrected and imported again. */
export interface Rejects {
  /** Takes the next bytes of the list, whose header the file repeats. */
  readHeader(chunk: Uint8Array): void;
  /** Writes the rows that the report names, except those that are too long. */
  write(report: readonly JsonObject[]): Promise<void>;
  /** Closes the file if there is one. */
  close(): void;
}

/**
 * Creates a writer for the refused rows of a list. It creates its file with the first refused row.
 * Throws a {@linkcode UsageError} if the file already exists or can't be created.
 */
export async function createRejects(
  list: string,
  rejects: string,
  { hasHeader }: { readonly hasHeader: boolean },
): Promise<Rejects> {
  await checkPath(list, rejects);
  let file: Deno.FsFile | undefined;
  const splitter = createRecordSplitter({ quoting: hasHeader });
  let header = hasHeader ? undefined : "";
  return {
    readHeader(chunk) {
      if (header !== undefined) return;
      const record = splitter.push(chunk).find(({ text }) => text !== "");
      if (record === undefined) return;
      const { text, separator = "," } = record;
      header = `${findSeparator(text) === separator ? "" : `sep=${separator}\n`}${text}\n`;
    },
    async write(report) {
      const rows = report.flatMap(({ row }) => typeof row === "string" ? [`${row}\n`] : []);
      if (rows.length === 0) return;
      file ??= await create(rejects);
      await writeAll(file, (header ?? "") + rows.join(""));
      header = "";
    },
    close: () => file?.close(),
  };
}

/** Throws before the import if the file of refused rows can't be created. */
async function checkPath(list: string, rejects: string): Promise<void> {
  const [from, to] = await Promise.all(
    [list, rejects].map((path) => Deno.realPath(path).catch(() => undefined)),
  );
  if (from !== undefined && from === to) {
    throw new UsageError("--rejects names the list itself: choose another file");
  }
  // Opening it needs no further permission of Deno, unlike `access` of node:fs.
  (await create(rejects)).close();
  await Deno.remove(rejects);
}

async function create(rejects: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(rejects, { write: true, createNew: true });
  } catch (error) {
    throw explain(rejects, error);
  }
}

function explain(rejects: string, error: unknown): UsageError {
  return new UsageError(
    error instanceof Deno.errors.AlreadyExists
      ? `--rejects "${rejects}" is there already: name a new file`
      : `--rejects "${rejects}" can't be created: ${(error as Error).message}`,
  );
}

async function writeAll(file: Deno.FsFile, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}
