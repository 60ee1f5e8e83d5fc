import type { Decision, Found, Kind, Ref, Storage } from "../../adapters/storage.ts";
import { WEBHOOK_LISTS, WEBHOOK_MESSAGES, type WebhookList, WEBHOOKS } from "../../model/kinds.ts";
import type { Scope } from "../../model/keys/api_key.ts";
import { sortKeyOf } from "../../model/values/time.ts";
import {
  applyWebhookChange,
  MAX_WEBHOOKS,
  rotateSecret,
  type Webhook,
} from "../../model/webhooks/webhook.ts";
import { scopesLackedFor } from "../../model/webhooks/webhook_event.ts";
import {
  createMessage,
  generateMessageId,
  scheduleMessage,
  type WebhookMessage,
} from "../../model/webhooks/webhook_message.ts";
import {
  type Listed,
  listMatching,
  newRecord,
  type ReadOptions,
  readPages,
  replaceRecord,
} from "../records.ts";

/** The reference to the list of all webhooks. */
export const WEBHOOK_LIST: Ref<Kind<WebhookList>> = { kind: WEBHOOK_LISTS, key: "webhooks" };

// A transaction may refer to 100 records.
const REPLAYED_AT_ONCE = 100;
// A read may end after a change that it did not see.
const READ_MARGIN_MS = 100;

/** The scopes that a caller lacks to read the events of a webhook. */
export interface LackedScopes {
  readonly lacked: readonly Scope[];
}

/** Stores a new webhook; returns `false`, and changes nothing, if the limit is reached. */
export function createWebhook(storage: Storage, webhook: Webhook): Promise<boolean> {
  return transactListed<boolean>(storage, webhook.webhookId, ({ list }) => {
    const count = (list?.count ?? 0) + 1;
    if (count > MAX_WEBHOOKS) return { answer: false };
    return { answer: true, put: { webhook, list: { ...listWebhook(list, webhook), count } } };
  });
}

/**
 * Changes a webhook. Returns the changed webhook, `undefined` if there is none, or the scopes that
 * the caller lacks to read the events that it gets or would get.
 */
export function updateWebhook(
  storage: Storage,
  webhookId: string,
  { change, at, scopes }: {
    readonly change: Partial<Webhook>;
    readonly at: string;
    readonly scopes: readonly Scope[];
  },
): Promise<Webhook | LackedScopes | undefined> {
  return transactListed<Webhook | LackedScopes | undefined>(
    storage,
    webhookId,
    ({ webhook: current, list }) => {
      if (current === undefined) return { answer: undefined };
      const types = [...current.types, ...change.types ?? []];
      const lacked = scopesLackedFor(types, scopes);
      if (lacked.length > 0) return { answer: { lacked } };
      const webhook = applyWebhookChange(current, change, at);
      const isListed = webhook.enabled !== current.enabled || webhook.types !== current.types;
      return {
        answer: webhook,
        put: { webhook, list: isListed ? listWebhook(list, webhook) : undefined },
      };
    },
  );
}

/**
 * Gives a webhook a new secret; the old one signs too for a while. Returns `undefined` if there is
 * no such webhook, or the scopes that the caller lacks to read the events that it gets.
 */
export function rotateWebhook(
  storage: Storage,
  webhookId: string,
  { secret, scopes, ...rotation }: {
    readonly secret: string;
    /** When (RFC 3339, UTC, milliseconds). */
    readonly at: string;
    readonly overlapMs: number;
    readonly scopes: readonly Scope[];
  },
): Promise<Webhook | LackedScopes | undefined> {
  const refs = { webhook: { kind: WEBHOOKS, key: webhookId } };
  return storage.transact<typeof refs, Webhook | LackedScopes | undefined>(
    refs,
    ({ webhook: current }) => {
      if (current === undefined) return { answer: undefined };
      const lacked = scopesLackedFor(current.types, scopes);
      if (lacked.length > 0) return { answer: { lacked } };
      const webhook = rotateSecret(current, secret, rotation);
      return { answer: webhook, put: { webhook } };
    },
  );
}

/**
 * Removes a webhook; nothing is sent to it afterwards. Returns `false` if there is none, or
 * the scopes that the caller lacks to read the events that it gets.
 */
export function deleteWebhook(
  storage: Storage,
  webhookId: string,
  { scopes }: { readonly scopes: readonly Scope[] },
): Promise<boolean | LackedScopes> {
  return transactListed<boolean | LackedScopes>(storage, webhookId, ({ webhook, list }) => {
    if (webhook === undefined) return { answer: false };
    const lacked = scopesLackedFor(webhook.types, scopes);
    if (lacked.length > 0) return { answer: { lacked } };
    const count = (list?.count ?? 1) - 1;
    const next = { ...listWebhook(list, { ...webhook, enabled: false }), count };
    return { answer: true, put: { list: next }, remove: ["webhook"] };
  });
}

