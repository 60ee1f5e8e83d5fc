import { formatNdjson } from "../../model/values/text.ts";
import { withApi } from "../api/client.ts";
import { JSON_OPTION, readNdjson } from "../api/listing.ts";
import { type Call, type JsonObject, RequestError, type SendRequest } from "../api/request.ts";
import { interruptible } from "../serve/signals.ts";
import type { Invocation } from "../shell/command.ts";
import { UsageError } from "../shell/options.ts";
import { type Input, readLines } from "./input.ts";
import { createProgress } from "./progress.ts";
import type { Rejects } from "./rejects.ts";

const REFUSED_STATUS = 3;
const RUN_AGAIN = "run it again to complete it";
const TRANSIENT = ["request_timeout", "storage_unavailable"];

/** How a file is imported. */
export interface ImportOptions {
  /** The call, but for the file that it sends. */
  readonly call: Call;
  /** Words a line of the report for people. */
  readonly describe: (line: JsonObject) => string;
  readonly rejects?: Rejects | undefined;
  /** Does what comes first, and makes what is sent of what is read. */
  readonly prepare?: (
    send: SendRequest,
    lines: ReadableStream<Uint8Array>,
  ) => Promise<ReadableStream<Uint8Array>>;
}

/** Sends a file as it is read, and shows the report; returns the exit status. */
export async function importFile(
  invocation: Invocation,
  input: Input,
  { call, describe, rejects, prepare }: ImportOptions,
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
  let failure: unknown;

  function show(lines: readonly JsonObject[]): void {
    progress.clear();
    if (args.flag(JSON_OPTION.name)) terminal.out(formatNdjson(lines));
    for (const line of lines) {
      if (Number(line.refused) > 0) status = REFUSED_STATUS;
      if (args.flag(JSON_OPTION.name)) continue;
      terminal.err(describe(line) + (signal.aborted ? "(incomplete)\n" : ""));
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
    const content = await prepare?.(send, lines) ?? lines;
    const response = await send({ ...call, content });
    for await (const values of readNdjson(response)) {
      show(values);
      await rejects?.write(values);
    }
  }

  await withApi(invocation, { isReading: isDryRun, mustExist: isDryRun }, async (sender) => {
    await interruptible(interruption, () => send(sender)).catch((error) => failure ??= error);
    progress.clear();
    if (signal.aborted) throw new Error(`interrupted; ${RUN_AGAIN}`);
    if (failure !== undefined) throw explain(failure, input);
  });
  return status;
}

function explain(failure: unknown, { name }: Input): unknown {
  if (!(failure instanceof Error) || failure instanceof UsageError) return failure;
  if (!(failure instanceof RequestError)) return new Error(`${failure.message}; ${RUN_AGAIN}`);
  if (failure.code === "malformed_body") return new UsageError(`${name}: ${failure.message}`);
  return TRANSIENT.includes(failure.code) ? new Error(`${failure.message}; ${RUN_AGAIN}`) : failure;
}
