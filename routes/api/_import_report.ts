import { formatNdjson } from "../../model/values/text.ts";
import { UnusableFile } from "../../model/values/refusal.ts";
import { Problem } from "../_http/problem.ts";
import { NDJSON_TYPE, type Reply } from "../_http/reply.ts";

// The response begins once the report has this many characters. An import that fails before is
// answered with its problem, and a client that sends everything before it reads is not blocked.
const BUFFERED_LENGTH = 64 * 1024;
// The number of rows that become text before the client has read the previous ones.
const ROWS_AT_ONCE = 100;

async function* report(
  batches: AsyncIterable<readonly unknown[]>,
  sum: () => unknown,
): AsyncGenerator<string> {
  for await (const rows of batches) {
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      yield formatNdjson(rows.slice(at, at + ROWS_AT_ONCE));
    }
  }
  yield formatNdjson([sum()]);
}

/**
 * Starts the response to an import: a line for each row with news, then the totals. An import that
 * fails early is answered with its problem.
 */
export async function startReport(
  batches: AsyncIterable<readonly unknown[]>,
  sum: () => unknown,
): Promise<Reply | Problem> {
  const texts = report(batches, sum);
  let start = "";
  try {
    while (start.length < BUFFERED_LENGTH) {
      const { done, value } = await texts.next();
      if (done) return { status: 200, contentType: NDJSON_TYPE, body: start };
      start += value;
    }
  } catch (error) {
    if (error instanceof UnusableFile) return new Problem("malformed_body", error.message);
    throw error;
  }
  async function* all(): AsyncGenerator<string> {
    yield start;
    yield* texts;
  }
  return { status: 200, contentType: NDJSON_TYPE, body: all() };
}
