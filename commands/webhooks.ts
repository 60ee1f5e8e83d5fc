import { WEBHOOK } from "../model/webhooks/webhook.ts";
import { WEBHOOK_MESSAGE } from "../model/webhooks/webhook_message.ts";
import { apiCommand } from "./api/api_command.ts";
import type { Command } from "./shell/command.ts";
import { type ApiOption, fieldColumns } from "./api/fields.ts";
import { option } from "./shell/options.ts";

const ENABLE: ApiOption = option("enable", "Tell it of what happens again.", { field: "enabled" });
const DISABLE: ApiOption = option("disable", "Tell it of nothing.", {
  field: "enabled",
  sends: false,
});

/** The commands for webhooks and their messages. */
export const webhookCommands: readonly Command[] = [
  apiCommand("webhooks create URL", "createWebhook", {
    summary: "Create a webhook and print its secret, once",
    fields: { url: ":URL" },
    secret: "secret",
    done: ({ webhookId }) => `Created the webhook ${webhookId}; its secret is shown only once:`,
    details:
      "URL starts with https://, and its host is public. Messages are signed with the secret.",
    example: "boardcast webhooks create https://example.com/hooks --type entry.published",
  }),
  apiCommand("webhooks get ID", "getWebhook", {
    summary: "Show a webhook, without its secret",
    example: "boardcast webhooks get k3v9x0a7m2q8d5t1 --json",
  }),
  apiCommand("webhooks list", "listWebhooks", {
    summary: "List the webhooks, without their secrets",
    listing: {
      noun: "webhooks",
      columns: fieldColumns(WEBHOOK, { enabled: ({ enabled }) => enabled ? "yes" : "no" }),
    },
    details: "FAILING is the day since when every attempt has failed.",
    example: "boardcast webhooks list",
  }),
  apiCommand("webhooks update ID", "updateWebhook", {
    summary: "Change a webhook",
    options: [ENABLE, DISABLE],
    done: ({ webhookId }) => `Updated the webhook ${webhookId}.`,
    details: "What waits for a webhook that is disabled goes on waiting, for up to 7 days.",
    example: "boardcast webhooks update k3v9x0a7m2q8d5t1 --enable",
  }),
  apiCommand("webhooks rotate ID", "rotateWebhook", {
    summary: "Replace the secret of a webhook and print the new one, once",
    secret: "secret",
    done: () => "The new secret is shown only once:",
    details: "--overlap 0s ends all replaced secrets at once; otherwise, up to three sign too.",
    example: "boardcast webhooks rotate k3v9x0a7m2q8d5t1",
  }),
  apiCommand("webhooks test ID", "testWebhook", {
    summary: "Send a message of type test to a webhook",
    done: ({ messageId }) => `Stored the message ${messageId}, which a running server sends.`,
    details: "webhooks messages shows what became of it.",
    example: "boardcast webhooks test k3v9x0a7m2q8d5t1",
  }),
  apiCommand("webhooks messages ID", "listWebhookMessages", {
    summary: "List the messages of a webhook, newest first",
    listing: {
      noun: "messages",
      columns: fieldColumns(WEBHOOK_MESSAGE, {
        lastAttempts: ({ lastAttempts }) => formatAttempt(lastAttempts),
        createdAt: ({ createdAt }) => `${createdAt}`,
      }),
    },
    details: "A message is listed for 7 days after it was delivered or has failed.",
    example: "boardcast webhooks messages k3v9x0a7m2q8d5t1",
  }),
  apiCommand("webhooks replay ID", "replayWebhookMessages", {
    summary: "Send all messages again that were not delivered since a time",
    done: ({ replayed }) => `A running server sends ${replayed} messages again.`,
    example: "boardcast webhooks replay k3v9x0a7m2q8d5t1 --since 2026-11-21T10:00:00Z",
  }),
  apiCommand("webhooks retry ID MESSAGE", "retryWebhookMessage", {
    summary: "Send a message again",
    done: ({ messageId }) => `A running server sends the message ${messageId} again.`,
    example: "boardcast webhooks retry k3v9x0a7m2q8d5t1 msg_5v1k9x0a7m2q8d5t3c6b4n8z",
  }),
  apiCommand("webhooks delete ID", "deleteWebhook", {
    summary: "Delete a webhook",
    done: (_, { positionals: [webhookId] }) => `Deleted the webhook ${webhookId}.`,
    example: "boardcast webhooks delete k3v9x0a7m2q8d5t1",
  }),
];

function formatAttempt(attempts: unknown): string {
  const last = Array.isArray(attempts) ? attempts.at(-1) : undefined;
  return `${last?.status ?? last?.error ?? "-"}`;
}
