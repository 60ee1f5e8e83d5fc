import type { Storage } from "../adapters/storage.ts";
import { parseName } from "../model/name.ts";
import { checkFunctions, checkOptionNames } from "../model/option_names.ts";
import { checkPublicUrl, DEFAULT_TITLE } from "../model/public_site.ts";
import { readWebhookAllow } from "../model/webhook_url.ts";
import { Refusal } from "../model/refusal.ts";
import { parseText } from "../model/text.ts";
import type { MailSettings } from "./entry_mail.ts";
import { parseMailbox } from "./mailbox.ts";
import type { Mailer } from "./mailer.ts";

/** Options of `createWorker`. */
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
  /** Where replies go, like `support@example.com`. Default: to `from`. */
  readonly replyTo?: string | undefined;
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
  /** How often the worker checks what is due, in milliseconds, up to the default: 2,000. */
  readonly pollMs?: number | undefined;
  /** Called when something happens, without personal data. Default: nothing is logged. */
  readonly log?: ((event: WorkerEvent) => void) | undefined;
  /** The time, in milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: (() => number) | undefined;
  /** The milliseconds since some moment, by a clock that is never set. Default: `performance.now`. */
  readonly elapsed?: (() => number) | undefined;
  /**
   * Resolves after some milliseconds of these clocks, or as soon as the signal is aborted. Default: a
   * timer.
   */
  readonly sleep?: ((durationMs: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** What happened in a worker: no personal data, and no content. */
export interface WorkerEvent {
  /** `error` if something failed, which is tried again; `warn` if somebody has to look after it. */
  readonly level: "info" | "warn" | "error";
  /** What the worker was delivering. */
  readonly channel: "mail" | "webhooks";
  /** The entry that is mailed; `null` where it is about none. */
  readonly entryId: string | null;
  /**
   * What happened to its delivery: it has `started`, was found too late and is `held`, is
   * `obstructed` as the relay can't be used, or is `done`; `failed` where storage did. Or a webhook was
   * `disabled`.
   */
  readonly event: "started" | "held" | "obstructed" | "done" | "failed" | "disabled";
  /** The webhook that was disabled, for `disabled`. */
  readonly webhookId?: string | undefined;
  /** Why it was disabled, for `disabled`. */
  readonly problem?: string | undefined;
  /** How many were subscribed when the delivery began, for `done`. */
  readonly recipients?: number | undefined;
  /** How many mails were sent, for `done`. */
  readonly sent?: number | undefined;
  /** How many recipients were refused, for `done`. */
  readonly failed?: number | undefined;
  /** What was thrown, for `error`. */
  readonly error?: unknown;
}

const OPTIONS: readonly (keyof WorkerOptions)[] = [
  ...["storage", "mailer", "publicUrl", "from", "replyTo", "title", "footer"] as const,
  ...[
    "mailRatePerSecond",
    "webhookAllow",
    "leaseMs",
    "pollMs",
    "log",
    "clock",
    "elapsed",
    "sleep",
  ] as const,
];
const DEFAULT_RATE_PER_SECOND = 10;
const MAX_RATE_PER_SECOND = 1_000_000;
const DEFAULT_LEASE_MS = 20_000;
const MIN_LEASE_MS = 100;
const MAX_LEASE_MS = 25_000;
const DEFAULT_POLL_MS = 2_000;
const FOOTER_MAX_CODE_POINTS = 1_000;

/** The options of a worker, checked and with their defaults. */
export interface WorkerSettings {
  /** `undefined` without a mailer. */
  readonly mailSettings: MailSettings | undefined;
  readonly ratePerSecond: number | false;
  readonly leaseMs: number;
  readonly pollMs: number;
  /** Hosts and ports that webhooks may use though they are not public. */
  readonly allow: readonly string[];
}

/** Reads options. Throws a `TypeError` or `RangeError` for those that can't work. */
export function readOptions(options: WorkerOptions): WorkerSettings {
  const { storage, mailer, publicUrl, from, title = DEFAULT_TITLE, footer = "" } = options ?? {};
  if (typeof storage?.transact !== "function") {
    throw new TypeError("Cannot use storage: give what an adapter opened, awaited");
  }
  if (mailer !== undefined && typeof mailer?.send !== "function") {
    throw new TypeError("Cannot use mailer: give what openSmtpMailer returned, or your own");
  }
  checkOptionNames(options, OPTIONS);
  checkFunctions(options, ["log", "clock", "elapsed", "sleep"]);
  const { mailRatePerSecond: ratePerSecond = DEFAULT_RATE_PER_SECOND } = options;
  const { leaseMs = DEFAULT_LEASE_MS, pollMs = DEFAULT_POLL_MS } = options;
  if (ratePerSecond !== false && !(ratePerSecond > 0 && ratePerSecond <= MAX_RATE_PER_SECOND)) {
    throw new RangeError(
      `Cannot use mailRatePerSecond: it must be above 0 and up to ${MAX_RATE_PER_SECOND}, or false`,
    );
  }
  if (!(leaseMs >= MIN_LEASE_MS && leaseMs <= MAX_LEASE_MS)) {
    throw new RangeError(`Cannot use leaseMs: it must be from ${MIN_LEASE_MS} to ${MAX_LEASE_MS}`);
  }
  if (!(pollMs >= 1 && pollMs <= DEFAULT_POLL_MS)) {
    throw new RangeError(`Cannot use pollMs: it must be from 1 to ${DEFAULT_POLL_MS}`);
  }
  const allow = readWebhookAllow(options.webhookAllow);
  const settings = { ratePerSecond, leaseMs, pollMs, allow };
  if (mailer === undefined) return { mailSettings: undefined, ...settings };
  checkPublicUrl(publicUrl);
  const footerLimits = { maxCodePoints: FOOTER_MAX_CODE_POINTS, multiline: true };
  const mailSettings = {
    publicUrl: `${publicUrl}`,
    from: accept("from", parseMailbox(`${from}`)),
    replyTo: options.replyTo === undefined
      ? undefined
      : accept("replyTo", parseMailbox(`${options.replyTo}`)),
    title: accept("title", parseName(`${title}`)),
    footer: accept("footer", parseText(`${footer}`, footerLimits)),
  };
  return { mailSettings, ...settings };
}

function accept<T>(name: string, value: T | Refusal): T {
  if (value instanceof Refusal) throw new TypeError(`Cannot use ${name}: it ${value.detail}`);
  return value;
}
