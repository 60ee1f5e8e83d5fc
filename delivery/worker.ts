import type { Storage } from "../adapters/storage.ts";
import type { Entry } from "../model/entry.ts";
import type { SendOutcome } from "../model/mail_outcome.ts";
import { parseName } from "../model/name.ts";
import { checkOptionNames } from "../model/option_names.ts";
import { checkPublicUrl, DEFAULT_TITLE } from "../model/public_site.ts";
import { randomText } from "../model/random.ts";
import { Refusal } from "../model/refusal.ts";
import { parseText } from "../model/text.ts";
import { readWebhookAllow } from "../model/webhook_url.ts";
import { createSealerCache, createUnsubscribeLink } from "../services/unsubscribe_links.ts";
import { type Addressee, type Letterhead, prepareEntryMail } from "./entry_mail.ts";
import { type Loop, startLoop } from "./loop.ts";
import { createMailChannel } from "./mail_channel.ts";
import { parseMailbox } from "./mailbox.ts";
import type { Mailer } from "./mailer.ts";
import { startWebhooks } from "./webhooks.ts";

/** Options of {@linkcode createWorker}. */
export interface WorkerOptions {
  /** Where records are kept. The worker does not close it. */
  readonly storage: Storage;
  /** What passes mail on to a relay. The worker does not close it. Default: none, and no mail. */
  readonly mailer?: Mailer | undefined;
  /** The address of the service as the world sees it, like `https://example.com/feedback`; for mail. */
  readonly publicUrl?: string | undefined;
  /** Whom mails come from, like `Acme <news@example.com>`; for mail. */
  readonly from?: string | undefined;
  /** The title of the changelog. Default: `Changelog`. */
  readonly title?: string | undefined;
  /** What stands at the end of mails, such as a postal address, in lines. Default: nothing. */
  readonly footer?: string | undefined;
  /**
   * How many mails are sent a second, by all workers on the storage together; `false` for as many as
   * the relay takes. Default: 10.
   */
  readonly mailRatePerSecond?: number | false | undefined;
  /** Hosts and ports that webhooks may use though they are not public, like `localhost:9000`. */
  readonly webhookAllow?: readonly string[] | undefined;
  /**
   * How long workers wait for one that crashed before another takes over, in milliseconds, from 100 to
   * 25,000; the same for all workers on the storage. Default: 20,000.
   */
  readonly leaseMs?: number | undefined;
  /** How often the worker checks what is due, in milliseconds. Default: 2,000. */
  readonly pollMs?: number | undefined;
  /** Called when something happens, without personal data. Default: nothing is logged. */
  readonly log?: ((event: WorkerEvent) => void) | undefined;
  /** The time, in milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: (() => number) | undefined;
  /**
   * Resolves after some milliseconds of that clock, or as soon as the signal is aborted. Default: a
   * timer.
   */
  readonly sleep?: ((durationMs: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** What happened in a worker: no personal data, and no content. */
export interface WorkerEvent {
  /** `error` if something failed; it is tried again. */
  readonly level: "info" | "error";
  /** What the worker was delivering. */
  readonly channel: "mail" | "webhooks";
  /** The entry that is mailed; `null` where it is about none. */
  readonly entryId: string | null;
  /**
   * What happened to its delivery: it has `started`, was found too late and is `held`, is
   * `obstructed` as the relay can't be used, or is `done`; `failed` where storage did.
   */
  readonly event: "started" | "held" | "obstructed" | "done" | "failed";
  /** What was thrown, for `error`. */
  readonly error?: unknown;
}

/** Something that delivers what is due, until it is closed. */
export interface Worker {
  /** Looks at once for what is due, as after a publication in the same process. */
  wake(): void;
  /**
   * Mails an entry to one address alone, marked as a test. Rejects as `send` of a mailer does;
   * `undefined` without a mailer.
   */
  readonly sendTest: ((entry: Entry, userEmail: string) => Promise<SendOutcome>) | undefined;
  /**
   * Starts nothing more, and resolves when the mails under way are sent and stored. Where that takes
   * too long, close the mailer: it gives them up. Messages to webhooks are cut off, and sent again later.
   */
  close(): Promise<void>;
}

const OPTIONS: Readonly<Record<keyof WorkerOptions, true>> = {
  storage: true,
  mailer: true,
  publicUrl: true,
  from: true,
  title: true,
  footer: true,
  mailRatePerSecond: true,
  webhookAllow: true,
  leaseMs: true,
  pollMs: true,
  log: true,
  clock: true,
  sleep: true,
};
const DEFAULT_RATE_PER_SECOND = 10;
const MAX_RATE_PER_SECOND = 1_000_000;
const DEFAULT_LEASE_MS = 20_000;
const LEASE_RANGE_MS = [100, 25_000] as const;
const DEFAULT_POLL_MS = 2_000;
const FOOTER_MAX_CODE_POINTS = 1_000;

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
  const letterhead = checkOptions(options);
  const { storage, mailer, mailRatePerSecond = DEFAULT_RATE_PER_SECOND, log = () => {} } = options;
  const { leaseMs = DEFAULT_LEASE_MS, pollMs = DEFAULT_POLL_MS } = options;
  const clock = { now: options.clock ?? Date.now, sleep: options.sleep ?? sleep };
  const common = { storage, clock, holder: randomText(16), leaseMs };
  const getSealer = createSealerCache();

  function report(event: Omit<WorkerEvent, "level">): void {
    const level = event.error === undefined ? "info" : "error";
    try {
      log({ level, ...event });
    } catch {
      // A log that fails must not repeat mails.
    }
  }

  function startMail(mailer: Mailer, letterhead: Letterhead) {
    const channel = "mail";
    async function address(userEmail: string): Promise<Addressee> {
      const sealer = await getSealer(storage);
      const url = await createUnsubscribeLink(sealer, letterhead.publicUrl, userEmail);
      return { userEmail, unsubscribeUrl: url };
    }
    const onError = (error: unknown) => report({ channel, entryId: null, event: "failed", error });
    const mail = createMailChannel({
      storage,
      mailer,
      clock,
      address,
      onError,
      letterhead,
      ratePerSecond: mailRatePerSecond,
      onEvent: ({ state, ...event }) => report({ channel, ...event, event: state }),
    });
    return {
      ...startLoop(mail, { ...common, pollMs, onError }),
      async sendTest(entry: Entry, userEmail: string) {
        const write = prepareEntryMail(entry, letterhead, { test: randomText(16) });
        return await mailer.send(await write(await address(userEmail)));
      },
    };
  }

  const { webhookAllow } = options;
  const webhooks = startWebhooks({
    ...common,
    pollMs,
    allow: readWebhookAllow(webhookAllow),
    onError: (error) => report({ channel: "webhooks", entryId: null, event: "failed", error }),
  });
  const mail = mailer && letterhead && startMail(mailer, letterhead);
  const loops: readonly Loop[] = [webhooks, ...mail === undefined ? [] : [mail]];
  return {
    wake: () => loops.forEach((loop) => loop.wake()),
    sendTest: mail?.sendTest,
    async close() {
      await Promise.all(loops.map((loop) => loop.close()));
    },
  };
}

/** Checks options; returns what is on each mail, if the worker has a mailer. */
function checkOptions(options: WorkerOptions): Letterhead | undefined {
  const { storage, mailer, publicUrl, from, title = DEFAULT_TITLE, footer = "" } = options ?? {};
  if (typeof storage?.transact !== "function") {
    throw new TypeError("Cannot use storage: give what an adapter opened, awaited");
  }
  if (mailer !== undefined && typeof mailer?.send !== "function") {
    throw new TypeError("Cannot use mailer: give what openSmtpMailer returned, or your own");
  }
  checkOptionNames(options, Object.keys(OPTIONS));
  for (const name of ["log", "clock", "sleep"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "function") {
      throw new TypeError(`Cannot use ${name}: give a function`);
    }
  }
  const { mailRatePerSecond = false, leaseMs = DEFAULT_LEASE_MS, pollMs = DEFAULT_POLL_MS } =
    options;
  if (
    mailRatePerSecond !== false &&
    !(mailRatePerSecond > 0 && mailRatePerSecond <= MAX_RATE_PER_SECOND)
  ) {
    throw new RangeError(
      `Cannot use mailRatePerSecond: it must be above 0 and up to ${MAX_RATE_PER_SECOND}, or false`,
    );
  }
  if (!(leaseMs >= LEASE_RANGE_MS[0] && leaseMs <= LEASE_RANGE_MS[1])) {
    throw new RangeError(`Cannot use leaseMs: it must be from ${LEASE_RANGE_MS.join(" to ")}`);
  }
  if (!(pollMs >= 1 && pollMs <= DEFAULT_POLL_MS)) {
    throw new RangeError(`Cannot use pollMs: it must be from 1 to ${DEFAULT_POLL_MS}`);
  }
  readWebhookAllow(options.webhookAllow);
  if (mailer === undefined) return undefined;
  checkPublicUrl(publicUrl);
  return {
    publicUrl: `${publicUrl}`,
    from: accept("from", parseMailbox(`${from}`)),
    title: accept("title", parseName(`${title}`)),
    footer: accept(
      "footer",
      parseText(`${footer}`, { maxCodePoints: FOOTER_MAX_CODE_POINTS, multiline: true }),
    ),
  };
}

function accept<T>(name: string, value: T | Refusal): T {
  if (value instanceof Refusal) throw new TypeError(`Cannot use ${name}: it ${value.detail}`);
  return value;
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
