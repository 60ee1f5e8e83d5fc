import type { Storage } from "../adapters/storage.ts";
import { readBrand } from "../model/brand.ts";
import type { WeeklySchedule } from "../model/deliveries/week.ts";
import { remember } from "../model/lazy.ts";
import { optionDefault } from "../model/options.ts";
import { effectiveOptions, type StoredSettings } from "../model/settings/settings.ts";
import type { FormMailRate } from "../services/proof/rate.ts";
import { settingsOf } from "../services/settings/reader.ts";
import type { MailSettings } from "./mail/list_mail.ts";
import {
  readBouncesTo,
  readEmailOption,
  readFooter,
  readMailbox,
  WORKER_OPTIONS,
  type WorkerOptions,
} from "./worker_options.ts";

/** Options for sending mails, after checks and defaults. */
export interface MailOptions {
  /** The public URL of the service, for links. */
  readonly publicUrl: string;
  /** Returns the settings of mails that leave now: the same object until they change. */
  readonly settingsNow: () => Promise<MailSettings>;
  /** The address of the operator; `undefined` to tell nobody. */
  readonly alertsTo: string | undefined;
  /** The most mails per second; `false` for no limit. */
  readonly ratePerSecond: number | false;
  /** When weekly mails are sent; `false` for never. */
  readonly weekly: WeeklySchedule | false;
  /** The most mails that forms may cause. */
  readonly signUpRate: FormMailRate;
}

/** Reads the options for sending mails from checked options; `storage` has the settings. */
export function readMailOptions(options: WorkerOptions, storage: Storage): MailOptions {
  return {
    publicUrl: `${options.publicUrl}`,
    settingsNow: createSettingsReader(options, storage),
    alertsTo: options.alertsTo && readEmailOption(options.alertsTo, "alertsTo"),
    ratePerSecond: options.mailRatePerSecond ?? optionDefault(WORKER_OPTIONS.mailRatePerSecond),
    weekly: options.weekly ?? optionDefault(WORKER_OPTIONS.weekly),
    signUpRate: options.signUpRate ?? optionDefault(WORKER_OPTIONS.signUpRate),
  };
}

function createSettingsReader(
  options: WorkerOptions,
  storage: Storage,
): MailOptions["settingsNow"] {
  const { publicUrl, bouncesTo } = options;
  const unchanging = {
    publicUrl: `${publicUrl}`,
    from: readMailbox(options.from, "from"),
    bouncesTo: bouncesTo === undefined ? undefined : readBouncesTo(bouncesTo, "bouncesTo"),
  };
  const withStored = remember((stored: StoredSettings) => {
    const { replyTo, footer = "", ...brand } = effectiveOptions(options, stored);
    return Promise.resolve({
      ...readBrand(brand),
      ...unchanging,
      replyTo: replyTo === undefined ? undefined : readMailbox(replyTo, "replyTo"),
      footer: readFooter(footer, "footer"),
    });
  });
  const reader = settingsOf(storage);
  return async () => await withStored(await reader.read());
}
