import type { Meter } from "../services/meter.ts";
import type { Mailer } from "./mailer.ts";
import type { WebhookPoster } from "./post_webhook.ts";

/** Counts what becomes of mails. */
export function meterMails(mailer: Mailer, meter: Meter): Mailer {
  const count = (outcome: string) => meter.count("boardcast_mails_total", outcome);
  return {
    async send(mail, isWanted) {
      try {
        const outcome = await mailer.send(mail, isWanted);
        count(outcome.state);
        return outcome;
      } catch (error) {
        count("error");
        throw error;
      }
    },
    close: () => mailer.close(),
  };
}

/** Counts what becomes of messages to webhooks. */
export function meterPosts(poster: WebhookPoster, meter: Meter): WebhookPoster {
  return {
    async post(url, headers, body) {
      const outcome = await poster.post(url, headers, body);
      const isDelivered = "status" in outcome && outcome.status >= 200 && outcome.status < 300;
      const verdict = isDelivered ? "delivered" : "refused";
      meter.count("boardcast_webhook_attempts_total", "status" in outcome ? verdict : "error");
      return outcome;
    },
    close: () => poster.close(),
  };
}
