import { apiCommand } from "./api/api_command.ts";
import type { Command } from "./shell/command.ts";
import type { ApiOption } from "./api/fields.ts";
import { option } from "./shell/options.ts";

const ENABLE: ApiOption = option("enable", "Tell it of what happens again.", { field: "enabled" });
const DISABLE: ApiOption = option("disable", "Tell it of nothing.", {
  field: "enabled",
  sends: false,
});

/** The commands for webhooks and their messages. */
export const webhookCommands: readonly Command[] = [
  apiCommand("webhooks create URL", "createWebhook", {
    secret: "secret",
    done: ({ webhookId }) => `Created the webhook ${webhookId}; its secret is shown only once:`,
    details:
      "URL starts with https://, and its host is public. Messages are signed with the secret.",
    example: "boardcast webhooks create https://example.com/hooks --type entry.published",
  }),
  apiCommand("webhooks get ID", "getWebhook"),
  apiCommand("webhooks list", "listWebhooks", {
    cells: { enabled: ({ enabled }) => enabled ? "yes" : "no" },
    details: "FAILING is the day since when every attempt has failed.",
  }),
  apiCommand("webhooks update ID", "updateWebhook", {
    options: [ENABLE, DISABLE],
    details: "What waits for a webhook that is disabled goes on waiting, for up to 7 days.",
    example: "boardcast webhooks update k3v9x0a7m2q8d5t1 --enable",
  }),
  apiCommand("webhooks rotate ID", "rotateWebhook", {
    summary: "Replace the secret of a webhook and print the new one, once",
    secret: "secret",
    done: () => "The new secret is shown only once:",
    details: "--overlap 0s ends all replaced secrets at once; otherwise, up to three sign too.",
  }),
  apiCommand("webhooks test ID", "testWebhook", {
    done: ({ messageId }) => `Stored the message ${messageId}, which a running server sends.`,
    details: "webhooks messages shows what became of it.",
  }),
  apiCommand("webhooks messages ID", "listWebhookMessages", {
    cells: {
      lastAttempts: ({ lastAttempts }) => formatAttempt(lastAttempts),
      createdAt: ({ createdAt }) => `${createdAt}`,
    },
    details: "Newest first. A message is listed for 7 days after it was delivered or has failed.",
  }),
  apiCommand("webhooks replay ID", "replayWebhookMessages", {
    summary: "Send all messages again that were not delivered since a time",
    done: ({ replayed }) => `A running server sends ${replayed} messages again.`,
  }),
  apiCommand("webhooks retry ID MESSAGE", "retryWebhookMessage", {
    done: ({ messageId }) => `A running server sends the message ${messageId} again.`,
  }),
  apiCommand("webhooks delete ID", "deleteWebhook"),
];

function formatAttempt(attempts: unknown): string {
  const last = Array.isArray(attempts) ? attempts.at(-1) : undefined;
  return `${last?.status ?? last?.error ?? "-"}`;
}
