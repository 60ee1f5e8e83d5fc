import type { Meter } from "../services/meter.ts";
import type { Mailer } from "./mailer.ts";

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
