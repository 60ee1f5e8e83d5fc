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
 * Writes what a webhook is sent of a message: as it is stored, or as the incoming webhook of a chat takes
 * it, one `text` in the marks that Slack and those like it know. An entry is its title, which is a link
 * where there is a public URL, and how it begins.
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
  // Loaded when a chat is told, and not at each start.
  const { excerptOf, parseMarkdown } = await import("../entries/markdown.ts");
  // Twenty chats may be told of one entry at once.
  await nextTurn();
  return excerptOf(parseMarkdown(body));
}

/** Escapes what starts a link or a mention: nobody is called by what stands in an entry. */
function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
