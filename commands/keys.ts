import { API_KEY } from "../model/keys/api_key.ts";
import { apiCommand } from "./api/api_command.ts";
import type { Command } from "./shell/command.ts";
import { creationOptions, fieldColumns } from "./api/fields.ts";
import { formatDay } from "./api/listing.ts";
import type { JsonObject } from "./api/request.ts";
import { option } from "./shell/options.ts";

/** The commands for API keys. */
export const keyCommands: readonly Command[] = [
  apiCommand({
    synopsis: "keys create",
    summary: "Create an API key and print its secret, once",
    request: "POST /keys",
    options: [
      ...creationOptions(API_KEY),
      option(
        "expires DURATION",
        "How long the key is valid: a whole number and s, m, h or d, like 12h or 90d. " +
          "[default: no limit]",
        { field: "expiresIn" },
      ),
    ],
    secret: "key",
    done: (key) => `Created ${describe(key)}; it is shown only once:`,
    details:
      "Standard output gets nothing but the secret of the key. Only its hash is stored, so it can't " +
      "be shown again.",
    example: "boardcast keys create --name 'Web app' --scope boards:read --expires 90d",
  }),
  apiCommand({
    synopsis: "keys list",
    summary: "List the API keys, without their secrets",
    request: "GET /keys",
    listing: {
      noun: "API keys",
      columns: fieldColumns(API_KEY, { hint: ({ hint }) => `${hint}…`, expiresAt: stateOf }),
    },
    details: "Newest first. Revoked and expired keys stay in the list. Dates are in UTC.",
    example: "boardcast keys list --json",
  }),
  apiCommand({
    synopsis: "keys rotate ID",
    summary: "Replace an API key and print the new secret, once",
    request: "POST /keys/:ID/rotate",
    options: [
      option(
        "overlap DURATION",
        "How long the old key is still accepted alongside the new one, like 24h.",
        { default: "0" },
      ),
    ],
    secret: "key",
    done(key, args) {
      const overlap = args.text("overlap");
      const fate = overlap === "0" ? "is revoked" : `is accepted for ${overlap} at most`;
      return `The old key ${fate}. Created ${describe(key)}; it is shown only once:`;
    },
    details:
      "The new key has the name, scopes and lifetime of the old one. Standard output gets nothing " +
      "but its secret. A key is rotated once: after that, rotate the new one.",
    example: "boardcast keys rotate 4f92a8e1b07c3d65 --overlap 24h",
  }),
  apiCommand({
    synopsis: "keys revoke ID",
    summary: "Revoke an API key",
    request: "DELETE /keys/:ID",
    done: (_, { positionals: [keyId] }) => `Revoked the API key ${keyId}.`,
    details: "Servers that use the storage refuse the key within 1 second.",
    example: "boardcast keys revoke 4f92a8e1b07c3d65",
  }),
];

function describe({ keyId, scopes, expiresAt }: JsonObject): string {
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
