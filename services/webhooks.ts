import type { ListQuery, Storage } from "../adapters/storage.ts";
import { SETTINGS, WEBHOOK_MESSAGES, WEBHOOKS } from "../model/kinds.ts";
import { isId } from "../model/record_id.ts";
import { placeOf } from "../model/time.ts";
import {
  applyWebhookChange,
  createMessage,
  generateMessageId,
  MAX_WEBHOOKS,
  rotateSecret,
  scheduleMessage,
  type Webhook,
  type WebhookChange,
  type WebhookMessage,
} from "../model/webhook.ts";
import { forgetWebhooks, notifyListeners } from "./events.ts";
import { replaceRecord } from "./records.ts";

const COUNT = { kind: SETTINGS, key: "webhookCount" } as const;
// Comes after every time.
const AFTER_TIMES = "~";

export function listWebhooks(storage: Storage, query: ListQuery): Promise<readonly Webhook[]> {
  return storage.list(WEBHOOKS, query);
}

export async function getWebhook(
  storage: Storage,
  webhookId: string,
): Promise<Webhook | undefined> {
  return isId(webhookId) ? await storage.get(WEBHOOKS, webhookId) : undefined;
}

/** Stores a new webhook; returns `false`, and changes nothing, if there are as many as may be. */
export async function createWebhook(storage: Storage, webhook: Webhook): Promise<boolean> {
  const refs = { webhook: { kind: WEBHOOKS, key: webhook.webhookId }, count: COUNT };
  const isStored = await storage.transact(refs, ({ count }) => {
    if (Number(count?.value ?? 0) >= MAX_WEBHOOKS) return { answer: false };
    return { answer: true, put: { webhook, count: countOf(Number(count?.value ?? 0) + 1) } };
  });
  forgetWebhooks(storage);
  return isStored;
}

/** Changes a webhook; returns it as it is then, or `undefined` if there is none. */
export function updateWebhook(
  storage: Storage,
  webhookId: string,
  change: WebhookChange,
): Promise<Webhook | undefined> {
  return replaceWebhook(storage, webhookId, (current) => applyWebhookChange(current, change));
}

/** Gives a webhook a new secret at a time (RFC 3339, UTC, milliseconds); the old one signs too for 24 h. */
export function rotateWebhook(
  storage: Storage,
  webhookId: string,
  { secret, at }: { readonly secret: string; readonly at: string },
): Promise<Webhook | undefined> {
  return replaceWebhook(storage, webhookId, (current) => rotateSecret(current, secret, at));
}

/** Removes a webhook, to which nothing is sent from then on; returns `false` if there is none. */
export async function deleteWebhook(storage: Storage, webhookId: string): Promise<boolean> {
  if (!isId(webhookId)) return false;
  const refs = { webhook: { kind: WEBHOOKS, key: webhookId }, count: COUNT };
  const isRemoved = await storage.transact(refs, ({ webhook, count }) => {
    if (webhook === undefined) return { answer: false };
    const put = { count: countOf(Number(count?.value ?? 1) - 1) };
    return { answer: true, put, remove: ["webhook"] };
  });
  forgetWebhooks(storage);
  return isRemoved;
}

/** Stores a message of type `test`; returns it, or `undefined` if there is no such webhook. */
export async function testWebhook(
  storage: Storage,
  webhookId: string,
  at: string,
): Promise<WebhookMessage | undefined> {
  if (!isId(webhookId)) return undefined;
  const messageId = generateMessageId();
  const event = { type: "test", at, data: { webhookId } } as const;
  const message = createMessage({ messageId, webhookId }, event, at);
  const refs = {
    webhook: { kind: WEBHOOKS, key: webhookId },
    message: { kind: WEBHOOK_MESSAGES, key: messageId },
  };
  const stored = await storage.transact(refs, ({ webhook }) => {
    return webhook === undefined ? { answer: undefined } : { answer: message, put: { message } };
  });
  notifyListeners(storage);
  return stored;
}

/** Lists the messages of a webhook, newest first. */
export async function listMessages(
  storage: Storage,
  webhookId: string,
  query: Pick<ListQuery, "after" | "limit">,
): Promise<readonly WebhookMessage[]> {
  const after = query.after ?? { by: placeOf(webhookId, AFTER_TIMES), key: "" };
  const options = { index: "byWebhook", after, limit: query.limit, reverse: true };
  const messages = await storage.list(WEBHOOK_MESSAGES, options);
  return messages.filter((message) => message.webhookId === webhookId);
}

/** Has a message sent again, from a time on; returns it, or `undefined` if the webhook has none such. */
export async function retryMessage(
  storage: Storage,
  { webhookId, messageId }: Pick<WebhookMessage, "webhookId" | "messageId">,
  at: string,
): Promise<WebhookMessage | undefined> {
  if (!isId(messageId)) return undefined;
  const ref = { kind: WEBHOOK_MESSAGES, key: messageId };
  const message = await replaceRecord(
    storage,
    ref,
    (current) => current.webhookId === webhookId ? scheduleMessage(current, at) : undefined,
  );
  notifyListeners(storage);
  return message;
}

async function replaceWebhook(
  storage: Storage,
  webhookId: string,
  replace: (current: Webhook) => Webhook,
): Promise<Webhook | undefined> {
  if (!isId(webhookId)) return undefined;
  const webhook = await replaceRecord(storage, { kind: WEBHOOKS, key: webhookId }, replace);
  forgetWebhooks(storage);
  return webhook;
}

function countOf(count: number): { readonly settingId: string; readonly value: string } {
  return { settingId: COUNT.key, value: `${count}` };
}
