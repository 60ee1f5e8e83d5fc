import type { Entry } from "../model/entry.ts";
import type { SendOutcome } from "../model/mail_outcome.ts";
import { randomText } from "../model/random.ts";
import { createCipherCache, createUnsubscribeLink } from "../services/unsubscribe_links.ts";
import { CONFIRM_KEY, type SignUp } from "../services/sign_ups.ts";
import { meterOf } from "../services/meter.ts";
import { versioned } from "../services/versioned.ts";
import type { MailSettings } from "./entry_mail.ts";
import type { Loop } from "./loop.ts";
import type { Mailer } from "./mailer.ts";
import type { SignUps } from "./sign_ups.ts";
import { meterMails } from "./_metered.ts";
import { readOptions, type WorkerEvent, type WorkerOptions } from "./worker_options.ts";

export type { SignUp, SignUpRate } from "../services/sign_ups.ts";
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
   * Begins to mail to somebody who signs up, as far as the limits allow, and returns at once;
   * `undefined` without a mailer.
   */
  readonly signUp: ((signUp: SignUp) => void) | undefined;
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
  const { mailSettings, ratePerSecond, signUpRate, leaseMs, pollMs, allow } = readOptions(options);
  const { mailer, log = () => {} } = options;
  const storage = versioned(options.storage);
  const clock = {
    now: options.clock ?? Date.now,
    elapsed: options.elapsed ?? (() => performance.now()),
    sleep: options.sleep ?? sleep,
  };
  const common = { storage, clock, owner: randomText(16), leaseMs };
  const getCipher = createCipherCache();

  function report(event: Omit<WorkerEvent, "level">): void {
    const isWarning = event.event === "disabled" || event.event === "held";
    const level = event.error === undefined ? isWarning ? "warn" : "info" : "error";
    try {
      log({ level, ...event });
    } catch {
      // A log that fails must not repeat mails.
    }
  }

  function startMail(mailer: Mailer, mailSettings: MailSettings) {
    const modules = Promise.all([
      import("./entry_mail.ts"),
      import("./mail_channel.ts"),
      import("./loop.ts"),
    ]);
    const channel = "mail";
    const unanswered = new Set<Promise<void>>();
    async function createLink(userEmail: string): Promise<string> {
      return await createUnsubscribeLink(
        await getCipher(storage),
        mailSettings.publicUrl,
        userEmail,
      );
    }
    const onError = (error: unknown) => report({ channel, entryId: null, event: "failed", error });
    const loop = startLate(async () => {
      const [, { createMailChannel }, { startLoop }] = await modules;
      const mail = createMailChannel({
        storage,
        mailer,
        clock,
        createLink,
        unanswered,
        onError,
        mailSettings,
        ratePerSecond,
        onEvent: ({ state, ...event }) => report({ channel, ...event, event: state }),
      });
      return startLoop(mail, { ...common, pollMs, onError });
    });
    let signUps: Promise<SignUps> | undefined;
    async function openSignUps(): Promise<SignUps> {
      const { createSignUps } = await import("./sign_ups.ts");
      const openCipher = createCipherCache(CONFIRM_KEY);
      return createSignUps({
        ...{ storage, mailer, clock, mailSettings, openCipher, createLink, onError },
        rate: signUpRate,
      });
    }
    return {
      wake: loop.wake,
      signUp: (signUp: SignUp) => void (signUps ??= openSignUps()).then((open) => open.add(signUp)),
      async close() {
        await loop.close();
        await Promise.all(unanswered);
        await (await signUps)?.close();
      },
      async sendTest(entry: Entry, userEmail: string) {
        const [{ prepareEntryMail }] = await modules;
        const write = prepareEntryMail(entry, mailSettings, { test: randomText(16) });
        return await mailer.send(await write(userEmail, await createLink(userEmail)));
      },
    };
  }

  const webhooks = startLate(async () => {
    const { startWebhooks } = await import("./webhook_channel.ts");
    return startWebhooks({
      ...common,
      pollMs,
      allow,
      onError: (error) => report({ channel: "webhooks", entryId: null, event: "failed", error }),
      onDisabled: ({ webhookId }, problem) =>
        report({ channel: "webhooks", entryId: null, event: "disabled", webhookId, problem }),
    });
  });
  const mail = mailer && mailSettings &&
    startMail(meterMails(mailer, meterOf(storage)), mailSettings);
  const loops: readonly Loop[] = [webhooks, ...mail === undefined ? [] : [mail]];
  return {
    wake(channel) {
      webhooks.wake();
      if (channel === undefined) mail?.wake();
    },
    sendTest: mail?.sendTest,
    signUp: mail?.signUp,
    async close() {
      await Promise.all(loops.map((loop) => loop.close()));
    },
  };
}

/** Starts a loop once its modules are loaded: a server listens sooner if that comes later. */
function startLate(start: () => Promise<Loop>): Loop {
  const loop = start();
  return {
    wake: () => void loop.then((started) => started.wake()),
    close: async () => (await loop).close(),
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
