import { createWorker, openMemoryStorage, type Storage, type Worker } from "../mod.ts";
import type { WorkerOptions } from "../mod.ts";
import { within } from "./_deadline.ts";
import { type Environment, type Given, type Option, UsageError } from "./_options.ts";

/** The variable that brings the password of the relay; it has no flag, as flags are seen by all. */
const PASSWORD_VARIABLE = "BOARDCAST_MAIL_PASSWORD";
// Of the 7 seconds that requests have; what is then stored takes the rest.
const SEND_DEADLINE_MS = 5_000;

/** The flags about mail. */
export const MAIL_OPTIONS: readonly Option[] = [
  {
    name: "mail",
    value: "smtp://USER@HOST:PORT",
    variable: "BOARDCAST_MAIL",
    description: "The relay through which entries are mailed, smtp (TLS by STARTTLS) or smtps; " +
      `the password is in ${PASSWORD_VARIABLE} or the URL.`,
  },
  {
    name: "mail-from",
    value: '"NAME <ADDRESS>"',
    variable: "BOARDCAST_MAIL_FROM",
    description: "Whom mails come from.",
  },
  {
    name: "mail-footer",
    value: "TEXT",
    variable: "BOARDCAST_MAIL_FOOTER",
    description: "What stands at the end of mails, such as a postal address.",
  },
  {
    name: "mail-rate",
    value: "N/s | N/m | off",
    variable: "BOARDCAST_MAIL_RATE",
    default: "10/s",
    description: "How many mails are sent at most, by all servers on the storage together.",
  },
];

/** A worker that runs. */
export interface RunningWorker {
  readonly worker: Worker;
  /** Finishes the mails under way, or gives them up after 5 seconds, and stores what became of them. */
  close(): Promise<void>;
}

/** Starts the worker of a server. */
export type StartWorker = (storage: Storage, log: WorkerOptions["log"]) => RunningWorker;

/** What the worker shares with the handler. */
export interface WorkerSettings {
  readonly publicUrl?: string | undefined;
  readonly title?: string | undefined;
  readonly webhookAllow?: readonly string[] | undefined;
}

/**
 * Reads the flags about mail, without which the worker only sends messages to webhooks. Throws a
 * {@linkcode UsageError} that says what is missing or wrong.
 */
export async function readWorker(
  given: Given,
  environment: Environment,
  { publicUrl, title, webhookAllow }: WorkerSettings,
): Promise<StartWorker> {
  const from = given.text("mail-from");
  if (given.text("mail") === undefined) {
    if (from !== undefined) {
      throw new UsageError("--mail-from needs --mail, the relay to send through");
    }
    return function start(storage, log) {
      const worker = createWorker({ storage, webhookAllow, log });
      return { worker, close: worker.close };
    };
  }
  if (publicUrl === undefined) {
    throw new UsageError("--mail needs --public-url: mails link to the changelog");
  }
  if (from === undefined) {
    throw new UsageError('--mail needs --mail-from, like "Acme <a@b.example>"');
  }
  const password = environment(PASSWORD_VARIABLE) || undefined;
  const options = {
    publicUrl,
    title,
    from,
    webhookAllow,
    footer: given.text("mail-footer"),
    mailRatePerSecond: readMailRate(given),
  };
  // A server without mail starts sooner without it.
  const { openSmtpMailer } = await import("../delivery/smtp.ts");
  const open = () => openSmtpMailer(given.text("mail") ?? "", { password });
  // They know best what they can work with; these are thrown away.
  try {
    const worker = createWorker({ ...options, storage: openMemoryStorage(), mailer: open() });
    worker.close();
  } catch (error) {
    throw new UsageError(
      (error as Error).message.replace("Cannot use from: it", "--mail-from")
        .replace("Cannot use footer: it", "--mail-footer")
        .replace("no password is given", `set ${PASSWORD_VARIABLE}`)
        .replace(/^Cannot (.*\bmail\b)/, "--mail: cannot $1"),
    );
  }
  return function start(storage, log) {
    const mailer = open();
    const worker = createWorker({ ...options, storage, mailer, log });
    return {
      worker,
      async close() {
        const closed = worker.close();
        await within(SEND_DEADLINE_MS, closed);
        await mailer.close();
        await closed;
      },
    };
  };
}

function readMailRate(given: Given): number | false {
  const text = given.text("mail-rate") ?? "";
  if (text === "off") return false;
  const [, mails, unit] = /^(\d{1,6})\/([sm])$/.exec(text) ?? [];
  if (Number(mails) >= 1) return Number(mails) / (unit === "s" ? 1 : 60);
  throw new UsageError(`--mail-rate "${text}" is not off, nor a rate like 10/s or 300/m`);
}
