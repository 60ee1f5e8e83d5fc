import type { Entry } from "../model/entries/entry.ts";
import { defaultOf } from "../model/options.ts";
import type { SendOutcome } from "../model/deliveries/mail_outcome.ts";
import type { ProofRequest } from "../services/proof/admission.ts";
import { storeOf } from "../services/store.ts";
import { readWebhookAllow } from "../model/webhooks/webhook_url.ts";
import { startLate } from "./start_late.ts";
import {
  type ChannelEvent,
  checkWorkerOptions,
  DEFAULT_LEASE_MS,
  MAX_POLL_MS,
  readMailOptions,
  WORKER_OPTIONS,
  type WorkerEvent,
  type WorkerOptions,
} from "./worker_options.ts";

export type { ProofRequest } from "../services/proof/admission.ts";
export type { FormMailRate } from "../services/proof/rate.ts";
export type { WorkerEvent, WorkerOptions } from "./worker_options.ts";

/** Something that delivers what is due, until it is closed. */
export interface Worker {
  /** Checks at once what is due, as after a publication in the same process; of one channel, or of all. */
  wake(channel?: "webhooks"): void;
  /**
   * Mails an entry to one address alone, marked as a test. Rejects as `send` of a mailer does;
   * `undefined` without a mailer.
   */
  readonly sendTest: ((entry: Entry, userEmail: string) => Promise<SendOutcome>) | undefined;
  /**
   * Takes a form with an address, and mails a link that proves it, as far as the limits allow. Returns
   * at once; `undefined` without a mailer.
   */
  readonly askForProof: ((request: ProofRequest) => void) | undefined;
  /**
   * Starts nothing more, and resolves when the mails under way are sent and stored. Where that takes
   * too long, close the mailer, which aborts them. Messages to webhooks are cut off, and sent again later.
   */
  close(): Promise<void>;
}

/**
 * Starts a worker: it sends messages to webhooks and, with a mailer, mails entries that were published
 * with `notify` to every subscriber, once. Any number of workers may run on one storage: one of them
 * sends, and another takes over if it crashes.
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
  checkWorkerOptions(options);
  const { mailer, publicUrl, log = () => {} } = options;
  const { leaseMs = DEFAULT_LEASE_MS, pollMs = MAX_POLL_MS } = options;
  const clock = {
    now: options.clock ?? Date.now,
    elapsed: options.elapsed ?? (() => performance.now()),
    sleep: options.sleep ?? sleep,
  };
  const storage = storeOf(options.storage);

  function optionsOf(channel: WorkerEvent["channel"]) {
    function onEvent(event: ChannelEvent): void {
      const isWarning = event.event === "disabled" || event.event === "held";
      const level = event.error === undefined ? isWarning ? "warn" : "info" : "error";
      try {
        log({ level, channel, ...event });
      } catch {
        // A log that fails must not repeat mails.
      }
      if (isWarning || event.event === "done") mail?.use((started) => started.checkAlerts());
    }
    const onError = (error: unknown) => onEvent({ entryId: null, event: "failed", error });
    return { storage, clock, leaseMs, pollMs, onEvent, onError };
  }

  // A server listens sooner if what they take is loaded later.
  const allow = readWebhookAllow(options.webhookAllow);
  const voteRetentionMs = options.voteRetentionMs ?? defaultOf(WORKER_OPTIONS.voteRetentionMs);
  const webhooks = startLate(optionsOf("webhooks").onError, async () => {
    const { startWebhooks } = await import("./webhooks/channel.ts");
    return startWebhooks({ ...optionsOf("webhooks"), allow, publicUrl, voteRetentionMs });
  });
  const mailOptions = mailer && { ...readMailOptions(options), mailer };
  const mail = mailOptions && startLate(optionsOf("mail").onError, async () => {
    const { startMailing } = await import("./mail/mailing.ts");
    return startMailing({ ...optionsOf("mail"), ...mailOptions });
  });
  return {
    wake(channel) {
      webhooks.wake();
      if (channel === undefined) mail?.wake();
    },
    sendTest: mail && (async (entry, userEmail) => (await mail.started).sendTest(entry, userEmail)),
    askForProof: mail && ((request) => mail.use((started) => started.askForProof(request))),
    async close() {
      await Promise.all([webhooks.close(), mail?.close()]);
    },
  };
}

/** Resolves after some milliseconds, or as soon as the signal is aborted. */
export function sleep(durationMs: number, signal: AbortSignal): Promise<void> {
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
