import type { Schema } from "../../model/json_schema.ts";
import { DELIVERY_STATES, type ShownDelivery } from "../../model/delivery.ts";
import { ENTRY_STATES, LABEL_PATTERN, type ShownEntry } from "../../model/entry.ts";
import { URL_MAX_LENGTH } from "../../model/http_url.ts";
import { NAME_MAX_CODE_POINTS } from "../../model/name.ts";
import { CSV_HEADER, formatCsvRow } from "../../model/subscriber_rows.ts";
import { SUBSCRIPTION, type Subscription } from "../../model/subscription.ts";
import { ID_PATTERN } from "../../model/record_id.ts";
import { describeRecord, describeResource } from "./schema.ts";
import { count, describe, flag, list, orNull, page, type Properties } from "./schema.ts";
import { record, text, time } from "./schema.ts";

const Subscriber = describeResource(SUBSCRIPTION);
const [SUBSCRIBER_EXAMPLE] = Subscriber.examples as readonly Subscription[];

const ENTRY: Properties<ShownEntry> = {
  entryId: text("The identifier, case-sensitive.", "dark-mode", { pattern: ID_PATTERN }),
  title: text("The title.", "Dark mode", { minLength: 1, maxLength: NAME_MAX_CODE_POINTS }),
  body: text("What the entry says, in Markdown, as it came.", "Press **D**."),
  labels: list("What the entry is about.", ["new"], { pattern: LABEL_PATTERN }),
  url: orNull(text("Where more is told.", "https://example.com/docs/dark-mode", {
    format: "uri",
    maxLength: URL_MAX_LENGTH,
  })),
  state: text("Whether the entry is public now.", "published", { enum: ENTRY_STATES }),
  publishedAt: orNull(time("From when on the entry is public; `null`: it is a draft.")),
  createdAt: time("When the entry was created."),
  updatedAt: time("When the entry last changed."),
};
const Entry = record("An entry of the changelog.", ENTRY);

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

interface SubscriptionResult extends Omit<Subscription, "source"> {
  readonly changed: boolean;
}

export const CHANGELOG_SCHEMAS = {
  SubscriptionResult: describeRecord<SubscriptionResult>("A subscription after a call.", {
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
  EntryResult: record("An entry after a call.", {
    ...ENTRY,
    changed: flag("Whether the call changed anything.", true),
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
