import type { Entry } from "../../model/entries/entry.ts";
import { announceEntry, listUnannounced } from "../../services/entries/publish.ts";
import { hasDue, removeDelivered } from "../../services/webhooks/queue.ts";
import { type Channel, type Loop, type LoopOptions, startLoop } from "../loop.ts";
import type { WebhookPoster } from "./post_webhook.ts";
import { createWebhookSender, type WebhookSender, type WebhookTools } from "./sender.ts";

/** The channel that sends messages to webhooks. */
export interface WebhookChannel extends Channel {
  /** Sends newly stored messages now, if this process holds the lease. */
  wake(): void;
}

/** Options of {@linkcode startWebhooks}. */
export interface WebhookOptions extends LoopOptions, Pick<WebhookTools, "onEvent" | "publicUrl"> {
  /** Hosts and ports that need not be public, as returned by `parseWebhookAllow`. */
  readonly allow: readonly string[];
}

const MAX_POLL_MS = 1_000;
const TRIM_MS = 60_000;
const WAKE_MS = 10;

/**
 * Sends messages to webhooks until it is closed. Closing aborts attempts in flight; their messages
 * are sent again later.
 */
export function startWebhooks(options: WebhookOptions): Loop {
  const { clock, allow } = options;
  const pollMs = Math.min(options.pollMs, MAX_POLL_MS);
  let poster: Promise<WebhookPoster> | undefined;
  async function openPoster(): Promise<WebhookPoster> {
    const { createWebhookPoster } = await import("./post_webhook.ts");
    return createWebhookPoster({ allow, now: clock.now });
  }
  const channel = createWebhookChannel({
    ...options,
    pollMs,
    // An app without webhooks need not load the module that posts to them.
    post: async (url, headers, body) =>
      await (await (poster ??= openPoster())).post(url, headers, body),
  });
  const loop = startLoop(channel, { ...options, pollMs });

  // One check covers many messages: under load, a check for each would cost more than sending it.
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    wake() {
      timer ??= setTimeout(() => {
        timer = undefined;
        channel.wake();
        loop.wake();
      }, WAKE_MS);
    },
    close() {
      clearTimeout(timer);
      const ended = loop.close();
      void poster?.then((opened) => opened.close());
      return ended;
    },
  };
}

/**
 * Creates the channel that sends messages to webhooks and checks for due messages every `pollMs`.
 */
export function createWebhookChannel(
  options: WebhookTools & { readonly pollMs: number },
): WebhookChannel {
  const { storage, clock, pollMs } = options;
  let trimmedMs = -Infinity;
  let sender: WebhookSender | undefined;

  const now = () => new Date(clock.now()).toISOString();

  /** Returns the entries to announce, which may be none; `undefined` if there is no work at all. */
  async function findWork(): Promise<readonly Entry[] | undefined> {
    const entries = await listUnannounced(storage, now());
    return entries.length > 0 || await hasDue(storage, now()) ? entries : undefined;
  }

  return {
    name: "webhooks",
    isDue: async () => await findWork() !== undefined,
    async run(lease) {
      const own = sender = createWebhookSender(options, lease);
      try {
        while (lease.isOn()) {
          const entries = await findWork();
          if (entries === undefined) break;
          for (const { entryId } of entries) await announceEntry(storage, entryId, now());
          if (clock.elapsed() - trimmedMs >= TRIM_MS) {
            await removeDelivered(storage, lease.transact);
            trimmedMs = clock.elapsed();
          }
          await own.send();
          const drained = new AbortController();
          const signal = AbortSignal.any([lease.signal, drained.signal]);
          // A message that becomes due meanwhile must not wait for a slow endpoint.
          await Promise.race([own.drain(), clock.sleep(pollMs, signal, "poll webhooks")]);
          drained.abort();
        }
      } finally {
        sender = undefined;
        await own.drain();
      }
    },
    wake() {
      // A failure ends the work under the lease, which reports it.
      sender?.send().catch(() => {});
    },
  };
}
