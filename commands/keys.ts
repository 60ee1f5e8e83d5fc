import { apiCommand } from "./api/api_command.ts";
import type { Command } from "./shell/command.ts";
import { formatDay } from "./api/listing.ts";
import type { JsonObject } from "./api/request.ts";

/** The commands for API keys. */
export const keyCommands: readonly Command[] = [
  apiCommand("keys create", "createKey", {
    secret: "key",
    done: (key) => `Created ${describe(key)}; it is shown only once:`,
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
      return `The old key ${fate}. Created ${describe(key)}; it is shown only once:`;
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
