import { assert } from "@std/assert";
import { openFileStorage } from "../../adapters/file.ts";
import { COUNTERS } from "../_contract/kinds.ts";

/** How many changes are under way at the same time. */
export const WORKERS = 8;
/** Short, so that a lock whose holder was killed is soon taken over. */
export const HEARTBEAT_MS = 20;

const WRITER = new URL("./writer.ts", import.meta.url);

/** The counter that a worker counts. */
export function counterOf(worker: number): string {
  return `worker${worker}`;
}

/** What came of one run of the writer. */
export interface Round {
  /** The last number that each worker had acknowledged. */
  readonly acknowledged: readonly number[];
  /** All that the writer printed besides. */
  readonly lines: readonly string[];
}

/** Options of {@linkcode runWriter}. */
export interface RoundOptions {
  /** Kill the process once it has had so many changes acknowledged. */
  readonly killAfter?: number;
}

/** Runs the writer on a folder, with no more permission than to read and write there. */
export async function runWriter(directory: string, options: RoundOptions = {}): Promise<Round> {
  const permissions = [`--allow-read=${directory}`, `--allow-write=${directory}`];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-check", ...permissions, WRITER.href, directory],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const acknowledged: number[] = Array(WORKERS).fill(0);
  const lines: string[] = [];
  let changes = 0;
  for await (const line of linesOf(child.stdout)) {
    const [worker, count] = line.split(" ").map(Number);
    if (Number.isNaN(worker)) {
      lines.push(line);
      continue;
    }
    acknowledged[worker] = count;
    if (++changes === options.killAfter) child.kill("SIGKILL");
  }
  await child.status;
  return { acknowledged, lines };
}

/** Opens a folder and checks that each worker's counter is at the last number acknowledged, or the next. */
export async function checkRound(
  directory: string,
  { acknowledged }: Round,
  before: readonly number[] = [],
): Promise<readonly number[]> {
  const storage = await openFileStorage(directory, { heartbeatMs: HEARTBEAT_MS });
  try {
    const found: number[] = [];
    for (let worker = 0; worker < WORKERS; worker++) {
      const { value = 0 } = await storage.get(COUNTERS, counterOf(worker)) ?? {};
      const last = acknowledged[worker] || (before[worker] ?? 0);
      const isKept = value === last || value === last + 1;
      assert(isKept, `worker ${worker} had ${last} acknowledged and has ${value}`);
      found.push(value);
    }
    return found;
  } finally {
    await storage.close();
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream() as TransformStream)) {
    const lines = (rest + text).split("\n");
    // A line that was cut short by the kill was not printed in full.
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
