import { createCsvReader } from "../../model/subscriptions/csv_list_reader.ts";
import { LIST_OPTIONS, LIST_PARAMETERS } from "../../model/subscriptions/list_options.ts";
import { createNdjsonReader, type RowReader } from "../../model/subscriptions/rows.ts";
import {
  createCounts,
  type ImportCounts,
  importSubscriptions,
} from "../../services/subscriptions/import.ts";
import { createLimit } from "../_http/rate_limit.ts";
import { readMediaType } from "../_http/media_type.ts";
import { type Operation, operation } from "../_http/operation.ts";
import { badValue, validationFailed } from "../_http/problem.ts";
import { startReport } from "./_import_report.ts";
import { CSV_TYPE, NDJSON_TYPE } from "../_http/reply.ts";

// Each import may keep some megabytes in memory.
const inLimit = createLimit(4, "imports of subscribers");

const importOperation = operation(
  "POST",
  "/api/v1/changelogs/subscribers/import",
  {
    operationId: "importSubscribers",
    summary: "Import subscribers",
    description:
      "Imports any number of rows while they arrive. CSV starts with a header. It tells " +
      "lists of listmonk, Keila, Ghost, Mailchimp, changes.page and ProductLift; any other " +
      "header names `userEmail`, `subscribed` and maybe `userName`, in any order. NDJSON " +
      "has objects with these members. Other columns and members are not used, and named at the end. Without " +
      "`resubscribe`, a row never subscribes an unsubscribed address again. People who may " +
      "have left or never confirmed are refused. An import can be repeated at any time. If " +
      "the response lacks its last line, the import broke off.",
    scope: "subscriptions:write",
    query: LIST_PARAMETERS,
    streams: {
      [NDJSON_TYPE]: { schema: "SubscriberLines" },
      [CSV_TYPE]: { schema: "SubscriberTable" },
    },
    successes: [{ status: 200, schema: "ImportReport" }],
    run: (context) =>
      inLimit(async () => {
        const { request, storage, query, chunks, clock, caller } = context;
        const isCsv = readMediaType(request, [CSV_TYPE]) === CSV_TYPE;
        const { dryRun, resubscribe, ...options } = query;
        const unmeant = (["format", ...LIST_OPTIONS] as const)
          .find((option) => options[option] !== undefined && options[option] !== "boardcast");
        if (!isCsv && unmeant !== undefined) {
          return validationFailed([badValue(unmeant, "is for CSV; this list is NDJSON")]);
        }
        const reader = isCsv ? createCsvReader(options) : createNdjsonReader();
        const isDryRun = dryRun ?? false;
        const counts = createCounts();
        const refused = importSubscriptions(storage, { chunks, reader }, {
          resubscribe: resubscribe ?? false,
          isDryRun,
          now: () => clock().text,
          counts,
          keyId: caller.keyId,
        });
        const sum = () => sumUp(counts, reader, isDryRun);
        return await startReport(refused, sum);
      }),
  },
);

export const operations = (): readonly Operation[] => [importOperation];

/** Returns the last line of a report. A dry run also tells which format was recognised. */
function sumUp(
  { subscribing, unsubscribing, ...counts }: ImportCounts,
  { format, unusedColumns }: RowReader,
  isDryRun: boolean,
): unknown {
  const sum = { ...counts, unusedColumns };
  return isDryRun ? { ...sum, dryRun: { format, subscribing, unsubscribing } } : sum;
}
