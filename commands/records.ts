import { apiCommand } from "./api/api_command.ts";
import { formatDay } from "./api/listing.ts";
import type { JsonObject } from "./api/request.ts";
import { importCommand } from "./rows/subscriber_import.ts";
import type { Command } from "./shell/command.ts";
import { option } from "./shell/options.ts";

/** What identifiers are that people choose. */
export const ID_DETAILS =
  "ID is 1 to 128 letters, digits and . _ ~ -, starts with a letter or digit, and is " +
  "case-sensitive.";

/** The commands for boards. */
export const boardCommands: readonly Command[] = [
  apiCommand("boards create ID", "createBoard", { details: ID_DETAILS }),
  apiCommand("boards get ID", "getBoard"),
  apiCommand("boards list", "listBoards"),
  apiCommand("boards update ID", "updateBoard"),
  apiCommand("boards delete ID", "deleteBoard"),
];

/** The commands for API keys. */
export const keyCommands: readonly Command[] = [
  apiCommand("keys create", "createKey", {
    secret: "key",
    done: (key) => `Created ${describeKey(key)}; it is shown only once:`,
    details:
      "Standard output gets nothing but the secret of the key. Only its hash is stored, so it can't " +
      "be shown again.",
    example: "boardcast keys create --name 'Web app' --scope boards:read --expires 90d",
  }),
  apiCommand("keys list", "listKeys", {
    cells: { hint: ({ hint }) => `${hint}…`, expiresAt: stateOf },
    details: "Newest first. Revoked and expired keys stay in the list.",
  }),
  apiCommand("keys rotate ID", "rotateKey", {
    secret: "key",
    done(key, args) {
      const overlap = args.text("overlap") ?? "0";
      const fate = overlap === "0" ? "is revoked" : `is accepted for ${overlap} at most`;
      return `The old key ${fate}. Created ${describeKey(key)}; it is shown only once:`;
    },
    details:
      "The new key has the name, scopes and lifetime of the old one. Standard output gets nothing " +
      "but its secret. A key is rotated once: after that, rotate the new one.",
    example: "boardcast keys rotate 4f92a8e1b07c3d65 --overlap 24h",
  }),
  apiCommand("keys revoke ID", "revokeKey", {
    details: "Servers that use the storage refuse the key within 1 second.",
  }),
];

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

function describeKey({ keyId, scopes, expiresAt }: JsonObject): string {
  const end = expiresAt === null ? "" : `, which expires at ${expiresAt}`;
  return `the API key ${keyId} (${joined(scopes)})${end}`;
}

function joined(words: unknown): string {
  return Array.isArray(words) ? words.join(" ") : "";
}

function stateOf({ revokedAt, expiresAt }: JsonObject): string {
  if (revokedAt !== null) return "revoked";
  if (typeof expiresAt !== "string") return "live";
  return Date.parse(expiresAt) <= Date.now() ? "expired" : `until ${formatDay(expiresAt)}`;
}
