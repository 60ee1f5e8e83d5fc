import { readWeekly, type WeeklySchedule } from "../model/deliveries/week.ts";
import type { Storage } from "../adapters/storage.ts";
import { BRAND_OPTIONS, type BrandOptions } from "../model/brand.ts";
import {
  acceptOption,
  checkFunction,
  checkNumber,
  checkOptions,
  checkRate,
  isBetween,
  type OptionDeclarations,
  optionError,
  readRate,
} from "../model/options.ts";
import { checkPublicUrl, PUBLIC_URL_OPTION } from "../model/public_site.ts";
import { parseFooter } from "../model/settings/settings.ts";
import { VOTE_RETENTION_OPTION } from "../model/posts/vote_retention.ts";
import { WEBHOOK_ALLOW_OPTION } from "../model/webhooks/webhook_url.ts";
import type { FormMailRate } from "../services/proof/rate.ts";
import { TAG_LENGTH } from "../model/bounces/bounce_event.ts";
import { parseEmailAddress } from "../model/values/email_address.ts";
import { type Mailbox, parseMailbox } from "../model/values/mailbox.ts";
import type { Mailer } from "./mail/mailer.ts";

/** Options of `createWorker`. */
export interface WorkerOptions extends BrandOptions {
  /** The storage of all records. The worker does not close it. */
  readonly storage: Storage;
  /**
   * The mailer that passes mails to a relay. The worker does not close it. Default: no mail is
   * sent.
   */
  readonly mailer?: Mailer | undefined;
  /**
   * The public URL of the service, like `https://example.com/feedback`, for links. Mail requires
   * it.
   */
  readonly publicUrl?: string | undefined;
  /** The sender of mails, like `Acme <news@example.com>`. Mail requires it. */
  readonly from?: string | undefined;
  /** The mailbox for replies, like `support@example.com`. Default: the address of `from`. */
  readonly replyTo?: string | undefined;
  /**
   * The address to which relays report failures, like `bounces+*@example.com`. The `*` becomes a
   * tag that identifies the mail. Default: the address of `from`.
   */
  readonly bouncesTo?: string | undefined;
  /**
   * The address of the operator, who gets a mail when something needs attention. Default: nobody.
   */
  readonly alertsTo?: string | undefined;
  /**
   * The text at the end of mails, such as a postal address; may have several lines. Default: none.
   */
  readonly footer?: string | undefined;
  /**
   * The most mails to send per second, by all workers on the storage together; `false` for no
   * limit. Default: 10.
   */
  readonly mailRatePerSecond?: number | false | undefined;
  /**
   * When people who chose a weekly mail get the entries of the week, in `timeZone`; `false` for
   * never. Default: Mondays at 8:00.
   */
  readonly weekly?: WeeklySchedule | false | undefined;
  /**
   * The most mails that all forms may cause, by all workers on the storage together. Default: 100
   * an hour.
   */
  readonly signUpRate?: FormMailRate | undefined;
  /**
   * The time to keep the addresses of voters after their post was shipped or declined, in
   * milliseconds; `false` keeps them for ever. Default: `false`.
   */
  readonly voteRetentionMs?: number | false | undefined;
  /** Hosts and ports that webhooks may use although they are not public, like `localhost:9000`. */
  readonly webhookAllow?: readonly string[] | undefined;
  /**
   * The time after which workers take over from a crashed one, in milliseconds, from 100 to 25,000.
   * All workers on a storage need the same value. Default: 20,000.
   */
  readonly leaseMs?: number | undefined;
  /** The interval of checks for due work, in milliseconds. Default and maximum: 2,000. */
  readonly pollMs?: number | undefined;
  /** Called with each event. Default: events are not logged. */
  readonly log?: ((event: WorkerEvent) => void) | undefined;
  /** Returns the time in milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: (() => number) | undefined;
  /** Returns milliseconds by a monotonic clock. Default: `performance.now`. */
  readonly elapsed?: (() => number) | undefined;
  /**
   * Resolves after some milliseconds of these clocks, or when the signal is aborted. Default: uses
   * a timer.
   */
  readonly sleep?: ((durationMs: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** An event of a worker, without personal data and content. */
export interface WorkerEvent {
  /** `error` for a failure that is tried again; `warn` if the operator has to act. */
  readonly level: "info" | "warn" | "error";
  /** The channel that reports the event. */
  readonly channel: "mail" | "webhooks" | "upkeep";
  /** The entry that is mailed; `null` if the event is about none. */
  readonly entryId: string | null;
  /**
   * The event: a delivery has `started`; is `held` because it is late or does harm; is `obstructed`
   * because the relay can't be used; is `done`; or has `failed` because storage did, as regular
   * work may. Or a webhook
   * was `disabled`.
   */
  readonly event: "started" | "held" | "obstructed" | "done" | "failed" | "disabled";
  /** The disabled webhook, for `disabled`. */
  readonly webhookId?: string | undefined;
  /** The reason, for `disabled` and `held`. */
  readonly problem?: string | undefined;
  /** The number of subscribers when the delivery began, for `done`. */
  readonly recipients?: number | undefined;
  /** The number of mails sent, for `done`. */
  readonly sent?: number | undefined;
  /** The number of recipients that the relay refused, for `done`. */
  readonly failed?: number | undefined;
  /** The number of subscribers whose chosen labels exclude the entry, for `done`. */
  readonly skipped?: number | undefined;
  /** The thrown value, for `error`. */
  readonly error?: unknown;
}

/** An event as a channel reports it. */
export type ChannelEvent = Omit<WorkerEvent, "level" | "channel">;

const MAX_RATE_PER_SECOND = 1_000_000;
/** The default of `leaseMs`. */
export const DEFAULT_LEASE_MS = 20_000;
/** The default and maximum of `pollMs`. */
export const MAX_POLL_MS = 2_000;

export const WORKER_OPTIONS: OptionDeclarations<WorkerOptions> = {
  storage: () => {},
  mailer(mailer, option) {
    if (typeof (mailer as Mailer | null)?.send === "function") return;
    throw optionError(option, "give what openSmtpMailer returned, or your own");
  },
  publicUrl: PUBLIC_URL_OPTION,
  ...BRAND_OPTIONS,
  from: {
    flag: 'mail-from "NAME <ADDRESS>"',
    schema: { description: "The sender of mails." },
    check: readMailbox,
  },
  replyTo: {
    flag: "mail-reply-to ADDRESS",
    schema: { description: "The address for replies. [default: that of --mail-from]" },
    check: readMailbox,
  },
  bouncesTo: {
    flag: "mail-bounces-to ADDRESS",
    schema: {
      description:
        "The address to which relays report failures (envelope sender); a * in it becomes a " +
        "tag of the recipient. [default: that of --mail-from]",
    },
    check: readBouncesTo,
  },
  alertsTo: {
    flag: "mail-alerts ADDRESS",
    schema: {
      description:
        "The address to mail, at most once an hour, when a mailing is held, does not advance or " +
        "did not reach people, or a webhook is disabled.",
    },
    check: readEmailOption,
  },
  footer: {
    flag: "mail-footer TEXT",
    schema: { description: "The text at the end of mails, such as a postal address." },
    check: readFooter,
  },
  mailRatePerSecond: {
    flag: "mail-rate N/s | N/m | N/h | N/d | off",
    schema: {
      description: "The most mails to send, by all servers on the storage together.",
      default: "10/s",
    },
    parse(text) {
      if (text === "off") return false;
      const rate = readRate(text, { units: "smhd", words: "off, nor a rate like 10/s or 5000/d" });
      return "requests" in rate ? rate.requests / rate.windowSeconds : rate;
    },
    check(rate, option) {
      if (rate === false || isBetween(0, rate, MAX_RATE_PER_SECOND) && rate !== 0) return;
      const remark = `it must be above 0 and up to ${MAX_RATE_PER_SECOND}, or false`;
      throw optionError(option, remark, RangeError);
    },
  },
  weekly: {
    flag: "weekly 'DAY HH:MM' | off",
    schema: {
      description:
        "When people who chose a weekly mail get the entries of the week, in --time-zone.",
      default: "Mon 08:00",
    },
    parse: readWeekly,
    check(weekly, option) {
      const { weekday, minute } = (weekly || { weekday: 0, minute: 0 }) as WeeklySchedule;
      if (isBetween(0, weekday, 6) && isBetween(0, minute, 1_439)) return;
      throw optionError(option, "give a weekday from 0 to 6 and a minute, or false", RangeError);
    },
  },
  signUpRate: {
    flag: "sign-up-rate N/s | N/m | N/h | N/d",
    schema: {
      description: "The most mails that forms may cause, on all servers of the storage together.",
      default: "600/h",
    },
    parse: (text) => readRate(text, { units: "smhd", words: "a rate like 600/h or 1000/d" }),
    check: checkRate,
  },
  voteRetentionMs: VOTE_RETENTION_OPTION,
  webhookAllow: WEBHOOK_ALLOW_OPTION,
  leaseMs: checkNumber(100, 25_000),
  pollMs: checkNumber(1, MAX_POLL_MS),
  log: checkFunction,
  clock: checkFunction,
  elapsed: checkFunction,
  sleep: checkFunction,
};

/** Throws a `TypeError` or `RangeError` for invalid options. Ignores `storage`. */
export function checkWorkerSettings(settings: Partial<WorkerOptions>): void {
  checkOptions<WorkerOptions>(settings, WORKER_OPTIONS);
  if (settings.mailer === undefined) return;
  checkPublicUrl(settings.publicUrl);
  readMailbox(settings.from, "from");
}

/** Throws a `TypeError` or `RangeError` for invalid options. */
export function checkWorkerOptions(options: WorkerOptions): void {
  if (typeof options?.storage?.transact !== "function") {
    throw optionError("storage", "give what an adapter opened, awaited");
  }
  checkWorkerSettings(options);
}

export function readMailbox(value: unknown, option: string): Mailbox {
  return acceptOption(option, parseMailbox(`${value}`));
}

/** Reads an address whose local part may have one `*`, which stands for a tag. */
export function readBouncesTo(value: unknown, option: string): string {
  const [before, ...after] = `${value}`.split("*");
  if (after.length === 0) return acceptOption(option, parseEmailAddress(before));
  if (after.length > 1 || !after[0].includes("@")) {
    throw optionError(
      option,
      "give an address with one * before its @, like bounces+*@example.com",
    );
  }
  const tag = "0".repeat(TAG_LENGTH);
  acceptOption(option, parseEmailAddress(`${before}${tag}${after[0]}`));
  return acceptOption(option, parseEmailAddress(`${value}`));
}

export function readEmailOption(value: unknown, option: string): string {
  return acceptOption(option, parseEmailAddress(`${value}`));
}

/** Reads the text at the end of mails. */
export function readFooter(value: unknown, option: string): string {
  return acceptOption(option, parseFooter(`${value}`));
}
