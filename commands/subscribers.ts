import { apiCommand } from "./api/api_command.ts";
import type { Command } from "./shell/command.ts";
import { option } from "./shell/options.ts";
import { importCommand } from "./rows/subscriber_import.ts";

/** The commands for subscribers. */
export const subscriberCommands: readonly Command[] = [
  apiCommand("subscribers get EMAIL", "getSubscriber"),
  apiCommand("subscribers list", "listSubscribers", {
    details: "Those who opted out are included.",
    example: "boardcast subscribers list --subscribed false",
  }),
  apiCommand("subscribers subscribe EMAIL", "putSubscription", {
    summary: "Subscribe a person",
    fields: { subscribe: true },
    done: ({ userEmail, changed }) =>
      changed ? `Subscribed ${userEmail}.` : `${userEmail} was subscribed already.`,
    details: "This turns an address that opted out back on: be sure that the person asked for it.",
    example: "boardcast subscribers subscribe ann@example.com --name Ann",
  }),
  apiCommand("subscribers unsubscribe EMAIL", "putSubscription", {
    summary: "Unsubscribe a person",
    fields: { userName: undefined, subscribe: false },
    done: ({ userEmail, changed }) =>
      changed ? `Unsubscribed ${userEmail}.` : `${userEmail} was unsubscribed already.`,
  }),
  apiCommand("subscribers edit EMAIL", "updateSubscriber", {
    summary: "Change the name, labels or pace of a subscriber",
  }),
  apiCommand("subscribers erase EMAIL", "eraseSubscriber", {
    summary: "Remove everything on record about a person",
    question: ({ positionals: [email] }) =>
      `Erase all about ${email}, the opt-out too? (To stop mails, unsubscribe.)`,
    details:
      "What is left is a keyed hash of the address, which names nobody: imports without --resubscribe " +
      "don't bring the person back. To keep somebody from getting mails, unsubscribe them.",
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
