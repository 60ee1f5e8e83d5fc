import type { Storage } from "../adapters/storage.ts";
import { secretsAt, type Webhook, type WebhookMessage } from "../model/webhook.ts";
import { signWebhook } from "../model/webhook_signature.ts";
import { announceEntry, listUnannounced } from "../services/entries.ts";
import { getWebhooks } from "../services/events.ts";
import {
  type FencedTransact,
  getDue,
  listDue,
  removeExpired,
  saveAttempt,
} from "../services/webhook_queue.ts";
import type { WebhookPoster } from "./post_webhook.ts";

/** What a sender works with. */
export interface WebhookSenderOptions {
  /** Where the messages are. */
  readonly storage: Storage;
  /** Changes storage as long as the lease is held. */
  readonly transact: FencedTransact;
  /** What posts messages. */
  readonly poster: WebhookPoster;
  /** The time, in milliseconds since 1970. */
  readonly clock: () => number;
  /** Returns a number from 0 to 1, by which pauses vary. */
  readonly random: () => number;
  /** Aborted when the sender is to stop. */
  readonly signal: AbortSignal;
}

/** Sends messages to webhooks, while it holds the lease. */
export interface WebhookSender {
  /**
   * Looks for messages that have become due; the attempts go on after it resolves, one following the
   * other while more are due. Rejects if storage fails; then it can be called again.
   */
  look(): Promise<void>;
  /** Resolves when no attempt is in flight. */
  settle(): Promise<void>;
}

/** The messages of one webhook. */
interface Queue {
  due: WebhookMessage[];
  mayHaveMore: boolean;
  inFlight: number;
}

const MAX_IN_FLIGHT = 16;
const MAX_PER_WEBHOOK = 2;
const MAX_ANNOUNCED = 100;
const PRUNE_MS = 60_000;

/** Creates what sends messages, 16 at a time and 2 to each webhook, so that none holds up another. */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { storage, transact, poster, clock, random, signal } = options;
  const queues = new Map<string, Queue>();
  const inFlight = new Map<string, Promise<void>>();
  // What attempts came to that storage has not taken yet.
  const unsaved = new Map<string, () => Promise<void>>();
  let prunedMs = -Infinity;
  let filling: Promise<void> | undefined;
  let isStale = false;
  let firstIndex = 0;

  function now(): string {
    return new Date(clock()).toISOString();
  }

  function queueOf({ webhookId }: Webhook): Queue {
    let queue = queues.get(webhookId);
    if (queue === undefined) {
      queues.set(webhookId, queue = { due: [], mayHaveMore: true, inFlight: 0 });
    }
    return queue;
  }

  /** Takes the next message of a webhook that has one due and may be sent one. */
  async function take(webhook: Webhook): Promise<WebhookMessage | undefined> {
    const queue = queueOf(webhook);
    if (queue.inFlight >= MAX_PER_WEBHOOK) return undefined;
    if (queue.due.length === 0 && queue.mayHaveMore) {
      const due = await listDue(storage, webhook.webhookId, now());
      queue.due = due.filter(({ messageId: id }) => !inFlight.has(id) && !unsaved.has(id));
      queue.mayHaveMore = queue.due.length > 0;
    }
    return queue.due.shift();
  }

  /** Starts attempts until no more may be in flight, or no more messages are due. */
  async function fill(): Promise<void> {
    const webhooks = (await getWebhooks(storage, clock())).filter(({ enabled }) => enabled);
    // Each time another comes first, so that the last ones get their turn beside many slow ones.
    firstIndex++;
    for (let idle = 0, at = firstIndex; idle < webhooks.length; at++) {
      if (inFlight.size >= MAX_IN_FLIGHT || signal.aborted) return;
      const webhook = webhooks[at % webhooks.length];
      const message = await take(webhook);
      if (message === undefined) idle++;
      else {
        idle = 0;
        start(webhook, message);
      }
    }
  }

  /** Fills once more if a fill is under way already, which may have passed over what is free now. */
  function refill(): Promise<void> {
    isStale = true;
    filling ??= fillUntilFresh();
    return filling;
  }

  async function fillUntilFresh(): Promise<void> {
    try {
      while (isStale) {
        isStale = false;
        await fill();
      }
    } finally {
      filling = undefined;
    }
  }

  function start(webhook: Webhook, { messageId }: WebhookMessage): void {
    const queue = queueOf(webhook);
    queue.inFlight++;
    const attempt = send(webhook, messageId).finally(() => {
      queue.inFlight--;
      inFlight.delete(messageId);
    }).then(refill).catch(() => {
      // Storage failed; the next look tells.
    });
    inFlight.set(messageId, attempt);
  }

  async function send(webhook: Webhook, messageId: string): Promise<void> {
    const message = await getDue(storage, messageId, now());
    if (message === undefined) return;
    const outcome = await post(webhook, message);
    // To be cut off is no failure of the endpoint.
    if ("problem" in outcome && signal.aborted) return;
    const ended = { at: now(), outcome, chance: random() };
    unsaved.set(messageId, () => saveAttempt(storage, transact, message, ended));
    await save(messageId);
  }

  async function post(webhook: Webhook, message: WebhookMessage) {
    const id = message.messageId;
    const body = new TextEncoder().encode(message.body);
    const timestampSeconds = Math.floor(clock() / 1_000);
    const signed = { id, timestampSeconds, body };
    return await poster.post(webhook.url, {
      "content-type": "application/json",
      "user-agent": "boardcast",
      "webhook-id": id,
      "webhook-timestamp": `${timestampSeconds}`,
      "webhook-signature": await signWebhook(secretsAt(webhook, now()), signed),
    }, body);
  }

  async function save(messageId: string): Promise<void> {
    await unsaved.get(messageId)?.();
    unsaved.delete(messageId);
  }

  /** Tells of scheduled entries that have become public. */
  async function announce(): Promise<void> {
    const at = now();
    for (const { entryId, announceAt } of await listUnannounced(storage, MAX_ANNOUNCED)) {
      if (announceAt === null || announceAt > at) return;
      await announceEntry(storage, entryId, at);
    }
  }

  return {
    async look() {
      // A message that was sent is not sent again because storage failed; nor is any other till then.
      for (const messageId of unsaved.keys()) await save(messageId);
      await announce();
      if (clock() - prunedMs >= PRUNE_MS) {
        await removeExpired(storage, transact, now());
        prunedMs = clock();
      }
      for (const queue of queues.values()) queue.mayHaveMore = true;
      await refill();
    },
    async settle() {
      while (inFlight.size > 0) await Promise.all(inFlight.values());
    },
  };
}
