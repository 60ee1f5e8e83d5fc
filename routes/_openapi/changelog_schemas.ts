import { BOARD_ID_PATTERN } from "../../model/board.ts";
import { DELIVERY_STATES, type ShownDelivery } from "../../model/delivery.ts";
import { EMAIL_MAX_OCTETS } from "../../model/email_address.ts";
import { ENTRY_STATES, LABEL_PATTERN, type ShownEntry } from "../../model/entry.ts";
import { URL_MAX_LENGTH } from "../../model/http_url.ts";
import { NAME_MAX_CODE_POINTS } from "../../model/name.ts";
import { CSV_HEADER, formatCsvRow } from "../../model/subscriber_rows.ts";
import { type Subscription, SUBSCRIPTION_SOURCES } from "../../model/subscription.ts";
import { AT, count, list, orNull, page, type Properties, property } from "./schema.ts";
import { record, type Schema, time } from "./schema.ts";

const SUBSCRIBER: Properties<Subscription> = {
  userEmail: property("The normalised address, which identifies the subscriber.", {
    format: "email",
    maxLength: EMAIL_MAX_OCTETS,
  }),
  userName: orNull(
    property("The name of the user, if one was ever given.", { maxLength: NAME_MAX_CODE_POINTS }),
  ),
  subscribed: property("Whether the user is subscribed now.", { type: "boolean" }),
  source: property("What last changed `subscribed`; `link` is the unsubscribe link in a mail.", {
    enum: SUBSCRIPTION_SOURCES,
  }),
  createdAt: time("When the address was first recorded."),
  updatedAt: time("When `subscribed` or `userName` last changed."),
};
const SUBSCRIBER_EXAMPLE: Subscription = {
  userEmail: "ann@example.com",
  userName: "Ann",
  subscribed: true,
  source: "api",
  createdAt: AT,
  updatedAt: AT,
};
const { userEmail, userName, subscribed } = SUBSCRIBER_EXAMPLE;

const ENTRY: Properties<ShownEntry> = {
  entryId: property("The identifier, case-sensitive.", { pattern: BOARD_ID_PATTERN }),
  title: property("The title.", { minLength: 1, maxLength: NAME_MAX_CODE_POINTS }),
  body: property("What the entry says, in Markdown, as it came."),
  labels: list("What the entry is about.", { pattern: LABEL_PATTERN }),
  url: orNull(property("Where more is told.", { format: "uri", maxLength: URL_MAX_LENGTH })),
  state: property("Whether the entry is public now.", { enum: ENTRY_STATES }),
  publishedAt: orNull(time("From when on the entry is public; `null`: it is a draft.")),
  createdAt: time("When the entry was created."),
  updatedAt: time("When the entry last changed."),
};
const ENTRY_EXAMPLE: ShownEntry = {
  entryId: "dark-mode",
  title: "Dark mode",
  body: "Press **D**.",
  labels: ["new"],
  url: "https://example.com/docs/dark-mode",
  state: "published",
  publishedAt: AT,
  createdAt: AT,
  updatedAt: AT,
};

const DELIVERY: Properties<ShownDelivery> = {
  entryId: property("The entry that is mailed."),
  state: property(
    "What the delivery is doing. One that was found more than a day late is `held`.",
    { enum: DELIVERY_STATES },
  ),
  sent: count("How many mails were sent."),
  failed: count("How many recipients were refused."),
  deferred: count("How many recipients are tried again later."),
  startedAt: orNull(time("When sending began.")),
  finishedAt: orNull(time("When the delivery was done or cancelled.")),
  problem: orNull(property("Why nothing advances at the moment, for people.")),
};
const DELIVERY_EXAMPLE: ShownDelivery = {
  entryId: "dark-mode",
  state: "running",
  sent: 1200,
  failed: 3,
  deferred: 1,
  startedAt: AT,
  finishedAt: null,
  problem: null,
};

/** The schemas of subscriptions, entries and their deliveries. */
export const CHANGELOG_SCHEMAS = {
  SubscriptionResult: record("A subscription after a call.", {
    userEmail: SUBSCRIBER.userEmail,
    userName: SUBSCRIBER.userName,
    subscribed: property("The state after the call.", { type: "boolean" }),
    changed: property("Whether the call changed `subscribed` or `userName`.", { type: "boolean" }),
    createdAt: SUBSCRIBER.createdAt,
    updatedAt: SUBSCRIBER.updatedAt,
  }, { userEmail, userName, subscribed, changed: true, createdAt: AT, updatedAt: AT }),
  Subscriber: record(
    "Whether one person receives changelog updates.",
    SUBSCRIBER,
    SUBSCRIBER_EXAMPLE,
  ),
  SubscriberPage: page("Subscriber", SUBSCRIBER_EXAMPLE),
  SubscriberLines: property(
    "Subscribers as NDJSON: one object a line. An import reads `userEmail`, `userName` and " +
      "`subscribed` alone.",
    { examples: [`${JSON.stringify(SUBSCRIBER_EXAMPLE)}\n`] },
  ),
  SubscriberTable: property(
    "Subscribers as CSV (RFC 4180) under a header. An import reads `userEmail`, `userName` and " +
      "`subscribed` alone. Text that a spreadsheet would run as a formula has an apostrophe in front.",
    { examples: [CSV_HEADER + formatCsvRow(SUBSCRIBER_EXAMPLE)] },
  ),
  ImportReport: property(
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
  Entry: record("An entry of the changelog.", ENTRY, ENTRY_EXAMPLE),
  EntryPage: page("Entry", ENTRY_EXAMPLE),
  EntryResult: record("An entry after a call.", {
    ...ENTRY,
    changed: property("Whether the call changed anything.", { type: "boolean" }),
  }, { ...ENTRY_EXAMPLE, changed: true }),
  Delivery: record("The mailing of an entry.", DELIVERY, DELIVERY_EXAMPLE),
  TestMail: record("What became of a test mail.", {
    entryId: DELIVERY.entryId,
    userEmail: SUBSCRIBER.userEmail,
    sent: property("Whether the relay took the mail.", { type: "boolean" }),
    problem: orNull(property("Why it did not, for people.")),
  }, { entryId: "dark-mode", userEmail, sent: true, problem: null }),
} as const satisfies Record<string, Schema>;
