import type { SubscriptionStorage } from "../adapters/storage.ts";
import { parseBoolean } from "../model/boolean.ts";
import { parseEmailAddress } from "../model/email_address.ts";
import type { Subscription } from "../model/subscription.ts";
import type { Command, Invocation } from "./_command.ts";
import { escapeFormula, formatCsvRecord } from "./_transfer/csv.ts";
import { importCommand } from "./_transfer/import_command.ts";
import {
  formatDay,
  formatNdjson,
  JSON_OPTION,
  printListing,
  readPages,
  type Source,
} from "./_listing.ts";
import type { Given, Option } from "./_options.ts";
import { ROW_FIELDS } from "./_transfer/rows.ts";
import { LASTING_STORAGE_OPTIONS, withStorage } from "./_storage.ts";
import { accept, optionalChoice, optionalValue } from "./_values.ts";

const SUBSCRIBED: Option = {
  name: "subscribed",
  value: "true | false",
  description: "Only subscribers in this state. [default: both]",
};

/** The commands that manage subscribers. */
export const subscriberCommands: readonly Command[] = [
  {
    name: "subscribers list",
    summary: "List the subscribers, including those who opted out",
    options: [SUBSCRIBED, JSON_OPTION, ...LASTING_STORAGE_OPTIONS],
    details: ["Dates are in UTC."],
    example: "boardcast subscribers list --subscribed false",
    async run(invocation) {
      const subscribed = readSubscribed(invocation.given);
      await withStorage(invocation, ({ subscriptions }) =>
        printListing(invocation, {
          source: inState(subscriptions, subscribed),
          keyOf,
          noun: subscribed === undefined
            ? "subscribers"
            : subscribed
            ? "subscribed addresses"
            : "unsubscribed addresses",
          columns: [
            { title: "EMAIL", text: ({ userEmail }) => userEmail },
            { title: "NAME", text: ({ userName }) => userName ?? "-" },
            { title: "SUBSCRIBED", text: ({ subscribed }) => `${subscribed}`, fixed: true },
            { title: "UPDATED", text: ({ updatedAt }) => formatDay(updatedAt), fixed: true },
          ],
        }), { readOnly: true });
      return 0;
    },
  },
  {
    name: "subscribers export",
    summary: "Print all subscribers as CSV or NDJSON",
    options: [
      { name: "format", value: "csv | ndjson", default: "csv", description: "The format." },
      SUBSCRIBED,
      ...LASTING_STORAGE_OPTIONS,
    ],
    details: [
      "Those who opted out are included, and the output can be imported again. In CSV, text that a " +
      "spreadsheet would run as a formula gets a leading apostrophe, which the import removes. " +
      "NDJSON also has the times createdAt and updatedAt, which the import ignores.",
    ],
    example: "boardcast subscribers export > people.csv",
    run: exportSubscribers,
  },
  importCommand,
  {
    name: "subscribers erase",
    positionals: ["EMAIL"],
    summary: "Remove everything on record about a person",
    options: LASTING_STORAGE_OPTIONS,
    details: [
      "This removes the opt-out, too: afterwards, any import can subscribe the address again. To " +
      "unsubscribe somebody, import a row that says so.",
    ],
    example: "boardcast subscribers erase ann@example.com",
    overHttp: ({ positionals: [email] }) => ({
      method: "DELETE",
      path: `/changelogs/subscribers/${encodeURIComponent(email)}`,
    }),
    async run(invocation) {
      const userEmail = accept("EMAIL", parseEmailAddress(invocation.given.positionals[0]));
      const wasThere = await withStorage(
        invocation,
        ({ subscriptions }) => subscriptions.erase(userEmail),
      );
      if (!wasThere) throw new Error(`there is no subscriber "${userEmail}"`);
      invocation.terminal.err(`Erased ${userEmail}.\n`);
      return 0;
    },
  },
];

async function exportSubscribers(invocation: Invocation): Promise<number> {
  const { given, terminal } = invocation;
  const asCsv = optionalChoice(given, "format", ["csv", "ndjson"]) === "csv";
  const subscribed = readSubscribed(given);
  let count = 0;
  await withStorage(invocation, async ({ subscriptions }) => {
    if (asCsv) terminal.out(formatCsvRecord(ROW_FIELDS));
    for await (const page of readPages(inState(subscriptions, subscribed), keyOf)) {
      terminal.out(asCsv ? page.map(formatRow).join("") : formatNdjson(page));
      count += page.length;
    }
  }, { readOnly: true });
  terminal.err(`Exported ${count} subscriber${count === 1 ? "" : "s"}.\n`);
  return 0;
}

function formatRow({ userEmail, userName, subscribed }: Subscription): string {
  const cells = [escapeFormula(userEmail), escapeFormula(userName ?? ""), `${subscribed}`];
  return formatCsvRecord(cells);
}

function inState(
  subscriptions: SubscriptionStorage,
  subscribed: boolean | undefined,
): Source<Subscription> {
  return { list: (query) => subscriptions.list({ ...query, subscribed }) };
}

function keyOf({ userEmail }: Subscription): string {
  return userEmail;
}

function readSubscribed(given: Given): boolean | undefined {
  return optionalValue(given, "subscribed", parseBoolean);
}
