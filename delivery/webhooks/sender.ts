import type { Storage } from "../../adapters/storage.ts";
import { WEBHOOKS } from "../../model/kinds.ts";
import { secretsAt, type Webhook } from "../../model/webhooks/webhook.ts";
import type { WebhookMessage } from "../../model/webhooks/webhook_message.ts";
import type { WebhookOutcome } from "../../model/webhooks/webhook_retry.ts";
import { signWebhook } from "../../model/webhooks/webhook_signature.ts";
import { listEnabled } from "../../services/webhooks/events.ts";
import { meterOf } from "../../services/shared.ts";
import { getDue, listDueMessages, saveAttempt } from "../../services/webhooks/queue.ts";
import { requestBodyFor } from "../../services/webhooks/request_body.ts";
import type { Clock, HeldLease } from "../loop.ts";
import type { ChannelEvent } from "../worker_options.ts";
import type { WebhookPoster } from "./post_webhook.ts";

/** Dependencies of {@linkcode createWebhookSender}. */
export interface WebhookTools {
  readonly storage: Storage;
  readonly post: WebhookPoster["post"];
  readonly clock: Clock;
  /** The public URL of the service, for links in chat messages. */
  readonly publicUrl?: string | undefined;
  /** Returns the jitter of a retry, from 0 to 1. Default: random. */
  readonly random?: () => number;
  /** Called when a webhook is disabled. */
  readonly onEvent: (event: ChannelEvent) => void;
}

/** Sends messages to webhooks under one lease. */
export interface WebhookSender {
  /** Starts to send the due messages. */
  send(): Promise<void>;
  /** Resolves when no attempt is in flight; rejects if storage has failed. */
  drain(): Promise<void>;
}

const MAX_PER_WEBHOOK = 2;
const MAX_LISTED = 100;

/**
 * Creates a sender that has at most 2 messages in flight to each webhook, so that a slow endpoint
 * delays no other.
 */
export function createWebhookSender(
  { storage, post, clock, publicUrl, random = Math.random, onEvent }: WebhookTools,
  lease: HeldLease,
): WebhookSender {
  const due = new Map<string, WebhookMessage[]>();
  const inFlight = new Set<string>();
  const workers = new Map<string, Promise<void>>();
  const meter = meterOf(storage);
  let failure: { readonly error: unknown } | undefined;

  const now = () => new Date(clock.now()).toISOString();

  /** Starts to send the messages of a webhook, unless 2 are in flight to it. */
  function startWorker(webhookId: string): void {
    for (let number = 0; number < MAX_PER_WEBHOOK; number++) {
      const name = `${webhookId} ${number}`;
      if (workers.has(name)) continue;
      const fail = (error: unknown) => void (failure ??= { error });
      workers.set(name, work(webhookId).catch(fail).finally(() => workers.delete(name)));
      return;
    }
  }

  async function work(webhookId: string): Promise<void> {
    while (failure === undefined && lease.isOn()) {
      const webhook = await storage.get(WEBHOOKS, webhookId);
      const messageId = webhook?.enabled ? await take(webhookId) : undefined;
      if (messageId === undefined) return;
      if (due.get(webhookId)!.length > 0) startWorker(webhookId);
      await attempt(webhook!, messageId).finally(() => inFlight.delete(messageId));
    }
  }

  /** Takes the next message of a webhook from the queue. */
  async function take(webhookId: string): Promise<string | undefined> {
    let queue = due.get(webhookId) ?? [];
    if (queue.length === 0) {
      const found = await listDueMessages(storage, webhookId, { now: now(), limit: MAX_LISTED });
      queue = found.filter(({ messageId }) => !inFlight.has(messageId));
      due.set(webhookId, queue);
    }
    const messageId = queue.shift()?.messageId;
    if (messageId !== undefined) inFlight.add(messageId);
    return messageId;
  }

  async function attempt(webhook: Webhook, messageId: string): Promise<void> {
    const message = await getDue(storage, messageId, now());
    if (message === undefined) return;
    const startedMs = clock.elapsed();
    const outcome = await send(webhook, message);
    meter.count("boardcast_webhook_attempts_total", verdictOf(outcome));
    const durationMs = Math.round(clock.elapsed() - startedMs);
    // An attempt that this process aborted is not a failure of the endpoint.
    if ("problem" in outcome && lease.signal.aborted) return;
    const ended = { at: now(), outcome, durationMs, jitter: random() };
    const problem = await saveAttempt(lease.transact, message, ended);
    if (problem === undefined) return;
    onEvent({ entryId: null, event: "disabled", webhookId: webhook.webhookId, problem });
  }

  async function send(webhook: Webhook, message: WebhookMessage): Promise<WebhookOutcome> {
    const id = message.messageId;
    const told = { ...message, format: webhook.format };
    const body = new TextEncoder().encode(await requestBodyFor(storage, told, publicUrl));
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
    return await post(webhook.url, headers, body);
  }

  return {
    async send() {
      for (const { webhookId } of await listEnabled(storage)) startWorker(webhookId);
    },
    async drain() {
      while (workers.size > 0) await Promise.all(workers.values());
      if (failure !== undefined) throw failure.error;
    },
  };
}

function verdictOf(outcome: WebhookOutcome): string {
  if (!("status" in outcome)) return "error";
  return outcome.status >= 200 && outcome.status < 300 ? "delivered" : "refused";
}
