import { parseBoolean } from "../model/boolean.ts";
import type { Refusal } from "../model/refusal.ts";
import { createCsvReader, createNdjsonReader, type RefusedRow } from "../model/subscriber_rows.ts";
import {
  createCounts,
  type ImportCounts,
  importSubscriptions,
  UnusableFile,
} from "../services/import.ts";
import { type Field, optional } from "./_fields.ts";
import { readMediaType } from "./_media_type.ts";
import { type Operation, operation } from "./_operation.ts";
import { Problem, unavailable } from "./_problem.ts";
import { CSV_TYPE, formatNdjson, NDJSON_TYPE, type Reply } from "./_reply.ts";

// The reply begins once the report has this many characters: an import that ends before that is
// answered with its problem, and a client that sends everything before it reads is not blocked.
const BUFFERED_LENGTH = 64 * 1024;
// How many refused rows become text before the client has read those before them.
const ROWS_AT_ONCE = 100;
// Each may have some megabytes in memory, whoever sends it.
const MAX_IMPORTS = 4;
const BUSY = unavailable(`${MAX_IMPORTS} imports are under way: send this one again later`);

/** Creates the operation that imports subscribers, a few files at once. */
export function createImportOperation(): Operation {
  let running = 0;
  return operation("POST", "/api/v1/changelogs/subscribers/import", {
    operationId: "importSubscribers",
    summary: "Import subscribers",
    description:
      "Imports rows of any number while they arrive. CSV starts with a header that names " +
      "`userEmail`, `subscribed` and maybe `userName`, in any order; NDJSON has objects with these " +
      "members. Others are ignored. A row never subscribes an unsubscribed address again without " +
      "`resubscribe`. An import can be repeated at any time. A response without its last line broke off.",
    tag: "Changelog subscriptions",
    scope: "subscriptions:write",
    query: {
      dryRun: flag("Change nothing, but tell what would be changed."),
      resubscribe: flag("Let rows subscribe unsubscribed addresses again."),
    },
    streams: { [NDJSON_TYPE]: "SubscriberLines", [CSV_TYPE]: "SubscriberTable" },
    successes: [{
      status: 200,
      description:
        "A line for each row that was refused, and at last the number of rows by outcome.",
      contentType: NDJSON_TYPE,
      schema: "ImportReport",
    }],
    problems: ["storage_unavailable"],
    async run({ request, storage, query, chunks, clock }) {
      if (running === MAX_IMPORTS) return BUSY;
      const isCsv = readMediaType(request, [CSV_TYPE]) === CSV_TYPE;
      const counts = createCounts();
      const refused = importSubscriptions(
        storage,
        { chunks, reader: isCsv ? createCsvReader() : createNdjsonReader() },
        {
          resubscribe: query.resubscribe ?? false,
          isDryRun: query.dryRun ?? false,
          now: () => clock().text,
          counts,
        },
      );
      running++;
      return await startReport(report(refused, counts, () => running--));
    },
  });
}

function flag(description: string): Field<boolean> {
  const parse = (text: string): boolean | Refusal => text === "" || parseBoolean(text);
  return optional(parse, { description, default: false }, { type: "boolean", nullable: false });
}

async function* report(
  refused: AsyncIterable<readonly RefusedRow[]>,
  counts: ImportCounts,
  onEnd: () => void,
): AsyncGenerator<string> {
  try {
    for await (const rows of refused) {
      for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
        yield formatNdjson(rows.slice(at, at + ROWS_AT_ONCE));
      }
    }
    yield formatNdjson([counts]);
  } finally {
    onEnd();
  }
}

async function startReport(texts: AsyncGenerator<string>): Promise<Reply | Problem> {
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
