import { WEBHOOK } from "../model/webhooks/webhook.ts";
import { EVENT_TYPES } from "../model/webhooks/webhook_event.ts";
import { MESSAGE_STATES, WEBHOOK_MESSAGE } from "../model/webhooks/webhook_message.ts";
import { apiCommand, type ApiOption } from "./api/api_command.ts";
import type { Command } from "./shell/command.ts";
import { changeOptions, creationOptions, fieldColumns } from "./api/fields.ts";
import { option } from "./shell/options.ts";

const ENABLE: ApiOption = option("enable", "Tell it of what happens again.", { field: "enabled" });
const DISABLE: ApiOption = option("disable", "Tell it of nothing.", {
  field: "enabled",
  sends: false,
});

/** The commands for webhooks and their messages. */
export const webhookCommands: readonly Command[] = [
  apiCommand({
    synopsis: "webhooks create URL",
    summary: "Create a webhook and print its secret, once",
    request: "POST /webhooks",
    fields: { url: ":URL" },
    options: creationOptions(WEBHOOK, { except: ["url", "enabled"] }),
    secret: "secret",
    done: ({ webhookId }) => `Created the webhook ${webhookId}; its secret is shown only once:`,
    details:
      "URL starts with https://, and its host is public. Messages are signed with the secret.",
    example: "boardcast webhooks create https://example.com/hooks --type entry.published",
  }),
  apiCommand({
    synopsis: "webhooks get ID",
    summary: "Show a webhook, without its secret",
    request: "GET /webhooks/:ID",
    example: "boardcast webhooks get k3v9x0a7m2q8d5t1 --json",
  }),
  apiCommand({
    synopsis: "webhooks list",
    summary: "List the webhooks, without their secrets",
    request: "GET /webhooks",
    listing: {
      noun: "webhooks",
      columns: fieldColumns(WEBHOOK, { enabled: ({ enabled }) => enabled ? "yes" : "no" }),
    },
    details: "FAILING is the day since when every attempt has failed.",
    example: "boardcast webhooks list",
  }),
  apiCommand({
    synopsis: "webhooks update ID",
    summary: "Change a webhook",
    request: "PATCH /webhooks/:ID",
    options: [...changeOptions(WEBHOOK, { except: ["enabled", "format"] }), ENABLE, DISABLE],
    done: ({ webhookId }) => `Updated the webhook ${webhookId}.`,
    details: "What waits for a webhook that is disabled goes on waiting, for up to 7 days.",
    example: "boardcast webhooks update k3v9x0a7m2q8d5t1 --enable",
  }),
  apiCommand({
    synopsis: "webhooks rotate ID",
    summary: "Replace the secret of a webhook and print the new one, once",
    request: "POST /webhooks/:ID/rotate",
    options: [option("overlap DURATION", "How long the old secret signs too. [default: 24h]")],
    secret: "secret",
    done: () => "The new secret is shown only once:",
    details: "--overlap 0s ends all replaced secrets at once; otherwise, up to three sign too.",
    example: "boardcast webhooks rotate k3v9x0a7m2q8d5t1",
  }),
  apiCommand({
    synopsis: "webhooks test ID",
    summary: "Send a message of type test to a webhook",
    request: "POST /webhooks/:ID/test",
    done: ({ messageId }) => `Stored the message ${messageId}, which a running server sends.`,
    details: "webhooks messages shows what became of it.",
    example: "boardcast webhooks test k3v9x0a7m2q8d5t1",
  }),
  apiCommand({
    synopsis: "webhooks messages ID",
    summary: "List the messages of a webhook, newest first",
    request: "GET /webhooks/:ID/messages",
    listing: {
      noun: "messages",
      columns: fieldColumns(WEBHOOK_MESSAGE, {
        lastAttempts: ({ lastAttempts }) => formatAttempt(lastAttempts),
        createdAt: ({ createdAt }) => `${createdAt}`,
      }),
    },
    options: [
      option("state STATE", `Only those in this state: ${MESSAGE_STATES.join(", ")}.`, {
        choices: MESSAGE_STATES,
      }),
      option("type TYPE", "Only those of this type.", { choices: [...EVENT_TYPES, "test"] }),
    ],
    details: "A message is listed for 7 days after it was delivered or has failed.",
    example: "boardcast webhooks messages k3v9x0a7m2q8d5t1",
  }),
  apiCommand({
    synopsis: "webhooks replay ID",
    summary: "Send all messages again that were not delivered since a time",
    request: "POST /webhooks/:ID/replay",
    options: [option("since TIME", "From when on, like 2026-11-21T10:00:00Z.", { required: true })],
    done: ({ replayed }) => `A running server sends ${replayed} messages again.`,
    example: "boardcast webhooks replay k3v9x0a7m2q8d5t1 --since 2026-11-21T10:00:00Z",
  }),
  apiCommand({
    synopsis: "webhooks retry ID MESSAGE",
    summary: "Send a message again",
    request: "POST /webhooks/:ID/messages/:MESSAGE/retry",
    done: ({ messageId }) => `A running server sends the message ${messageId} again.`,
    example: "boardcast webhooks retry k3v9x0a7m2q8d5t1 msg_5v1k9x0a7m2q8d5t3c6b4n8z",
  }),
  apiCommand({
    synopsis: "webhooks delete ID",
    summary: "Delete a webhook",
    request: "DELETE /webhooks/:ID",
    done: (_, { positionals: [webhookId] }) => `Deleted the webhook ${webhookId}.`,
    example: "boardcast webhooks delete k3v9x0a7m2q8d5t1",
  }),
];

function formatAttempt(attempts: unknown): string {
  const last = Array.isArray(attempts) ? attempts.at(-1) : undefined;
  return `${last?.status ?? last?.error ?? "-"}`;
}