/** Returns the list with a webhook's current state. */
export function listWebhook(
  { listId = WEBHOOK_LIST.key, count = 0, enabled = [] }: Partial<WebhookList> = {},
  { webhookId, types, enabled: isEnabled }: Webhook,
): WebhookList {
  const others = enabled.filter((other) => other.webhookId !== webhookId);
  return { listId, count, enabled: isEnabled ? [...others, { webhookId, types }] : others };
}

type ListedRefs = {
  readonly webhook: Ref<Kind<Webhook>>;
  readonly list: Ref<Kind<WebhookList>>;
};

/**
 * Changes a webhook. If that changes the list of webhooks, waits until no process uses the old
 * list. An acknowledged change thus applies to all later changes, in every process, without slowing
 * them.
 */
async function transactListed<A>(
  storage: Storage,
  webhookId: string,
  decide: (found: Found<ListedRefs>) => Decision<ListedRefs, A>,
): Promise<A> {
  const refs = { webhook: { kind: WEBHOOKS, key: webhookId }, list: WEBHOOK_LIST };
  let isListed = false;
  const result = await storage.transact<ListedRefs, A>(refs, (found) => {
    const decision = decide(found);
    isListed = decision.put?.list !== undefined;
    return decision;
  });
  if (isListed && !storage.isExclusive) {
    const delayMs = (WEBHOOK_LISTS.staleMs ?? 0) + READ_MARGIN_MS;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
  return result;
}

/**
 * Stores a message of type `test`. Returns the message, or the reason for having none: the webhook
 * does not exist or is disabled.
 */
export function testWebhook(
  storage: Storage,
  webhookId: string,
  at: string,
): Promise<WebhookMessage | "not_found" | "disabled"> {
  const messageId = generateMessageId();
  const event = { type: "test", at, data: { webhookId } } as const;
  const message = createMessage({ messageId, webhookId }, event, at);
  const refs = { webhook: { kind: WEBHOOKS, key: webhookId } };
  return storage.transact<typeof refs, WebhookMessage | "not_found" | "disabled">(
    refs,
    ({ webhook }) => {
      if (webhook === undefined) return { answer: "not_found" };
      if (!webhook.enabled) return { answer: "disabled" };
      return { answer: message, create: [newRecord(WEBHOOK_MESSAGES, message)] };
    },
  );
}

/** Selects the messages of a webhook. */
export interface MessageQuery extends Pick<ReadOptions, "after" | "limit" | "isGone"> {
  readonly state?: WebhookMessage["state"] | undefined;
  readonly type?: WebhookMessage["type"] | undefined;
}

/** Lists the messages of a webhook, newest first. */
export function listMessages(
  storage: Storage,
  webhookId: string,
  { state, type, ...query }: MessageQuery,
): Promise<Listed<WebhookMessage>> {
  const within = sortKeyOf(webhookId, "");
  const options = { ...query, index: "byWebhook", within, reverse: true };
  return listMatching(storage, WEBHOOK_MESSAGES, options, {
    matches: (message) =>
      (state ?? message.state) === message.state && (type ?? message.type) === message.type,
  });
}

/**
 * Schedules the undelivered messages that a webhook got since a time for another attempt. Returns
 * their number, or `undefined` if there is no such webhook.
 */
export async function replayMessages(
  storage: Storage,
  webhookId: string,
  { since, at, mayGoOn }: {
    readonly since: string;
    readonly at: string;
    /** Tells whether to go on; called before each page. */
    readonly mayGoOn: () => Promise<boolean>;
  },
): Promise<number | undefined> {
  if (await storage.get(WEBHOOKS, webhookId) === undefined) return undefined;
  const query = {
    index: "byWebhook",
    within: sortKeyOf(webhookId, ""),
    after: { by: sortKeyOf(webhookId, since), key: "" },
    limit: REPLAYED_AT_ONCE,
  };
  let count = 0;
  const selection = { matches: isUndelivered };
  for await (const page of readPages(storage, WEBHOOK_MESSAGES, query, selection)) {
    if (!await mayGoOn()) break;
    const keys = page.map(({ messageId }) => messageId);
    const refs = Object.fromEntries(keys.map((key) => [key, { kind: WEBHOOK_MESSAGES, key }]));
    count += await storage.transact(refs, (found) => {
      const open = Object.entries(found).filter(([, message]) => message && isUndelivered(message));
      const put = open.map(([key, message]) => [key, scheduleMessage(message!, at)] as const);
      return { answer: put.length, put: Object.fromEntries(put) };
    });
  }
  return count;
}

function isUndelivered({ state }: WebhookMessage): boolean {
  return state !== "delivered";
}

/**
 * Schedules a message for another attempt at a time; returns it, or `undefined` if the webhook has
 * no such message.
 */
export function retryMessage(
  storage: Storage,
  { webhookId, messageId }: Pick<WebhookMessage, "webhookId" | "messageId">,
  at: string,
): Promise<WebhookMessage | undefined> {
  const ref = { kind: WEBHOOK_MESSAGES, key: messageId };
  return replaceRecord(
    storage,
    ref,
    (current) => current.webhookId === webhookId ? scheduleMessage(current, at) : undefined,
  );
}
