import type { Schema } from "../../model/json_schema.ts";
import { DELIVERY_STATES, type ShownDelivery } from "../../model/delivery.ts";
import { ENTRY } from "../../model/entry.ts";
import { CSV_HEADER, formatCsvRow } from "../../model/subscriber_rows.ts";
import { SUBSCRIPTION, type Subscription } from "../../model/subscription.ts";
import { describeRecord } from "./schema.ts";
import { count, describe, flag, orNull, page, type Properties } from "./schema.ts";
import { record, text, time } from "./schema.ts";

const Subscriber = describeRecord(SUBSCRIPTION);
const [SUBSCRIBER_EXAMPLE] = Subscriber.examples as readonly Subscription[];

const Entry = describeRecord(ENTRY);

const DELIVERY: Properties<ShownDelivery> = {
  entryId: text("The entry that is mailed.", "dark-mode"),
  state: text(
    "What the delivery is doing. One that was found more than a day late is `held`.",
    "running",
    { enum: DELIVERY_STATES },
  ),
  recipients: count("How many were subscribed when sending began; 0 before.", 1250),
  sent: count("How many mails were sent.", 1200),
  failed: count("How many recipients were refused.", 3),
  deferred: count("How many recipients are tried again later.", 1),
  startedAt: orNull(time("When sending began.")),
  finishedAt: orNull(time("When the delivery was done or cancelled."), null),
  problem: orNull(text("Why nothing advances at the moment, for people.", ""), null),
};

const Delivery = record("The mailing of an entry.", DELIVERY);

export const CHANGELOG_SCHEMAS = {
  SubscriptionResult: describeRecord({
    description: "A subscription after a call.",
    fields: {
      userEmail: SUBSCRIPTION.fields.userEmail,
      userName: SUBSCRIPTION.fields.userName,
      subscribed: { ...SUBSCRIPTION.fields.subscribed, description: "The state after the call." },
      changed: {
        type: "boolean",
        description: "Whether the call changed `subscribed` or `userName`.",
        example: true,
      },
      createdAt: SUBSCRIPTION.fields.createdAt,
      updatedAt: SUBSCRIPTION.fields.updatedAt,
    },
  }),
  Subscriber,
  SubscriberPage: page("Subscriber", Subscriber),
  SubscriberLines: describe(
    "Subscribers as NDJSON: one object a line. An import reads `userEmail`, `userName` and " +
      "`subscribed` alone.",
    { examples: [`${JSON.stringify(SUBSCRIBER_EXAMPLE)}\n`] },
  ),
  SubscriberTable: describe(
    "Subscribers as CSV (RFC 4180) under a header. An import reads `userEmail`, `userName` and " +
      "`subscribed` alone. Text that a spreadsheet would run as a formula has an apostrophe in front.",
    { examples: [CSV_HEADER + formatCsvRow(SUBSCRIBER_EXAMPLE)] },
  ),
  ImportReport: describe(
    "NDJSON: an object with `line`, `field` (`null` for the row as a whole), `code` and `detail` " +
      "for each row that was refused, and at last one with the number of rows that were `added`, " +
      "`changed`, `unchanged`, `keptUnsubscribed` and `refused`.",
    {
      examples: [
        '{"line":3,"field":"userEmail","code":"required","detail":"userEmail is required"}\n' +
        '{"added":1,"changed":0,"unchanged":0,"keptUnsubscribed":0,"refused":1}\n',
      ],
    },
  ),
  Entry,
  EntryPage: page("Entry", Entry),
  EntryResult: describeRecord({
    description: "An entry after a call.",
    fields: {
      ...ENTRY.fields,
      changed: {
        type: "boolean",
        description: "Whether the call changed anything.",
        example: true,
      },
    },
  }),
  EntryPreview: record<{ html: string; excerpt: string }>("What a page would show.", {
    html: text(
      "The body as HTML of a fixed set of elements.",
      "<p>Press <strong>D</strong>.</p>\n",
    ),
    excerpt: text("How it begins, as text.", "Press D."),
  }),
  PreviewLink: record<{ url: string; expiresAt: string }>("A secret link.", {
    url: text("Where the entry is shown.", "https://updates.example.com/preview/Zm9vYmFy", {
      format: "uri",
    }),
    expiresAt: time("Until when.", "2026-11-28T10:00:00.000Z"),
  }),
  Delivery,
  DeliveryPage: page("Delivery", Delivery),
  TestMail: record("What became of a test mail.", {
    entryId: DELIVERY.entryId,
    userEmail: text("Whom it went to.", SUBSCRIPTION.fields.userEmail.example),
    sent: flag("Whether the relay took the mail.", true),
    problem: orNull(text("Why it did not, for people.", ""), null),
  }),
} as const satisfies Record<string, Schema>;
