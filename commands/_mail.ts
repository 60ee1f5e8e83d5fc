import { createWorker, openMemoryStorage, type Storage, type Worker } from "../mod.ts";
import type { WorkerOptions } from "../mod.ts";
import type { Mailer } from "../delivery/mailer.ts";
import { within } from "./_deadline.ts";
import { type Arguments, type Environment, type Option, readRate, UsageError } from "./_options.ts";

// No flag, as every user of a machine sees the arguments of its processes.
const PASSWORD_VARIABLE = "BOARDCAST_MAIL_PASSWORD";
// Of the 7 seconds that a server has to finish; storing the outcomes takes the rest.
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
  /** Finishes the mails in flight, or breaks them off after 5 seconds, and stores their outcomes. */
  close(): Promise<void>;
}

/** Starts the worker of a server. */
export type StartWorker = (storage: Storage, log: WorkerOptions["log"]) => RunningWorker;

/** What the worker shares with the handler. */
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
  const rate = readRate(args, "mail-rate", "10/s or 300/m");
  const options = {
    ...{ publicUrl, title, webhookAllow, from },
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
        .replace("Cannot use footer: it", "--mail-footer")
        .replace("no password is given", `set ${PASSWORD_VARIABLE}`)
        .replace(/^Cannot (.*\bmail\b)/, "--mail: cannot $1"),
    );
  }
}
