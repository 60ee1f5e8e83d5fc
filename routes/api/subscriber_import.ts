import { choice } from "../../model/declare.ts";
import { createCsvReader } from "../../model/subscriptions/csv_list_reader.ts";
import {
  LIST_FORMAT_NAMES,
  LIST_OPTIONS,
  LIST_STATES,
  LIST_STATUSES,
  parseColumns,
  parseListFormat,
  parseListWords,
} from "../../model/subscriptions/list_options.ts";
import { createNdjsonReader, type RowReader } from "../../model/subscriptions/rows.ts";
import {
  createCounts,
  type ImportCounts,
  importSubscriptions,
} from "../../services/subscriptions/import.ts";
import { createLimit } from "../_http/limit.ts";
import { readMediaType } from "../_http/media_type.ts";
import { type Operation, operation } from "../_http/operation.ts";
import { badValue, validationFailed } from "../_http/problem.ts";
import { flagParameter, startReport } from "./_import_report.ts";
import { CSV_TYPE, NDJSON_TYPE } from "../_http/reply.ts";

// Each import may keep some megabytes in memory.
const inLimit = createLimit(4, "imports of subscribers");

export const subscriberImportOperation: Operation = operation(
  "POST",
  "/api/v1/changelogs/subscribers/import",
  {
    operationId: "importSubscribers",
    summary: "Import subscribers",
    description:
      "Imports rows of any number while they arrive. CSV starts with a header, by which lists of " +
      "listmonk, Keila, Ghost, Mailchimp, changes.page and ProductLift are known; else it names " +
      "`userEmail`, `subscribed` and maybe `userName`, in any order. NDJSON has objects with these " +
      "members. Others are ignored. A row never subscribes an unsubscribed address again without " +
      "`resubscribe`, and who may have left or never confirmed is refused. An import can be repeated " +
      "at any time. A response without its last line broke off.",
    scope: "subscriptions:write",
    query: {
      dryRun: flagParameter("Change nothing, but tell what would be changed."),
      resubscribe: flagParameter("Let rows subscribe unsubscribed addresses again."),
      format: {
        ...choice(LIST_FORMAT_NAMES, "The format, if the header is not to tell it."),
        parse: parseListFormat,
      },
      listStatus: choice(
        LIST_STATUSES,
        "The subscription status of all in a list of listmonk, which its file doesn't say.",
      ),
      state: choice(
        LIST_STATES,
        "The state of all in a list of Mailchimp, which its file doesn't say, or in a sheet that has " +
          "no column for it.",
      ),
      columns: {
        schema: {
          description:
            "The headings of any other sheet: the fields `userEmail`, `userName` and `subscribed`, each " +
            "with its heading. A field that is left out is known by its own name.",
          type: "string",
          examples: ["userEmail=E-Mail,userName=Name"],
        },
        parse: parseColumns,
      },
      true: {
        schema: {
          description:
            "Words in the column `subscribed` that mean true, separated by commas, in any case, besides " +
            "those of spreadsheets.",
          type: "string",
          examples: ["active,confirmed"],
        },
        parse: parseListWords,
      },
      false: {
        schema: {
          description: "Words in it that mean false.",
          type: "string",
          examples: ["inactive"],
        },
        parse: parseListWords,
      },
    },
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

/** Returns the last line of a report. A dry run also tells which format was recognised. */
function sumUp(
  { subscribing, unsubscribing, ...counts }: ImportCounts,
  { format }: RowReader,
  isDryRun: boolean,
): unknown {
  return isDryRun ? { ...counts, dryRun: { format, subscribing, unsubscribing } } : counts;
}
