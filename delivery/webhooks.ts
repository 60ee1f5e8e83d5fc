import { onMessages } from "../services/events.ts";
import { type Loop, type LoopOptions, startLoop } from "./loop.ts";
import type { WebhookPoster } from "./post_webhook.ts";
import { createWebhookChannel } from "./webhook_channel.ts";

/** How messages to webhooks are sent. */
export interface WebhookOptions extends LoopOptions {
  /** Hosts and ports that need not be public, as `parseWebhookAllow` returns them. */
  readonly allow: readonly string[];
}

const MAX_POLL_MS = 1_000;

/** Starts to send messages to webhooks, until it is closed; what is in flight then is sent again later. */
export function startWebhooks(options: WebhookOptions): Loop {
  const { storage, clock, allow } = options;
  const pollMs = Math.min(options.pollMs, MAX_POLL_MS);
  const poster = createLatePoster(async () => {
    const { createWebhookPoster } = await import("./post_webhook.ts");
    return createWebhookPoster({ allow, now: clock.now });
  });
  const channel = createWebhookChannel({ storage, poster, clock, random: Math.random, pollMs });
  const loop = startLoop(channel, { ...options, pollMs });

  function wake(): void {
    channel.wake();
    loop.wake();
  }

  const stopListening = onMessages(storage, wake);
  return {
    wake,
    close() {
      stopListening();
      const ended = loop.close();
      poster.close();
      return ended;
    },
  };
}

/** Opens a poster when it is first used: whoever has no webhooks need not load what it takes. */
function createLatePoster(open: () => Promise<WebhookPoster>): WebhookPoster {
  let poster: Promise<WebhookPoster> | undefined;
  return {
    async post(url, headers, body) {
      poster ??= open();
      return await (await poster).post(url, headers, body);
    },
    close() {
      poster?.then((opened) => opened.close());
    },
  };
}
