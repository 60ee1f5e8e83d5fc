import type { Decision, Found, Item, Kind, Ref, Refs, Storage } from "../adapters/storage.ts";
import { WEBHOOK_MESSAGES, WEBHOOKS } from "../model/kinds.ts";
import {
  createMessage,
  type EventType,
  generateMessageId,
  MAX_WEBHOOKS,
} from "../model/webhook.ts";
import type { Webhook, WebhookEvent, WebhookMessage } from "../model/webhook.ts";

/** A decision, and what webhooks are told of it. */
export interface ToldDecision<R extends Refs, A> extends Decision<R, A> {
  /** What happened, of each type at most once; absent: nothing. */
  readonly events?: readonly WebhookEvent[] | undefined;
}

/** What may come of a transaction. */
export interface Telling {
  /** The types of what may happen. */
  readonly types: readonly EventType[];
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
}

const REMEMBERED_MS = 1_000;

interface Remembered {
  readonly atMs: number;
  readonly webhooks: Promise<readonly Webhook[]>;
  /** Whether it is known that there are none. */
  isNone: boolean;
}

interface Told<A> {
  readonly answer: A;
  readonly isTold: boolean;
}

const remembered = new WeakMap<Storage, Remembered>();
const listeners = new WeakMap<Storage, Set<() => void>>();

/**
 * Like {@linkcode Storage.transact}, and stores in the same step a message for each webhook that wants to
 * be told of what happened. Where none does, it costs nothing more. A webhook that another process
 * changed may be taken as it was 1 s before.
 */
export function transactAndTell<R extends Refs, A>(
  storage: Storage,
  refs: R,
  decide: (found: Found<R>) => ToldDecision<R, A>,
  telling: Telling,
): Promise<A> {
  const isNone = findRemembered(storage, Date.parse(telling.at))?.isNone;
  return telling.types.length === 0 || isNone
    ? storage.transact(refs, decide)
    : transactAndTellAny(storage, refs, decide, telling);
}

async function transactAndTellAny<R extends Refs, A>(
  storage: Storage,
  refs: R,
  decide: (found: Found<R>) => ToldDecision<R, A>,
  { types, at }: Telling,
): Promise<A> {
  const webhooks = await getWebhooks(storage, Date.parse(at));
  const messages = new Map<string, Ref<Kind<WebhookMessage>>>();
  for (const webhook of webhooks) {
    if (!webhook.enabled) continue;
    for (const type of types.filter((type) => webhook.types.includes(type))) {
      messages.set(`${type} ${webhook.webhookId}`, refToMessage());
    }
  }
  if (messages.size === 0) return await storage.transact(refs, decide);
  const all: Refs = { ...refs, ...Object.fromEntries(messages) };
  const { answer, isTold } = await storage.transact<Refs, Told<A>>(all, (found) => {
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
    const told = { answer, isTold: events.length > 0 };
    return { answer: told, put: stored, remove: remove?.map(String) };
  });
  if (isTold) announceMessages(storage);
  return answer;
}

/** Calls a listener when messages were stored through this object, until it is called off. */
export function onMessages(storage: Storage, listener: () => void): () => void {
  const all = listeners.get(storage) ?? new Set();
  listeners.set(storage, all.add(listener));
  return () => void all.delete(listener);
}

/** Tells listeners that there are messages to send. */
export function announceMessages(storage: Storage): void {
  for (const listener of listeners.get(storage) ?? []) listener();
}

/** Has the next change look up which webhooks there are. */
export function forgetWebhooks(storage: Storage): void {
  remembered.delete(storage);
}

/** Removes up to 100 records in one step. */
export function removeAll<T>(
  storage: Storage,
  kind: Kind<T>,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return Promise.resolve();
  const refs: Refs = Object.fromEntries(keys.map((key) => [key, { kind, key }]));
  return storage.transact(refs, () => ({ answer: undefined, remove: keys }));
}

function refToMessage(): Ref<Kind<WebhookMessage>> {
  return { kind: WEBHOOK_MESSAGES, key: generateMessageId() };
}

/** Returns all webhooks, as they were within the last second of a time (in milliseconds since 1970). */
export function getWebhooks(storage: Storage, atMs: number): Promise<readonly Webhook[]> {
  const known = findRemembered(storage, atMs);
  if (known !== undefined) return known.webhooks;
  const webhooks = storage.list(WEBHOOKS, { limit: MAX_WEBHOOKS });
  const looked: Remembered = { atMs, webhooks, isNone: false };
  remembered.set(storage, looked);
  webhooks.then(({ length }) => looked.isNone = length === 0, () => forgetWebhooks(storage));
  return webhooks;
}

function findRemembered(storage: Storage, atMs: number): Remembered | undefined {
  const known = remembered.get(storage);
  return known !== undefined && Math.abs(atMs - known.atMs) < REMEMBERED_MS ? known : undefined;
}
