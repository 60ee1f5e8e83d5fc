import type { Decision, Found, Item, Kind, Ref, Refs, Storage } from "../../adapters/storage.ts";
import { WEBHOOK_LISTS, WEBHOOK_MESSAGES, type WebhookList } from "../../model/kinds.ts";
import type { EventType, WebhookEvent } from "../../model/webhooks/webhook_event.ts";
import {
  createMessage,
  generateMessageId,
  type WebhookMessage,
} from "../../model/webhooks/webhook_message.ts";

/** A decision, and the events that it causes. */
export interface EventfulDecision<R extends Refs, A> extends Decision<R, A> {
  /** Of each type at most one; absent: none. */
  readonly events?: readonly WebhookEvent[] | undefined;
}

/** Which events a transaction may cause. */
export interface PossibleEvents {
  readonly types: readonly EventType[];
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
}

/**
 * Like {@linkcode Storage.transact}, and stores in the same step a message of each event for each webhook
 * that subscribes to its type.
 */
export async function transactWithEvents<R extends Refs, A>(
  storage: Storage,
  refs: R,
  decide: (found: Found<R>) => EventfulDecision<R, A>,
  { types, at }: PossibleEvents,
): Promise<A> {
  const webhooks = types.length === 0 ? [] : await listEnabled(storage);
  const messages = new Map<string, Ref<Kind<WebhookMessage>>>();
  for (const { webhookId, types: wanted } of webhooks) {
    for (const type of types.filter((type) => wanted.includes(type))) {
      const ref = { kind: WEBHOOK_MESSAGES, key: generateMessageId() };
      messages.set(`${type} ${webhookId}`, ref);
    }
  }
  if (messages.size === 0) return await storage.transact(refs, decide);
  const all: Refs = { ...refs, ...Object.fromEntries(messages) };
  return await storage.transact<Refs, A>(all, (found) => {
    const { answer, put, remove, events = [] } = decide(found as Found<R>);
    const stored = { ...put } as Record<string, Item | undefined>;
    for (const event of events) {
      for (const { webhookId } of webhooks) {
        const name = `${event.type} ${webhookId}`;
        const message = messages.get(name);
        if (message === undefined) continue;
        stored[name] = { ...createMessage({ messageId: message.key, webhookId }, event, at) };
      }
    }
    return { answer, put: stored, remove: remove?.map(String) };
  });
}

/** Returns which webhooks are told of what: all that changes of webhooks have answered is in it. */
export async function listEnabled(storage: Storage): Promise<WebhookList["enabled"]> {
  return (await storage.get(WEBHOOK_LISTS, "webhooks"))?.enabled ?? [];
}
