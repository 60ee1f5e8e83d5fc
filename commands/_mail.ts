import { createWorker, openMemoryStorage, type Storage, type Worker } from "../mod.ts";
import type { WorkerOptions } from "../mod.ts";
import type { Mailer } from "../delivery/mailer.ts";
import { within } from "./_deadline.ts";
import {
  type Arguments,
  type Environment,
  type Option,
  readRate,
  setting,
  UsageError,
} from "./_options.ts";

// No flag, as every user of a machine sees the arguments of its processes.
const PASSWORD_VARIABLE = "BOARDCAST_MAIL_PASSWORD";
// Of the 7 seconds that a server has to finish; storing the outcomes takes the rest.
const SEND_DEADLINE_MS = 5_000;

export const MAIL_OPTIONS: readonly Option[] = [
  setting(
    "mail smtp://USER@HOST:PORT",
    "The relay through which entries are mailed, smtp (TLS by STARTTLS) or smtps; " +
      `the password is in ${PASSWORD_VARIABLE} or the URL.`,
  ),
  setting("mail-from", "Whom mails come from.", { value: '"NAME <ADDRESS>"' }),
  setting("mail-reply-to ADDRESS", "Where replies go. [default: to --mail-from]"),
  setting("mail-footer TEXT", "What stands at the end of mails, such as a postal address."),
  setting(
    "mail-rate N/s | N/m | N/h | N/d | off",
    "How many mails are sent at most, by all servers on the storage together.",
    { default: "10/s" },
  ),
];

export interface RunningWorker {
  readonly worker: Worker;
  /** Finishes the mails in flight, or breaks them off after 5 seconds, and stores their outcomes. */
  close(): Promise<void>;
}

export type StartWorker = (storage: Storage, log: WorkerOptions["log"]) => RunningWorker;

export type WorkerSettings = Pick<WorkerOptions, "publicUrl" | "title" | "webhookAllow">;

/**
 * Reads the flags about mail, without which the worker only sends messages to webhooks. Throws a
 * {@linkcode UsageError} that says what is missing or wrong.
 */
export async function readWorker(
  args: Arguments,
  environment: Environment,
  { publicUrl, title, webhookAllow }: WorkerSettings,
): Promise<StartWorker> {
  const url = args.text("mail");
  const from = args.text("mail-from");
  if (url === undefined && from !== undefined) {
    throw new UsageError("--mail-from needs --mail, the relay to send through");
  }
  const openMailer = url === undefined ? undefined : await readMailer(url, environment);
  const rate = readRate(args, "mail-rate", { units: "smhd", examples: "10/s or 5000/d" });
  const options = {
    ...{ publicUrl, title, webhookAllow, from },
    replyTo: args.text("mail-reply-to"),
    footer: args.text("mail-footer"),
    mailRatePerSecond: rate && rate.count / rate.seconds,
  };
  if (openMailer !== undefined) checkMail(options, openMailer);
  return function start(storage, log) {
    const mailer = openMailer?.();
    const worker = createWorker({ ...options, storage, mailer, log });
    return {
      worker,
      async close() {
        const closed = worker.close();
        await within(SEND_DEADLINE_MS, closed);
        await mailer?.close();
        await closed;
      },
    };
  };
}

async function readMailer(url: string, environment: Environment): Promise<OpenMailer> {
  const password = environment(PASSWORD_VARIABLE) || undefined;
  // A server without mail starts sooner without it.
  const { openSmtpMailer } = await import("../delivery/smtp.ts");
  return () => openSmtpMailer(url, { password });
}

type OpenMailer = () => Mailer;

/** Throws a {@linkcode UsageError} for options that mailer and worker, made to be discarded, refuse. */
function checkMail(options: Omit<WorkerOptions, "storage">, openMailer: OpenMailer): void {
  if (options.publicUrl === undefined) {
    throw new UsageError("--mail needs --public-url: mails link to the changelog");
  }
  if (options.from === undefined) {
    throw new UsageError('--mail needs --mail-from, like "Acme <a@b.example>"');
  }
  try {
    createWorker({ ...options, storage: openMemoryStorage(), mailer: openMailer() }).close();
  } catch (error) {
    throw new UsageError(
      (error as Error).message.replace("Cannot use from: it", "--mail-from")
        .replace("Cannot use replyTo: it", "--mail-reply-to")
        .replace("Cannot use footer: it", "--mail-footer")
        .replace("no password is given", `set ${PASSWORD_VARIABLE}`)
        .replace(/^Cannot (.*\bmail\b)/, "--mail: cannot $1"),
    );
  }
}
