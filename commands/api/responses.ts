import type { JsonObject } from "../../model/values/json_object.ts";
import type { Terminal } from "../shell/io.ts";
import { type Call, RequestError, type SendRequest, type TextFields } from "./request.ts";

const PAGE_SIZE = 100;
const TURN_MS = 50;
const LF = 0x0a;

interface ListingPage<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/** Reads the records of a listing, a page at a time, from the cursor of the call if it has one. */
export async function* readListing<T = JsonObject>(
  send: SendRequest,
  call: Call,
): AsyncGenerator<readonly T[]> {
  let query: TextFields = { ...call.query, limit: `${PAGE_SIZE}` };
  while (true) {
    const { data, nextCursor }: ListingPage<T> = await (await sendPatiently(send, {
      ...call,
      query,
    })).json();
    yield data;
    if (nextCursor === null) break;
    query = { ...query, cursor: nextCursor };
  }
}

/** Sends a request again as soon as the rate limit of the key allows it. */
async function sendPatiently(send: SendRequest, call: Call): Promise<Response> {
  while (true) {
    try {
      return await send(call);
    } catch (error) {
      const isLimited = error instanceof RequestError && error.code === "rate_limited";
      if (!isLimited || error.retryAfterMs === undefined) throw error;
      const { retryAfterMs } = error;
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
    }
  }
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

/** Prints the content of a response as it arrives, and returns how many lines it has. */
export async function printContent(
  { out }: Pick<Terminal, "out">,
  response: Response,
): Promise<number> {
  let lines = 0;
  for await (const bytes of readBytes(response)) {
    out(bytes);
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines++;
  }
  return lines;
}

/** Reads the content of a response; throws if the connection ends early. */
async function* readBytes({ body }: Response): AsyncGenerator<Uint8Array> {
  let turnMs = performance.now();
  try {
    for await (const bytes of body ?? []) {
      yield bytes;
      // Reading from memory storage keeps the event loop busy, and signals and the lock need turns
      // too.
      if (performance.now() - turnMs < TURN_MS) continue;
      await new Promise((resolve) => setTimeout(resolve, 0));
      turnMs = performance.now();
    }
  } catch (cause) {
    throw new Error(`the response broke off: ${(cause as Error).message}`, { cause });
  }
}
