import type { Decision, Found, Item, Kind, Ref, Refs, Storage } from "../adapters/storage.ts";
import { WEBHOOK_MESSAGES, WEBHOOKS } from "../model/kinds.ts";
import {
  createMessage,
  type EventType,
  generateMessageId,
  MAX_WEBHOOKS,
  type Webhook,
  type WebhookEvent,
  type WebhookMessage,
} from "../model/webhook.ts";
import { versioned } from "./versioned.ts";

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

const CACHED_MS = 1_000;

interface CachedWebhooks {
  readonly atMs: number;
  readonly webhooks: Promise<readonly Webhook[]>;
  /** Whether it is known that there are none. */
  isNone: boolean;
}

const cache = new WeakMap<Storage, CachedWebhooks>();
const listeners = new WeakMap<Storage, Set<() => void>>();

/**
 * Like {@linkcode Storage.transact}, and stores in the same step a message of each event for each webhook
 * that subscribes to its type. Where none does, it costs nothing more. A webhook that another process
 * changed may be taken as it was 1 s before.
 */
export function transactWithEvents<R extends Refs, A>(
  storage: Storage,
  refs: R,
  decide: (found: Found<R>) => EventfulDecision<R, A>,
  possible: PossibleEvents,
): Promise<A> {
  const isNone = findCached(storage, Date.parse(possible.at))?.isNone;
  return possible.types.length === 0 || isNone
    ? storage.transact(refs, decide)
    : transactWithMessages(storage, refs, decide, possible);
}

async function transactWithMessages<R extends Refs, A>(
  storage: Storage,
  refs: R,
  decide: (found: Found<R>) => EventfulDecision<R, A>,
  { types, at }: PossibleEvents,
): Promise<A> {
  const webhooks = await getWebhooks(storage, Date.parse(at));
  const messages = new Map<string, Ref<Kind<WebhookMessage>>>();
  for (const webhook of webhooks) {
    if (!webhook.enabled) continue;
    for (const type of types.filter((type) => webhook.types.includes(type))) {
      const ref = { kind: WEBHOOK_MESSAGES, key: generateMessageId() };
      messages.set(`${type} ${webhook.webhookId}`, ref);
    }
  }
  if (messages.size === 0) return await storage.transact(refs, decide);
  const all: Refs = { ...refs, ...Object.fromEntries(messages) };
  type Answer = { readonly answer: A; readonly hasEvents: boolean };
  const outcome = await storage.transact<Refs, Answer>(all, (found) => {
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
    const hasEvents = events.length > 0;
    return { answer: { answer, hasEvents }, put: stored, remove: remove?.map(String) };
  });
  if (outcome.hasEvents) notifyListeners(storage);
  return outcome.answer;
}

/**
 * Calls a listener whenever messages were stored through this object; returns a function that ends
 * this.
 */
export function onMessages(storage: Storage, listener: () => void): () => void {
  const all = listeners.get(versioned(storage)) ?? new Set();
  listeners.set(versioned(storage), all.add(listener));
  return () => void all.delete(listener);
}

/** Tells listeners that there are messages to send. */
export function notifyListeners(storage: Storage): void {
  for (const listener of listeners.get(versioned(storage)) ?? []) listener();
}

/** Returns all webhooks, as they were within the last second of a time (in milliseconds since 1970). */
export function getWebhooks(storage: Storage, atMs: number): Promise<readonly Webhook[]> {
  const known = findCached(storage, atMs);
  if (known !== undefined) return known.webhooks;
  const webhooks = storage.list(WEBHOOKS, { limit: MAX_WEBHOOKS });
  const loaded: CachedWebhooks = { atMs, webhooks, isNone: false };
  cache.set(versioned(storage), loaded);
  webhooks.then(({ length }) => loaded.isNone = length === 0, () => forgetWebhooks(storage));
  return webhooks;
}

/** Has the next change read again which webhooks there are. */
export function forgetWebhooks(storage: Storage): void {
  cache.delete(versioned(storage));
}

function findCached(storage: Storage, atMs: number): CachedWebhooks | undefined {
  const known = cache.get(versioned(storage));
  return known !== undefined && Math.abs(atMs - known.atMs) < CACHED_MS ? known : undefined;
}
