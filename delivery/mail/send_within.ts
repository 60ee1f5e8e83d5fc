import type { SendOutcome } from "../../model/deliveries/mail_outcome.ts";
import type { Clock } from "../loop.ts";
import { MailerError } from "./mailer.ts";

const GRACE_MS = 1_000;

/**
 * Sends a mail within a time limit. At the limit, aborts the signal, so that the mailer can report
 * where the relay was silent; a second later, rejects with a `MailerError` even if the mailer has
 * not.
 */
export async function sendWithin(
  durationMs: number,
  send: (signal: AbortSignal) => Promise<SendOutcome>,
  { sleep }: Pick<Clock, "sleep">,
): Promise<SendOutcome> {
  const silent = new AbortController();
  const ended = new AbortController();
  async function rejectLate(): Promise<never> {
    await sleep(durationMs, ended.signal, "limit");
    silent.abort();
    await sleep(GRACE_MS, ended.signal, "limit");
    throw new MailerError("The mailer did not answer in time");
  }
  const late = rejectLate();
  // Prevents an unhandled rejection if the mailer answers first.
  late.catch(() => {});
  try {
    return await Promise.race([send(silent.signal), late]);
  } finally {
    ended.abort();
  }
}
