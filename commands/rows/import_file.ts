import { KEY_ENDED } from "../../model/imports/reports.ts";
import type { JsonObject } from "../../model/values/json_object.ts";
import { formatNdjson } from "../../model/values/text.ts";
import { withApi } from "../api/client.ts";
import { ForeignServer, RequestError, type SendRequest, type TextFields } from "../api/request.ts";
import { readNdjson } from "../api/responses.ts";
import { interruptible } from "../serve/signals.ts";
import type { Invocation } from "../shell/command.ts";
import { printable } from "../shell/layout.ts";
import { JSON_OPTION, UsageError } from "../shell/options.ts";
import { type Input, readLines } from "./input.ts";
import { readFlags } from "./parameters.ts";
import { createProgress } from "./progress.ts";
import type { Rejects } from "./rejects.ts";

const REFUSED_STATUS = 3;
const RUN_AGAIN = "run it again to complete it";
const TRANSIENT = ["request_timeout", "storage_unavailable"];

export interface FileImport {
  /** The path of the operation that imports it. */
  readonly path: string;
  /** Whether the storage must already contain data. */
  readonly mustExist?: boolean;
  /** Query parameters that have no flag. */
  readonly query?: TextFields;
  /** The media type of the file. */
  readonly type: string;
  /** The flag that sets each query parameter, such as `--dry-run`. */
  readonly flags: TextFields;
  /** Describes a line of the report for people. */
  readonly describe: (line: JsonObject) => string;
  readonly rejects?: Rejects | undefined;
  /** Runs before the import, and returns the content to send instead of the file's. */
  readonly prepare?: (
    send: SendRequest,
    lines: ReadableStream<Uint8Array>,
  ) => Promise<ReadableStream<Uint8Array>>;
}

/** Names the columns of a file that were not used, as the last line of a report has them. */
export function describeUnused({ unusedColumns }: JsonObject, flag = ""): string {
  const names = Array.isArray(unusedColumns) ? unusedColumns : [];
  return names.length === 0 ? "" : `not used: ${names.join(", ")}${flag}\n`;
}

/** Sends a file as it is read, and shows the report; returns the exit status. */
export async function importFile(
  invocation: Invocation,
  input: Input,
  { path, mustExist = false, query, type, flags, describe, rejects, prepare }: FileImport,
): Promise<number> {
  const { args, terminal } = invocation;
  const isDryRun = args.flag("dry-run");
  const interruption = new AbortController();
  const { signal } = interruption;
  const progress = createProgress({
    write: terminal.err,
    columns: terminal.errColumns,
    unit: "bytes",
    total: input.sizeBytes,
  });
  let status = 0;
  let isComplete = false;
  let failure: unknown;

  function show(lines: readonly JsonObject[]): void {
    progress.clear();
    if (args.flag(JSON_OPTION.name)) terminal.out(formatNdjson(lines));
    for (const line of lines) {
      if (line.code === KEY_ENDED) failure = new Error(`${line.detail}`);
      isComplete ||= typeof line.refused === "number";
      if (Number(line.refused) > 0) status = REFUSED_STATUS;
      if (args.flag(JSON_OPTION.name) || line.code === KEY_ENDED) continue;
      terminal.err(printable(describe(line)) + (signal.aborted ? "(incomplete)\n" : ""));
    }
  }

  async function send(send: SendRequest): Promise<void> {
    const lines = readLines(input, {
      signal,
      onRead(bytes, chunk) {
        progress.update(bytes);
        rejects?.readHeader(chunk);
      },
      onFailure: (error) => failure = error,
    });
    const body = await prepare?.(send, lines) ?? lines;
    const response = await send({
      method: "POST",
      path,
      query: { ...query, ...readFlags(args, flags) },
      headers: { "Content-Type": type },
      body,
    });
    for await (const values of readNdjson(response)) {
      show(values);
      await rejects?.write(values);
    }
    if (!isComplete) throw new Error("the report on the import broke off");
  }

  const access = { isReading: isDryRun, mustExist, flags };
  await withApi(invocation, access, async (sender) => {
    await interruptible(interruption, () => send(sender)).catch((error) => failure ??= error);
    progress.clear();
    if (signal.aborted) throw new Error(`interrupted; ${RUN_AGAIN}`);
    if (failure !== undefined) throw explain(failure, input);
  });
  return status;
}

function explain(failure: unknown, { name }: Input): unknown {
  if (!(failure instanceof Error)) return failure;
  if (failure instanceof UsageError || failure instanceof ForeignServer) return failure;
  if (!(failure instanceof RequestError)) return new Error(`${failure.message}; ${RUN_AGAIN}`);
  if (failure.code === "malformed_body") return new UsageError(`${name}: ${failure.message}`);
  return TRANSIENT.includes(failure.code) ? new Error(`${failure.message}; ${RUN_AGAIN}`) : failure;
}
