import { announceEntry, listUnannounced } from "../services/entries.ts";
import { hasDue, hasExpired, removeExpired } from "../services/webhook_queue.ts";
import type { Channel } from "./loop.ts";
import { createWebhookSender, type WebhookSender, type WebhookTools } from "./webhook_sender.ts";

/** The channel to webhooks. */
export interface WebhookChannel extends Channel {
  /** Has the turn that is taken, if there is one, send messages that were stored just now. */
  wake(): void;
}

const PRUNE_MS = 3_600_000;

/** Creates the channel that sends messages to webhooks; it checks what is due each `pollMs`. */
export function createWebhookChannel(
  options: WebhookTools & { readonly pollMs: number },
): WebhookChannel {
  const { storage, clock, pollMs } = options;
  let prunedMs = -Infinity;
  let sender: WebhookSender | undefined;

  const now = () => new Date(clock.now()).toISOString();
  const mayPrune = () => clock.now() - prunedMs >= PRUNE_MS;

  async function isDue(): Promise<boolean> {
    return (await listUnannounced(storage, now())).length > 0 ||
      await hasDue(storage, now()) ||
      mayPrune() && await hasExpired(storage, now());
  }

  return {
    name: "webhooks",
    isDue,
    async run(turn) {
      const own = sender = createWebhookSender(options, turn);
      try {
        while (turn.isOn() && await isDue()) {
          for (const { entryId } of await listUnannounced(storage, now())) {
            await announceEntry(storage, entryId, now());
          }
          if (mayPrune()) {
            await removeExpired(storage, turn.transact, now());
            prunedMs = clock.now();
          }
          await own.send();
          const settled = new AbortController();
          const signal = AbortSignal.any([turn.signal, settled.signal]);
          // What becomes due meanwhile must not wait for one that takes its time to answer.
          await Promise.race([own.settle(), clock.sleep(pollMs, signal)]);
          settled.abort();
        }
      } finally {
        sender = undefined;
        await own.settle();
      }
    },
    wake() {
      // A failure ends the turn, where it is told.
      sender?.send().catch(() => {});
    },
  };
}
