import type { SendOutcome } from "../../model/deliveries/mail_outcome.ts";
import type { Clock } from "../loop.ts";
import { MailerError } from "./mailer.ts";

const GRACE_MS = 1_000;

/**
 * Sends a mail that somebody waits for. After some time the signal is aborted, so that the mailer can say
 * where the relay was silent; a second later this rejects with a `MailerError` whatever the mailer does.
 */
export async function sendWithin(
  durationMs: number,
  send: (signal: AbortSignal) => Promise<SendOutcome>,
  { sleep }: Pick<Clock, "sleep">,
): Promise<SendOutcome> {
  const silent = new AbortController();
  const ended = new AbortController();
  async function rejectLate(): Promise<never> {
    await sleep(durationMs, ended.signal);
    silent.abort();
    await sleep(GRACE_MS, ended.signal);
    throw new MailerError("The mailer did not answer in time");
  }
  const late = rejectLate();
  // It rejects unheard where the mailer answers first.
  late.catch(() => {});
  try {
    return await Promise.race([send(silent.signal), late]);
  } finally {
    ended.abort();
  }
}
