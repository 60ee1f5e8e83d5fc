import { exampleOf } from "../../../model/answer.ts";
import { ENTRY } from "../../../model/entries/entry.ts";
import { CSV_HEADER, formatCsvRow } from "../../../model/subscriptions/rows.ts";
import {
  HISTORY,
  type ShownSubscriber,
  SUBSCRIPTION,
} from "../../../model/subscriptions/subscription.ts";
import type { Schema } from "../../../model/values/json_schema.ts";
import { describe } from "./schema.ts";

const SUBSCRIBER = exampleOf({
  ...SUBSCRIPTION.fields,
  history: HISTORY,
}) as unknown as ShownSubscriber;

/** Content that is no record, by the name of its schema. */
export const CONTENTS = {
  SubscriberLines: describe(
    "Subscribers as NDJSON: one object a line. An import reads `userEmail`, `userName`, " +
      "`subscribed` and, of an address that is new, `history`.",
    { examples: [`${JSON.stringify(SUBSCRIBER)}\n`] },
  ),
  SubscriberTable: describe(
    "Subscribers as CSV (RFC 4180) under a header. An import reads `userEmail`, `userName` and " +
      "`subscribed` alone, and the lists of other products as they export them. Text that a spreadsheet would run as a formula has an apostrophe in front.",
    { examples: [CSV_HEADER + formatCsvRow(SUBSCRIBER)] },
  ),
  ImportReport: describe(
    "NDJSON: an object with `line`, `field` (`null` for the row as a whole), `code`, `detail` and " +
      "`row` (its text, as it came; `null` if it is too long) for each row that was refused, and at last one with the number of rows that were `added`, " +
      "`changed`, `unchanged`, `keptUnsubscribed` and `refused`; in a dry run also `dryRun` with " +
      "the `format` that the file was taken for, and how many rows are `subscribing` and " +
      "`unsubscribing`.",
    {
      examples: [
        '{"line":3,"field":"userEmail","code":"required","detail":"userEmail is required","row":",Ann,true"}\n' +
        '{"added":1,"changed":0,"unchanged":0,"keptUnsubscribed":0,"refused":1}\n',
      ],
    },
  ),
  EntryLines: describe("Entries as NDJSON: one object a line.", {
    examples: [`${JSON.stringify(exampleOf(ENTRY.fields))}\n`],
  }),
  ChangelogFile: describe("A changelog in Markdown with a heading for each version.", {
    examples: ["## [1.4.0] - 2026-11-21\n\n### Added\n\n- Dark mode\n"],
  }),
  EntriesInJson: describe(
    "Releases as the APIs of GitHub and GitLab have them, a JSON Feed, or entries.",
    { examples: ['[{"tag_name":"v1.3.0","body":"Fixes","published_at":"2026-11-20T10:00:00Z"}]'] },
  ),
  AtomFeed: describe("An Atom feed (RFC 4287).", {
    examples: ['<feed xmlns="http://www.w3.org/2005/Atom"></feed>'],
  }),
  EntryImportReport: describe(
    "NDJSON: an object with `entryId`, `field`, `code`, `detail` and `line` (`null` in files without " +
      "lines) for each entry that was refused, stays since it was edited here (`edited_here`), could " +
      "not be kept whole (`left_out`) or as it is (`changed`), and at " +
      "last one with the number of entries that were `added`, `changed`, `unchanged`, `kept` and " +
      "`refused`, and of what is `leftOut`: sections that are `unreleased`, versions that are " +
      "`undated`, relative `links` and `images`.",
    {
      examples: [
        '{"entryId":"v1.3.0","field":null,"code":"edited_here","detail":"was written or edited ' +
        'here, and stays as it is","line":12}\n{"added":1,"changed":0,"unchanged":12,"kept":1,"refused":0,' +
        '"leftOut":{"unreleased":1,"undated":0,"links":0,"images":0}}\n',
      ],
    },
  ),
  BounceEvents: describe("Events as a provider posts them, one or several in an array.", {
    type: ["object", "array", "string"],
    items: { type: "object" },
    examples: [{
      RecordType: "Bounce",
      Type: "HardBounce",
      Email: "nobody@example.com",
      BouncedAt: "2026-11-21T10:00:00Z",
    }],
  }),
  BounceForm: describe("An event as Mailgun posted it before 2018.", {
    type: "object",
    examples: [{
      event: "bounced",
      recipient: "nobody@example.com",
      code: "550",
      timestamp: "1795255200",
      signature: "0000",
    }],
  }),
  BounceMail: describe("A delivery report (RFC 3464) or a complaint (RFC 5965), as a mail."),
  Metrics: describe("The text format of Prometheus, version 0.0.4.", {
    examples: [
      "# HELP boardcast_subscribers People on record.\n# TYPE boardcast_subscribers gauge\n" +
      'boardcast_subscribers{state="subscribed"} 1250\n',
    ],
  }),
  Feed: describe("An Atom feed (RFC 4287)."),
  JsonFeed: describe("A JSON Feed 1.1.", { type: "object" }),
  Page: describe("An HTML page."),
  ImageFile: describe("The bytes of an image."),
  Sitemap: describe("A sitemap (sitemaps.org)."),
  Script: describe("A script."),
  OpenApi: describe("An OpenAPI 3.1 description.", { type: "object" }),
} as const satisfies Record<string, Schema>;

/** The name of the schema of such content. */
export type ContentName = keyof typeof CONTENTS;
