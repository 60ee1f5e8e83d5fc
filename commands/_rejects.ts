import { createRecordSplitter, type TextRecord } from "../model/record_splitter.ts";
import { UsageError } from "./_options.ts";

/** The refused rows of a file, and where to write them. */
export interface Rejects {
  readonly from: string;
  readonly to: string;
  readonly isCsv: boolean;
  /** The numbers of their first lines, in ascending order. */
  readonly lines: readonly number[];
}

/** Throws a {@linkcode UsageError} where writing the refused rows would overwrite the list itself. */
export async function checkRejectsFile(from: string, to: string): Promise<void> {
  const [list, rejects] = await Promise.all(
    [from, to].map((path) => Deno.realPath(path).catch(() => undefined)),
  );
  if (list !== undefined && list === rejects) {
    throw new UsageError("--rejects names the list itself: choose another file");
  }
}

/** Writes the refused rows of a list, and for CSV its header, to a file, in place of what is in it. */
export async function writeRejects({ from, to, isCsv, lines }: Rejects): Promise<void> {
  const splitter = createRecordSplitter({ quoting: isCsv });
  const encoder = new TextEncoder();
  let hasHeader = !isCsv || lines.length === 0;
  let next = 0;

  function choose(records: readonly TextRecord[]): Uint8Array {
    let text = "";
    for (const record of records) {
      const isHeader = !hasHeader && record.text !== "";
      if (isHeader || record.line === lines[next]) text += `${record.text}\n`;
      if (isHeader) hasHeader = true;
      else if (record.line === lines[next]) next++;
    }
    return encoder.encode(text);
  }

  const file = await Deno.open(to, { write: true, create: true, truncate: true });
  const writer = file.writable.getWriter();
  const { readable } = await Deno.open(from);
  for await (const chunk of readable) await writer.write(choose(splitter.push(chunk)));
  await writer.write(choose(splitter.end()));
  await writer.close();
}
