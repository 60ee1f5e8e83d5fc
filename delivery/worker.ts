import type { Entry } from "../model/entries/entry.ts";
import { optionDefault } from "../model/options.ts";
import type { SendOutcome } from "../model/deliveries/mail_outcome.ts";
import type { ProofRequest } from "../services/proof/admission.ts";
import { storeOf } from "../services/store.ts";
import { readWebhookAllow } from "../model/webhooks/webhook_url.ts";
import { readMailOptions } from "./mail_options.ts";
import { startLate } from "./start_late.ts";
import {
  type ChannelEvent,
  checkWorkerOptions,
  DEFAULT_LEASE_MS,
  MAX_POLL_MS,
  WORKER_OPTIONS,
  type WorkerEvent,
  type WorkerOptions,
} from "./worker_options.ts";

export type { ProofRequest, RequestedItem } from "../services/proof/admission.ts";
export type { FormMailRate } from "../services/proof/rate.ts";
export type { WorkerEvent, WorkerOptions } from "./worker_options.ts";

/** A running worker, which delivers mails and webhook messages until it is closed. */
export interface Worker {
  /**
   * Checks for due work now, for example after a publication in the same process. Checks all
   * channels unless one is named.
   */
  wake(channel?: "webhooks"): void;
  /**
   * Mails an entry, marked as a test, to one address. Rejects in the same cases as `send` of a
   * mailer; `undefined` without a mailer.
   */
  readonly sendTest: ((entry: Entry, userEmail: string) => Promise<SendOutcome>) | undefined;
  /**
   * Takes a request to prove an address, and mails a link to it within the limits for forms.
   * Returns immediately; `undefined` without a mailer.
   */
  readonly askForProof: ((request: ProofRequest) => void) | undefined;
  /** The options that override the settings in storage, for the handler in this process. */
  readonly overrides: Pick<WorkerOptions, "footer" | "replyTo">;
  /**
   * Starts no more work, and resolves when the mails in flight are sent and stored. If that takes
   * too long, close the mailer, which aborts them. Aborts webhook messages in flight, which are
   * sent again later.
   */
  close(): Promise<void>;
}

/**
 * Starts a worker. It sends messages to webhooks. With a mailer, it mails each entry published with
 * `notify` to every subscriber, once. Any number of workers may run on one storage: one of them
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
        // A log that throws must not cause mails to be sent twice.
      }
      if (isWarning || event.event === "done") mail?.use((started) => started.checkAlerts());
    }
    const onError = (error: unknown) => onEvent({ entryId: null, event: "failed", error });
    return { storage, clock, leaseMs, pollMs, onEvent, onError };
  }

  // A server listens sooner if these modules are loaded later.
  const allow = readWebhookAllow(options.webhookAllow);
  const voteRetentionMs = options.voteRetentionMs ?? optionDefault(WORKER_OPTIONS.voteRetentionMs);
  const webhooks = startLate(optionsOf("webhooks").onError, async () => {
    const { startWebhooks } = await import("./webhooks/channel.ts");
    return startWebhooks({ ...optionsOf("webhooks"), allow, publicUrl });
  });
  const upkeep = startLate(optionsOf("upkeep").onError, async () => {
    const { startUpkeep } = await import("./upkeep.ts");
    return startUpkeep({ ...optionsOf("upkeep"), voteRetentionMs });
  });
  const mailOptions = mailer && { ...readMailOptions(options, storage), mailer };
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
    overrides: { footer: options.footer, replyTo: options.replyTo },
    askForProof: mail && ((request) => mail.use((started) => started.askForProof(request))),
    async close() {
      await Promise.all([webhooks.close(), mail?.close(), upkeep.close()]);
    },
  };
}

// A longer timer fires at once.
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves after some milliseconds, or when the signal is aborted. */
export function sleep(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    }
    let restMs = durationMs;
    let timer: ReturnType<typeof setTimeout>;
    function wait(): void {
      const nextMs = Math.min(restMs, MAX_TIMER_MS);
      restMs -= nextMs;
      timer = setTimeout(restMs > 0 ? wait : end, nextMs);
    }
    wait();
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
