import { SUBSCRIPTION, SUBSCRIPTION_SOURCES } from "../model/subscription.ts";
import { apiCommand } from "./_api_command.ts";
import type { Command } from "./_command.ts";
import { fieldColumns, flagOf } from "./_fields.ts";
import { exportCommand, SUBSCRIBED_OPTION } from "./export.ts";
import { importCommand } from "./import.ts";
import { option } from "./_options.ts";

const SOURCE_OPTION = option(
  `source ${SUBSCRIPTION_SOURCES.join(" | ")}`,
  "Only subscribers whose state has this source. [default: all]",
);

/** The commands for subscribers. */
export const subscriberCommands: readonly Command[] = [
  apiCommand({
    synopsis: "subscribers get EMAIL",
    summary: "Show a subscriber",
    request: "GET /changelogs/subscribers/:EMAIL",
    example: "boardcast subscribers get ann@example.com",
  }),
  apiCommand({
    synopsis: "subscribers list",
    summary: "List the subscribers, including those who opted out",
    request: "GET /changelogs/subscribers",
    options: [SUBSCRIBED_OPTION, SOURCE_OPTION],
    listing: {
      noun: "subscribers",
      isStreamed: true,
      columns: fieldColumns(SUBSCRIPTION),
    },
    details: "Dates are in UTC.",
    example: "boardcast subscribers list --subscribed false",
  }),
  apiCommand({
    synopsis: "subscribers subscribe EMAIL",
    summary: "Subscribe a person",
    request: "PUT /changelogs/subscribe",
    fields: { userEmail: ":EMAIL", subscribe: true },
    options: [flagOf("userName", SUBSCRIPTION.fields.userName)],
    done: ({ userEmail, changed }) =>
      changed ? `Subscribed ${userEmail}.` : `${userEmail} was subscribed already.`,
    details: "This turns an address that opted out back on: be sure that the person asked for it.",
    example: "boardcast subscribers subscribe ann@example.com --name Ann",
  }),
  apiCommand({
    synopsis: "subscribers unsubscribe EMAIL",
    summary: "Unsubscribe a person",
    request: "PUT /changelogs/subscribe",
    fields: { userEmail: ":EMAIL", subscribe: false },
    done: ({ userEmail, changed }) =>
      changed ? `Unsubscribed ${userEmail}.` : `${userEmail} was unsubscribed already.`,
    example: "boardcast subscribers unsubscribe ann@example.com",
  }),
  apiCommand({
    synopsis: "subscribers erase EMAIL",
    summary: "Remove everything on record about a person",
    request: "DELETE /changelogs/subscribers/:EMAIL",
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
