import type { Storage } from "../adapters/storage.ts";
import { secretsAt, type Webhook, type WebhookMessage } from "../model/webhook.ts";
import type { WebhookOutcome } from "../model/webhook_retry.ts";
import { signWebhook } from "../model/webhook_signature.ts";
import { getDue, listDue, listEnabled, saveAttempt } from "../services/webhook_queue.ts";
import type { Clock, Turn } from "./loop.ts";
import type { WebhookPoster } from "./post_webhook.ts";

/** What messages are sent with. */
export interface WebhookTools {
  readonly storage: Storage;
  readonly poster: WebhookPoster;
  readonly clock: Clock;
  /** Returns a number from 0 to 1: the jitter of a retry. */
  readonly random: () => number;
}

/** Sends messages to webhooks in one turn. */
export interface WebhookSender {
  /** Starts to send what is due; each attempt that ends makes room for the next. */
  send(): Promise<void>;
  /** Resolves when no attempt is in flight; rejects if storage has failed. */
  drain(): Promise<void>;
}

/** The messages of one webhook. */
interface Queue {
  due: readonly WebhookMessage[];
  mayHaveMore: boolean;
  inFlight: number;
}

const MAX_IN_FLIGHT = 16;
const MAX_PER_WEBHOOK = 2;
const MAX_LISTED = 100;

/** Creates what sends messages, 16 at a time and 2 to each webhook, so that none holds up another. */
export function createWebhookSender(
  { storage, poster, clock, random }: WebhookTools,
  turn: Turn,
): WebhookSender {
  const queues = new Map<string, Queue>();
  const inFlight = new Map<string, Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  let filling: Promise<void> | undefined;
  let isStale = false;
  let firstAt = 0;

  const now = () => new Date(clock.now()).toISOString();

  function queueOf({ webhookId }: Webhook): Queue {
    const queue = queues.get(webhookId) ?? { due: [], mayHaveMore: true, inFlight: 0 };
    queues.set(webhookId, queue);
    return queue;
  }

  /** Takes the next message of a webhook that may be sent one now. */
  async function take(webhook: Webhook): Promise<WebhookMessage | undefined> {
    const queue = queueOf(webhook);
    if (queue.inFlight >= MAX_PER_WEBHOOK) return undefined;
    if (queue.due.length === 0 && queue.mayHaveMore) {
      queue.mayHaveMore = false;
      const options = { now: now(), limit: MAX_LISTED };
      const found = await listDue(storage, webhook.webhookId, options);
      queue.due = found.filter(({ messageId }) => !inFlight.has(messageId));
      queue.mayHaveMore ||= queue.due.length > 0;
    }
    const [message, ...rest] = queue.due;
    queue.due = rest;
    return message;
  }

  /** Starts attempts until no more may be in flight, or no more messages are due. */
  async function fill(): Promise<void> {
    const webhooks = await listEnabled(storage, now());
    // Each time another webhook comes first, so that many slow ones leave room for the last.
    firstAt++;
    for (let at = firstAt, idle = 0; idle < webhooks.length; at++) {
      if (inFlight.size >= MAX_IN_FLIGHT || failure !== undefined || !turn.isOn()) return;
      const webhook = webhooks[at % webhooks.length];
      const message = await take(webhook);
      idle = message === undefined ? idle + 1 : 0;
      if (message !== undefined) start(webhook, message);
    }
  }

  /** Fills once more if that is under way already: it may have passed over a webhook that is free now. */
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
    queueOf(webhook).inFlight++;
    const attempt = tryOnce(webhook, messageId)
      .finally(() => inFlight.delete(messageId))
      .then(refill)
      .catch(fail);
    inFlight.set(messageId, attempt);
  }

  function fail(error: unknown): void {
    failure ??= { error };
  }

  async function tryOnce(webhook: Webhook, messageId: string): Promise<void> {
    const sent = await sendOnce(webhook, messageId).finally(() => queueOf(webhook).inFlight--);
    // An attempt that this process cut off is no failure of the endpoint.
    if (sent === undefined || ("problem" in sent.outcome && turn.signal.aborted)) return;
    // The next message need not wait until the outcome is stored.
    refill().catch(fail);
    const ended = { at: now(), outcome: sent.outcome, jitter: random() };
    await saveAttempt(storage, turn.transact, sent.message, ended);
  }

  async function sendOnce(webhook: Webhook, messageId: string) {
    const message = await getDue(storage, messageId, now());
    return message && { message, outcome: await post(webhook, message) };
  }

  async function post(webhook: Webhook, message: WebhookMessage): Promise<WebhookOutcome> {
    const id = message.messageId;
    const body = new TextEncoder().encode(message.body);
    const timestampSeconds = Math.floor(clock.now() / 1_000);
    const headers = {
      "content-type": "application/json",
      "user-agent": "boardcast",
      "webhook-id": id,
      "webhook-timestamp": `${timestampSeconds}`,
      "webhook-signature": await signWebhook(secretsAt(webhook, now()), {
        id,
        timestampSeconds,
        body,
      }),
    };
    return await poster.post(webhook.url, headers, body);
  }

  return {
    async send() {
      for (const queue of queues.values()) queue.mayHaveMore = true;
      await refill();
    },
    async drain() {
      while (inFlight.size > 0) await Promise.all(inFlight.values());
      if (failure !== undefined) throw failure.error;
    },
  };
}
