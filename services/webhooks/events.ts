import type { Decision, Found, Item, Kind, Ref, Refs, Storage } from "../../adapters/storage.ts";
import { WEBHOOK_MESSAGES, type WebhookList } from "../../model/kinds.ts";
import type { EventType, WebhookEvent } from "../../model/webhooks/webhook_event.ts";
import {
  createMessage,
  generateMessageId,
  type WebhookMessage,
} from "../../model/webhooks/webhook_message.ts";
import { type ReadList, readWebhookList } from "../store.ts";

/** A decision, and the events that it causes. */
export interface EventfulDecision<R extends Refs, A> extends Decision<R, A> {
  /** Of each type at most one, or what makes them where a webhook is told of them; absent: none. */
  readonly events?: readonly WebhookEvent[] | (() => readonly WebhookEvent[]) | undefined;
}

/**
 * Like {@linkcode Storage.transact}, and stores in the same step a message of each event for each webhook
 * that subscribes to its type.
 */
export function transactWithEvents<R extends Refs, A>(
  storage: Storage,
  refs: R,
  decide: (found: Found<R>) => EventfulDecision<R, A>,
  { types, at }: {
    /** Which events it may cause. */
    readonly types: readonly EventType[];
    /** When (RFC 3339, UTC, milliseconds). */
    readonly at: string;
  },
): Promise<A> {
  function transact(webhooks: WebhookList["enabled"]): Promise<A> {
    const messages = new Map<string, Ref<Kind<WebhookMessage>>>();
    for (const { webhookId, types: wanted } of webhooks) {
      for (const type of types.filter((type) => wanted.includes(type))) {
        const ref = { kind: WEBHOOK_MESSAGES, key: generateMessageId() };
        messages.set(`${type} ${webhookId}`, ref);
      }
    }
    if (messages.size === 0) return storage.transact(refs, decide);
    const all: Refs = { ...refs, ...Object.fromEntries(messages) };
    return storage.transact<Refs, A>(all, (found) => {
      const { answer, put, remove, events = [] } = decide(found as Found<R>);
      const stored = { ...put } as Record<string, Item | undefined>;
      for (const event of typeof events === "function" ? events() : events) {
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

  const webhooks = listEnabled(storage);
  return webhooks instanceof Promise ? webhooks.then(transact) : transact(webhooks);
}

/**
 * Returns which webhooks are told of what: all that changes of webhooks have answered is in it. At once,
 * where this process alone uses the storage and has read it before.
 */
export function listEnabled(
  storage: Storage,
): WebhookList["enabled"] | Promise<WebhookList["enabled"]> {
  const found = readWebhookList(storage);
  return found instanceof Promise ? found.then(enabledOf) : enabledOf(found);
}

function enabledOf({ list }: ReadList): WebhookList["enabled"] {
  return list?.enabled ?? [];
}
