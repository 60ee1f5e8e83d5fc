import type { Storage } from "../../adapters/storage.ts";
import { BOARDS, POSTS } from "../../model/kinds.ts";
import { type ChatPost, chatTextFor, isAboutPost } from "../../model/webhooks/chat_message.ts";
import type { Webhook } from "../../model/webhooks/webhook.ts";
import type { WebhookMessage } from "../../model/webhooks/webhook_message.ts";

/**
 * Writes the request body for a message. The format `standard` sends the message as stored; `slack`
 * sends one `text`.
 */
export async function requestBodyFor(
  storage: Storage,
  { format, type, body }: Pick<Webhook, "format"> & Pick<WebhookMessage, "type" | "body">,
  publicUrl?: string,
): Promise<string> {
  if (format !== "slack") return body;
  const about = isAboutPost(type) ? await readChatPost(storage, body) : undefined;
  return JSON.stringify({ text: await chatTextFor({ type, body }, { publicUrl, about }) });
}

async function readChatPost(storage: Storage, body: string): Promise<ChatPost> {
  const { data: { boardId, postId, mergedInto } } = JSON.parse(body);
  const [board, post, target] = await Promise.all([
    storage.get(BOARDS, boardId),
    storage.get(POSTS, postId),
    mergedInto ? storage.get(POSTS, mergedInto) : undefined,
  ]);
  return { board, post: post?.boardId === boardId ? post : undefined, target };
}
