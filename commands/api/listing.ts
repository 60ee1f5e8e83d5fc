import { formatNdjson } from "../../model/values/text.ts";
import type { Invocation } from "../shell/command.ts";
import { type Option, option } from "../shell/options.ts";
import type { Call, JsonObject, SendRequest } from "./request.ts";
import { type Column, createTable } from "./table.ts";

/** The flag that prints what the API answered. */
export const JSON_OPTION: Option = option(
  "json",
  "Print what the API answered, for a listing as NDJSON: one JSON object per line.",
);

const PAGE_SIZE = 100;
const TURN_MS = 50;
const LF = 0x0a;

/** How a listing of the API is printed. */
export interface Listing {
  /** The records' name, in the plural. */
  readonly noun: string;
  readonly columns: readonly Column<JsonObject>[];
}

/**
 * Prints a listing of any length, as a table or as NDJSON; one that `isStreamed` can be had as NDJSON,
 * without pages.
 */
export async function printListing(
  { args, terminal }: Invocation,
  { noun, columns, isStreamed }: Listing & { readonly isStreamed: boolean },
  { send, call }: { readonly send: SendRequest; readonly call: Call },
): Promise<void> {
  const format = createTable(columns, terminal.outColumns);
  const asJson = args.flag(JSON_OPTION.name);
  let isEmpty = true;
  for await (const page of isStreamed ? readAll(send, call) : readPages(send, call)) {
    if (page.length === 0) continue;
    isEmpty = false;
    terminal.out(asJson ? formatNdjson(page) : format(page));
  }
  if (isEmpty) terminal.err(`There are no ${noun}.\n`);
}

/** Reads the records of a listing, a page at a time. */
export async function* readPages<T = JsonObject>(
  send: SendRequest,
  call: Call,
): AsyncGenerator<readonly T[]> {
  let fields: JsonObject = { ...call.fields, limit: PAGE_SIZE };
  while (true) {
    const { data, nextCursor } = await (await send({ ...call, fields })).json();
    yield data;
    if (nextCursor === null) break;
    fields = { ...fields, cursor: nextCursor };
  }
}

async function* readAll(send: SendRequest, call: Call): AsyncGenerator<readonly JsonObject[]> {
  yield* readNdjson(await send({ ...call, headers: { Accept: "application/x-ndjson" } }));
}

/** Reads the values of a response in NDJSON, in the chunks in which they arrive. */
export async function* readNdjson(response: Response): AsyncGenerator<readonly JsonObject[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of readBytes(response)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield lines.map((line) => JSON.parse(line));
  }
}

/** Prints a response as it arrives, and returns how many records it has: one a line. */
export async function printLines(
  { out }: Pick<Invocation["terminal"], "out">,
  response: Response,
): Promise<number> {
  // CSV has a header.
  let count = response.headers.get("content-type")?.startsWith("text/csv") ? -1 : 0;
  for await (const bytes of readBytes(response)) {
    out(bytes);
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) count++;
  }
  return count;
}

/** Reads the content of a response; throws where it breaks off. */
async function* readBytes({ body }: Response): AsyncGenerator<Uint8Array> {
  let turnMs = performance.now();
  try {
    for await (const bytes of body ?? []) {
      yield bytes;
      // Data in memory keeps the event loop busy, which has to handle signals and the lock, too.
      if (performance.now() - turnMs < TURN_MS) continue;
      await new Promise((resolve) => setTimeout(resolve, 0));
      turnMs = performance.now();
    }
  } catch (cause) {
    throw new Error(`the response broke off: ${(cause as Error).message}`, { cause });
  }
}

/** Formats a record as one line for each member. */
export function formatRecord(record: JsonObject): string {
  const width = Math.max(...Object.keys(record).map((name) => name.length)) + 2;
  return Object.entries(record).map(([name, value]) => {
    const text = Array.isArray(value) ? formatList(value) : String(value ?? "-");
    return `${name.padEnd(width)}${text.replaceAll("\n", `\n${" ".repeat(width)}`)}\n`;
  }).join("");
}

/** Formats words in one line, and records in a line each. */
function formatList(values: readonly unknown[]): string {
  const isRecord = (value: unknown) => typeof value === "object" && value !== null;
  if (!values.some(isRecord)) return values.join(" ");
  const write = (value: unknown) => isRecord(value) ? JSON.stringify(value) : `${value ?? "-"}`;
  return values.map((value) => Object.values(value as JsonObject).map(write).join(" ")).join("\n");
}

/** Formats a time as its day in UTC, and what is not a time as `-`. */
export function formatDay(time: unknown): string {
  return typeof time === "string" ? time.slice(0, 10) : "-";
}
