import { SUBSCRIPTION } from "../model/subscriptions/subscription.ts";
import { apiCommand } from "./api/api_command.ts";
import { CLIENT_OPTIONS } from "./api/client.ts";
import type { Command } from "./shell/command.ts";
import { fieldColumns } from "./api/fields.ts";
import { printLines } from "./api/listing.ts";
import { type Option, option, optionalChoice } from "./shell/options.ts";
import { withQuery } from "./api/request.ts";
import { importCommand } from "./import.ts";

const SUBSCRIBED_OPTION: Option = option(
  "subscribed true | false",
  "Only subscribers in this state. [default: both]",
);

const exportCommand: Command = {
  name: "subscribers export",
  summary: "Print all subscribers as CSV or NDJSON",
  options: [
    option("format csv | ndjson", "The format.", { default: "csv" }),
    SUBSCRIBED_OPTION,
    ...CLIENT_OPTIONS,
  ],
  details:
    "Those who opted out are included, and the output can be imported again. In CSV, text that a " +
    "spreadsheet would run as a formula gets a leading apostrophe, which the import removes.",
  example: "boardcast subscribers export > people.csv",
  async run(invocation) {
    const { args, terminal } = invocation;
    const isCsv = optionalChoice(args, "format", ["csv", "ndjson"]) === "csv";
    const subscribed = optionalChoice(args, "subscribed", ["true", "false"]);
    const path = withQuery("/changelogs/subscribers", subscribed ? { subscribed } : {});
    const headers = { Accept: isCsv ? "text/csv" : "application/x-ndjson" };
    const lines = await printLines(invocation, { path, headers });
    // Each record is one line, as no text of a subscriber has a line break. CSV has a header.
    const count = isCsv ? lines - 1 : lines;
    terminal.err(`Exported ${count} subscriber${count === 1 ? "" : "s"}.\n`);
    return 0;
  },
};

/** The commands for subscribers. */
export const subscriberCommands: readonly Command[] = [
  apiCommand("subscribers get EMAIL", "getSubscriber", {
    summary: "Show a subscriber",
    example: "boardcast subscribers get ann@example.com",
  }),
  apiCommand("subscribers list", "listSubscribers", {
    summary: "List the subscribers, including those who opted out",
    listing: {
      noun: "subscribers",
      columns: fieldColumns(SUBSCRIPTION),
    },
    details: "Dates are in UTC.",
    example: "boardcast subscribers list --subscribed false",
  }),
  apiCommand("subscribers subscribe EMAIL", "putSubscription", {
    summary: "Subscribe a person",
    fields: { userEmail: ":EMAIL", subscribe: true },
    done: ({ userEmail, changed }) =>
      changed ? `Subscribed ${userEmail}.` : `${userEmail} was subscribed already.`,
    details: "This turns an address that opted out back on: be sure that the person asked for it.",
    example: "boardcast subscribers subscribe ann@example.com --name Ann",
  }),
  apiCommand("subscribers unsubscribe EMAIL", "putSubscription", {
    summary: "Unsubscribe a person",
    fields: { userEmail: ":EMAIL", userName: undefined, subscribe: false },
    done: ({ userEmail, changed }) =>
      changed ? `Unsubscribed ${userEmail}.` : `${userEmail} was unsubscribed already.`,
    example: "boardcast subscribers unsubscribe ann@example.com",
  }),
  apiCommand("subscribers edit EMAIL", "updateSubscriber", {
    summary: "Change the name of a subscriber",
    done: ({ userEmail }) => `Changed ${userEmail}.`,
    example: "boardcast subscribers edit ann@example.com --name Anna",
  }),
  apiCommand("subscribers erase EMAIL", "eraseSubscriber", {
    summary: "Remove everything on record about a person",
    question: ({ positionals: [email] }) =>
      `Erase all about ${email}, the opt-out too? (To stop mails, unsubscribe.)`,
    done: (_, { positionals: [email] }) => `Erased ${email}.`,
    details:
      "What is left is a keyed hash of the address, which names nobody: imports without --resubscribe " +
      "don't bring the person back. To keep somebody from getting mails, unsubscribe them.",
    example: "boardcast subscribers erase ann@example.com",
  }),
  exportCommand,
  importCommand,
];
