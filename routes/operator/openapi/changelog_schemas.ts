import type { Schema } from "../../../model/values/json_schema.ts";
import { DELIVERY } from "../../../model/deliveries/delivery.ts";
import { ENTRY } from "../../../model/entries/entry.ts";
import { CSV_HEADER, formatCsvRow } from "../../../model/subscriptions/rows.ts";
import {
  HISTORY,
  type ShownSubscriber,
  type ShownSubscription,
  SUBSCRIPTION,
} from "../../../model/subscriptions/subscription.ts";
import { RECORD_SCHEMAS } from "./record_schemas.ts";
import { count, describe, describeRecord, flag, text } from "./schema.ts";

const SubscriberRecord = describeRecord({
  description: "One subscriber, with the evidence for the state.",
  fields: { ...SUBSCRIPTION.fields, history: HISTORY },
});
const [SUBSCRIBER_EXAMPLE] = RECORD_SCHEMAS.Subscriber.examples as readonly ShownSubscription[];
const [RECORD_EXAMPLE] = SubscriberRecord.examples as readonly ShownSubscriber[];

const [ENTRY_EXAMPLE] = RECORD_SCHEMAS.Entry.examples as readonly unknown[];
const BOUNCES = `/bounces/${"0".repeat(32)}`;

/** The schemas of subscribers, entries and deliveries. */
export const CHANGELOG_SCHEMAS = {
  SubscriptionResult: describeRecord({
    description: "A subscription after a call.",
    fields: {
      userEmail: SUBSCRIPTION.fields.userEmail,
      userName: SUBSCRIPTION.fields.userName,
      subscribed: { ...SUBSCRIPTION.fields.subscribed, description: "The state after the call." },
      changed: flag("Whether the call changed `subscribed` or `userName`."),
      createdAt: SUBSCRIPTION.fields.createdAt,
      updatedAt: SUBSCRIPTION.fields.updatedAt,
    },
  }),
  SubscriberRecord,
  SubscriberLines: describe(
    "Subscribers as NDJSON: one object a line. An import reads `userEmail`, `userName`, " +
      "`subscribed` and, of an address that is new, `history`.",
    { examples: [`${JSON.stringify(RECORD_EXAMPLE)}\n`] },
  ),
  SubscriberTable: describe(
    "Subscribers as CSV (RFC 4180) under a header. An import reads `userEmail`, `userName` and " +
      "`subscribed` alone, and the lists of other products as they export them. Text that a spreadsheet would run as a formula has an apostrophe in front.",
    { examples: [CSV_HEADER + formatCsvRow(SUBSCRIBER_EXAMPLE)] },
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
    examples: [`${JSON.stringify(ENTRY_EXAMPLE)}\n`],
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
  EntryResult: describeRecord({
    description: "An entry after a call.",
    fields: {
      ...ENTRY.fields,
      changed: flag("Whether the call changed anything."),
    },
  }),
  EntryPreview: describeRecord({
    description: "What a page would show.",
    fields: {
      html: text(
        "The body as HTML of a fixed set of elements.",
        '<p dir="auto">Press <strong>D</strong>.</p>\n',
      ),
      excerpt: text("How it begins, as text.", "Press D."),
    },
  }),
  ConvertedHtml: describeRecord({
    description: "HTML as Markdown.",
    fields: {
      body: text("The Markdown.", "Press **D**."),
      lost: {
        type: "texts",
        description: "What could not be kept: the names of elements.",
        example: [],
      },
    },
  }),
  PreviewLink: describeRecord({
    description: "A secret link.",
    fields: {
      url: text("Where the entry is shown.", "https://updates.example.com/preview/Zm9vYmFy", {
        rules: { format: "uri" },
      }),
      expiresAt: {
        type: "time",
        description: "Until when.",
        example: "2026-11-28T10:00:00.000Z",
      },
    },
  }),
  BounceAddress: describeRecord({
    description: "Where bounces are posted.",
    fields: {
      url: text(
        "The secret URL; `null` where the server has no public URL.",
        `https://updates.example.com${BOUNCES}`,
        { type: "text?", rules: { format: "uri" } },
      ),
      path: text("Its path, behind the address of the server.", BOUNCES),
    },
  }),
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
  BounceSummary: describeRecord({
    description: "What the events of a report came to.",
    fields: {
      read: count("How many events were read.", 1),
      unsubscribed: count("How many of them unsubscribed somebody.", 1),
      counted: count("How many were counted, and unsubscribe if more follow.", 0),
      ignored: count("How many changed nothing.", 0),
    },
  }),
  TestMail: describeRecord({
    description: "What became of a test mail.",
    fields: {
      entryId: DELIVERY.fields.entryId,
      userEmail: { ...SUBSCRIPTION.fields.userEmail, description: "Whom it is for." },
      sent: flag("Whether the relay took the mail."),
      problem: text("Why it did not, for people.", null),
    },
  }),
} as const satisfies Record<string, Schema>;
