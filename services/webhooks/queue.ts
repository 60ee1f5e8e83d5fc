import type { Storage } from "../../adapters/storage.ts";
import { WEBHOOK_MESSAGES, WEBHOOKS } from "../../model/kinds.ts";
import { applyRetryDecision } from "../../model/webhooks/webhook.ts";
import { recordAttempt, type WebhookMessage } from "../../model/webhooks/webhook_message.ts";
import { addMs, sortKeyOf } from "../../model/values/time.ts";
import { decideRetry, type WebhookAttempt } from "../../model/webhooks/webhook_retry.ts";
import { listEnabled } from "./events.ts";
import type { FencedTransact } from "../leases.ts";
import { countRecords, listEnds } from "../records.ts";
import { removeFirst } from "../removals.ts";
import { listWebhook, WEBHOOK_LIST } from "./webhooks.ts";

/** Limit of delivered messages that are kept, for all webhooks together. */
export const MAX_DELIVERED = 10_000;

// Tolerated clock difference between two processes.
const MAX_AHEAD_MS = 60_000;

/** A finished attempt, and the jitter for its retry. */
export interface AttemptResult extends Pick<WebhookAttempt, "at" | "outcome"> {
  readonly durationMs: number;
  /** A number from 0 to 1. */
  readonly jitter: number;
}

/** Tells whether any message is due at a time (RFC 3339, UTC, milliseconds). */
export async function hasDue(storage: Storage, now: string): Promise<boolean> {
  for (const { webhookId } of await listEnabled(storage)) {
    if ((await listDueMessages(storage, webhookId, { now, limit: 1 })).length > 0) return true;
  }
  return false;
}

/** Lists messages to a webhook that are due at a time (RFC 3339, UTC, milliseconds). */
export async function listDueMessages(
  storage: Storage,
  webhookId: string,
  { now, limit }: { readonly now: string; readonly limit: number },
): Promise<readonly WebhookMessage[]> {
  const query = { index: "byQueue", within: sortKeyOf(webhookId, ""), first: limit, last: limit };
  const found = await listEnds(storage, WEBHOOK_MESSAGES, query);
  return found.filter((message) => isDue(message, now));
}

/** Returns a message if it is still due at a time: it may have been erased since the listing. */
export async function getDue(
  storage: Storage,
  messageId: string,
  now: string,
): Promise<WebhookMessage | undefined> {
  const message = await storage.get(WEBHOOK_MESSAGES, messageId);
  return message !== undefined && isDue(message, now) ? message : undefined;
}

/**
 * Removes the oldest delivered messages beyond {@linkcode MAX_DELIVERED}, because storage may keep
 * all records in memory.
 */
export async function removeDelivered(storage: Storage, transact: FencedTransact): Promise<void> {
  const index = "delivered";
  const count = await countRecords(storage, WEBHOOK_MESSAGES, index) - MAX_DELIVERED;
  await removeFirst(storage, WEBHOOK_MESSAGES, { index, count, transact });
}

/**
 * Stores the result of an attempt; does nothing if the message was removed meanwhile. Returns why
 * the webhook was disabled, if it was.
 */
export async function saveAttempt(
  transact: FencedTransact,
  { messageId, webhookId }: Pick<WebhookMessage, "messageId" | "webhookId">,
  ended: AttemptResult,
): Promise<string | undefined> {
  const { at, outcome, jitter } = ended;
  const refs = {
    message: { kind: WEBHOOK_MESSAGES, key: messageId },
    webhook: { kind: WEBHOOKS, key: webhookId },
    list: WEBHOOK_LIST,
  };
  return await transact(refs, ({ message: current, webhook, list }) => {
    if (current === undefined) return { answer: undefined };
    if (webhook === undefined) return { answer: undefined, remove: ["message"] };
    const { failingSince } = webhook;
    const attempts = current.attempts + 1;
    const decision = decideRetry({ attempts, at, outcome, failingSince }, () => jitter);
    const message = recordAttempt(current, decision, ended);
    // A message about an erasure names the person, and so is removed once delivered.
    const isOver = current.type === "subscriber.erased" && message.state !== "waiting";
    const changed = applyRetryDecision(webhook, decision, at);
    const isDisabled = changed.enabled !== webhook.enabled;
    return {
      answer: isDisabled ? decision.disable : undefined,
      put: {
        message: isOver ? undefined : message,
        webhook: changed,
        list: isDisabled ? listWebhook(list, changed) : undefined,
      },
      remove: isOver ? ["message"] : [],
    };
  });
}

/**
 * A message without an attempt is always due, because the clock that stored it may be ahead. If the
 * last attempt lies in the future, a clock that was ahead planned the next one: it is due too.
 */
function isDue({ lastAttempts, nextAttemptAt }: WebhookMessage, now: string): boolean {
  if (nextAttemptAt === null) return false;
  const last = lastAttempts.at(-1);
  return nextAttemptAt <= now || last === undefined || last.at > addMs(now, MAX_AHEAD_MS);
}
