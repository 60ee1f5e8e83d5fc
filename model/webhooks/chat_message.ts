import type { ShownEntry } from "../entries/entry.ts";
import { entryAddress } from "../public_site.ts";
import { nextTurn } from "../turns.ts";
import type { Webhook } from "./webhook.ts";
import type { WebhookMessage } from "./webhook_message.ts";

const BEFORE: Readonly<Record<string, string>> = {
  "entry.updated": "Updated: ",
  "entry.unpublished": "No longer public: ",
};
const ABOUT_PEOPLE: Readonly<Record<string, string>> = {
  "subscriber.subscribed": "Subscribed",
  "subscriber.unsubscribed": "Unsubscribed",
  "subscriber.updated": "Changed",
  "subscriber.erased": "Erased",
};

/**
 * Writes the request body for a message. The format `standard` sends the message as stored. `slack`
 * sends one `text` in the markup of Slack and similar chats, with the entry's title, linked if
 * there is a public URL, and the start of its body.
 */
export async function bodyFor(
  { format }: Pick<Webhook, "format">,
  { type, body }: Pick<WebhookMessage, "type" | "body">,
  publicUrl?: string,
): Promise<string> {
  if (format !== "slack") return body;
  const { data } = JSON.parse(body);
  return JSON.stringify({ text: await textOf(type, data, publicUrl) });
}

async function textOf(
  type: WebhookMessage["type"],
  data: unknown,
  publicUrl?: string,
): Promise<string> {
  if (type === "test") return "This is a test.";
  const about = ABOUT_PEOPLE[type];
  if (about !== undefined) {
    const { userEmail } = data as { readonly userEmail: string };
    return `${about}: ${escape(userEmail)}`;
  }
  const { entryId, title, body } = data as ShownEntry;
  const isLinked = publicUrl !== undefined && type !== "entry.unpublished";
  const name = isLinked
    ? `<${entryAddress({ publicUrl }, { entryId })}|${escape(title)}>`
    : escape(title);
  const excerpt = type === "entry.published" ? escape(await excerptFrom(body)) : "";
  return `${BEFORE[type] ?? ""}*${name}*${excerpt && `\n${excerpt}`}`;
}

async function excerptFrom(body: string): Promise<string> {
  // Imported only when a chat gets a message, which keeps each start fast.
  const { excerptOf, parseMarkdown } = await import("../entries/markdown.ts");
  // Twenty chats may get the same entry at the same time, so each rendering has its own turn.
  await nextTurn();
  return excerptOf(parseMarkdown(body));
}

/**
 * Escapes the characters that start links and mentions, so that an entry's text mentions nobody.
 */
function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
