import { SUBSCRIPTION } from "../model/subscriptions/subscription.ts";
import { apiCommand } from "./api/api_command.ts";
import type { Command } from "./shell/command.ts";
import { fieldColumns } from "./api/fields.ts";
import { option } from "./shell/options.ts";
import { importCommand } from "./import.ts";

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
    summary: "Change the name, labels or pace of a subscriber",
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
  apiCommand("subscribers export", "listSubscribers", {
    summary: "Print all subscribers as CSV or NDJSON",
    lines: ["subscriber", "subscribers"],
    options: [
      option("format csv | ndjson", "The format.", {
        default: "csv",
        accepts: { csv: "text/csv", ndjson: "application/x-ndjson" },
      }),
    ],
    details:
      "Those who opted out are included, and the output can be imported again. In CSV, text that a " +
      "spreadsheet would run as a formula gets a leading apostrophe, which the import removes.",
    example: "boardcast subscribers export > people.csv",
  }),
  importCommand,
];
