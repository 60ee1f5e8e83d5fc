import type { Entry } from "../model/entry.ts";
import type { SendOutcome } from "../model/mail_outcome.ts";
import { randomText } from "../model/random.ts";
import { createSealerCache, createUnsubscribeLink } from "../services/unsubscribe_links.ts";
import { type Addressee, prepareEntryMail } from "./entry_mail.ts";
import { startLoop } from "./loop.ts";
import { createMailChannel } from "./mail_channel.ts";
import { readOptions, type WorkerEvent, type WorkerOptions } from "./_worker_options.ts";

export type { WorkerEvent, WorkerOptions } from "./_worker_options.ts";

/** Something that delivers what is due, until it is closed. */
export interface Worker {
  /** Looks at once for what is due, as after a publication in the same process. */
  wake(): void;
  /** Mails an entry to one address alone, marked as a test. Rejects as `send` of a mailer does. */
  sendTest(entry: Entry, userEmail: string): Promise<SendOutcome>;
  /**
   * Starts nothing more, and resolves when the mails under way are sent and stored. Where that takes
   * too long, close the mailer: it gives them up.
   */
  close(): Promise<void>;
}

/**
 * Starts a worker: it mails entries that were published with `notify` to every subscriber, once. Any
 * number of workers may run on one storage: one of them sends, and another takes over if it crashes.
 *
 * Throws a `TypeError` or `RangeError` for invalid options.
 *
 * @example Usage
 * ```ts
 * import { createHandler, createWorker, openMemoryStorage } from "@boardcast/boardcast";
 * import { openSmtpMailer } from "@boardcast/boardcast/smtp";
 *
 * const storage = openMemoryStorage();
 * const mailer = openSmtpMailer("smtp://boardcast@mail.example.com", { password: "secret" });
 * const publicUrl = "https://example.com/feedback";
 * const worker = createWorker({ storage, mailer, publicUrl, from: "Acme <news@example.com>" });
 * const handler = createHandler({ storage, publicUrl, worker });
 *
 * await worker.close();
 * await mailer.close();
 * ```
 */
export function createWorker(options: WorkerOptions): Worker {
  const { letterhead, ratePerSecond, leaseMs, pollMs } = readOptions(options);
  const { storage, mailer, log = () => {} } = options;
  const clock = { now: options.clock ?? Date.now, sleep: options.sleep ?? sleep };
  const holder = randomText(16);
  const getSealer = createSealerCache();

  async function address(userEmail: string): Promise<Addressee> {
    const sealer = await getSealer(storage);
    const { publicUrl } = letterhead;
    return { userEmail, unsubscribeUrl: await createUnsubscribeLink(sealer, publicUrl, userEmail) };
  }

  function report(event: Omit<WorkerEvent, "level" | "channel">): void {
    const level = event.error === undefined ? "info" : "error";
    try {
      log({ level, channel: "mail", ...event });
    } catch {
      // A log that fails must not repeat mails.
    }
  }

  const onError = (error: unknown) => report({ entryId: null, event: "failed", error });
  const mail = createMailChannel({
    storage,
    mailer,
    clock,
    address,
    onError,
    letterhead,
    ratePerSecond,
    onEvent: ({ state, ...event }) => report({ ...event, event: state }),
  });
  const loop = startLoop(mail, { storage, clock, holder, leaseMs, pollMs, onError });

  return {
    wake: loop.wake,
    async sendTest(entry, userEmail) {
      const write = prepareEntryMail(entry, letterhead, { test: randomText(16) });
      return await mailer.send(await write(await address(userEmail)));
    },
    close: loop.close,
  };
}

function sleep(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    }
    const timer = setTimeout(end, durationMs);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
