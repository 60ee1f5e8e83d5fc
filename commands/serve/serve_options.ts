import type { Mailer } from "../../delivery/mail/mailer.ts";
import { checkWorkerSettings, WORKER_OPTIONS } from "../../delivery/worker_options.ts";
import type { HandlerOptions, WorkerOptions } from "../../mod.ts";
import { DEFAULT_LANGUAGE, LANGUAGES } from "../../model/locales/language.ts";
import { isOptionError } from "../../model/options.ts";
import { checkHandlerSettings, HANDLER_OPTIONS } from "../../routes/options.ts";
import {
  type Arguments,
  type Environment,
  type Option,
  readRate,
  setting,
  UsageError,
} from "../shell/options.ts";

// No flags, as every user of a machine sees the arguments of its processes.
/** The variable with an operator's own key. */
export const API_KEY_VARIABLE = "BOARDCAST_API_KEY";
const PASSWORD_VARIABLE = "BOARDCAST_MAIL_PASSWORD";

/** All options of handler and worker. */
type Settings = HandlerOptions & WorkerOptions;

/** A flag of `serve` that may set an option of the handler, of the worker or of both. */
interface ServeOption extends Option {
  readonly sets?: keyof Settings;
  /** Makes the option's value of the flag; absent: it is the text, or texts where it may be repeated. */
  readonly read?: (args: Arguments) => unknown;
}

function sets(
  name: keyof Settings,
  option: Option,
  read?: (args: Arguments) => unknown,
): ServeOption {
  return { ...option, sets: name, ...(read && { read }) };
}

/** The flags of `serve` from which handler, worker and mailer are made. */
export const SERVE_OPTIONS: readonly ServeOption[] = [
  sets(
    "basePath",
    setting("base-path /PATH", "The path under which everything is served."),
    (args) => args.text("base-path")?.replace(/^\/$/, ""),
  ),
  sets(
    "rateLimit",
    setting("rate-limit N/s | N/m | off", "Requests per API key, with a burst of twice as many.", {
      default: "100/s",
    }),
    function readRateLimit(args) {
      const rate = readRate(args, "rate-limit", { units: "sm", examples: "100/s or 6000/m" });
      return rate && { requests: rate.count, windowSeconds: rate.seconds };
    },
  ),
  sets(
    "corsOrigins",
    setting(
      "cors-origin ORIGIN",
      "An origin that browsers may call from; repeat it for more (in the variable, " +
        "separate origins with commas).",
      { variable: "BOARDCAST_CORS_ORIGINS", multiple: true },
    ),
  ),
  sets(
    "publicUrl",
    setting(
      "public-url https://…",
      "The address of this server, with its base path, as the world sees it: makes the " +
        "changelog public.",
    ),
  ),
  sets(
    "title",
    setting("title TEXT", "The title of the public changelog.", { default: "Changelog" }),
  ),
  sets(
    "language",
    setting("language CODE", `The language of pages and mails: ${LANGUAGES.join(", ")}.`, {
      default: DEFAULT_LANGUAGE,
      choices: LANGUAGES,
    }),
  ),
  sets(
    "home",
    setting("home https://…", "The address of the product, which pages and mails link to."),
  ),
  sets(
    "logo",
    setting("logo FILE", "The logo of pages, and their icon: an SVG, PNG or WebP of up to 64 KiB."),
    readLogo,
  ),
  sets(
    "accent",
    setting(
      "accent '#RRGGBB'",
      "The colour of links and buttons, in shades that can be read on light and dark.",
    ),
  ),
  sets(
    "studio",
    setting("no-studio", "Serve no /studio, the page for the people who write."),
    (args) => !args.flag("no-studio"),
  ),
  setting(
    "mail smtp://USER@HOST:PORT",
    "The relay through which entries are mailed, smtp (TLS by STARTTLS) or smtps; " +
      `the password is in ${PASSWORD_VARIABLE} or the URL.`,
  ),
  sets("from", setting("mail-from", "Whom mails come from.", { value: '"NAME <ADDRESS>"' })),
  sets(
    "replyTo",
    setting("mail-reply-to ADDRESS", "Where replies go. [default: to --mail-from]"),
  ),
  sets(
    "bouncesTo",
    setting(
      "mail-bounces-to ADDRESS",
      "Whom relays report failures to, as the envelope sender. [default: that of --mail-from]",
    ),
  ),
  sets(
    "footer",
    setting("mail-footer TEXT", "What stands at the end of mails, such as a postal address."),
  ),
  sets(
    "mailRatePerSecond",
    setting(
      "mail-rate N/s | N/m | N/h | N/d | off",
      "How many mails are sent at most, by all servers on the storage together.",
      { default: "10/s" },
    ),
    function readMailRate(args) {
      const rate = readRate(args, "mail-rate", { units: "smhd", examples: "10/s or 5000/d" });
      return rate && rate.count / rate.seconds;
    },
  ),
  sets(
    "signUp",
    setting("sign-up", "Let anybody ask for the changelog by mail; needs --public-url and --mail."),
    (args) => args.flag("sign-up") || undefined,
  ),
  sets(
    "signUpRate",
    setting(
      "sign-up-rate N/s | N/m | N/h | N/d",
      "How many mails people who sign up get at most, from all servers on the storage together.",
      { default: "100/h" },
    ),
    function readSignUpRate(args) {
      const rate = readRate(args, "sign-up-rate", { units: "smhd", examples: "100/h or 1000/d" });
      if (rate === false) throw new UsageError("--sign-up-rate can't be off");
      return rate && { requests: rate.count, windowSeconds: rate.seconds };
    },
  ),
  sets(
    "webhookAllow",
    setting(
      "webhook-allow HOST:PORT",
      "A host and port that webhooks may use, by http too, though it is not public; " +
        "repeat it for more (in the variable, separate them with commas).",
      { multiple: true },
    ),
  ),
];

/** What `serve` was told, checked. */
export interface ServeSettings {
  readonly handler: Omit<HandlerOptions, "storage">;
  /** The mailer included, which connects when it has something to send. */
  readonly worker: Omit<WorkerOptions, "storage">;
}

/** Reads the settings of `serve`. Throws a {@linkcode UsageError} that names the flag and what to mend. */
export async function readSettings(
  args: Arguments,
  environment: Environment,
): Promise<ServeSettings> {
  const given: Partial<Record<keyof Settings, unknown>> = {
    operatorKey: environment(API_KEY_VARIABLE) || undefined,
  };
  for (const { sets, name, multiple, read } of SERVE_OPTIONS) {
    if (sets === undefined) continue;
    given[sets] = read?.(args) ?? (multiple ? args.texts(name) : args.text(name));
  }
  const settings = given as Partial<Settings>;
  try {
    const handler = pick(settings, HANDLER_OPTIONS);
    checkHandlerSettings(handler);
    const mailer = await readMailer(args, { environment, settings });
    if (settings.signUp && mailer === undefined) {
      throw new UsageError("--sign-up needs --public-url, and --mail to confirm who signs up");
    }
    const worker = { ...pick(settings, WORKER_OPTIONS), mailer };
    checkWorkerSettings(worker);
    return { handler, worker };
  } catch (error) {
    throw isOptionError(error) ? new UsageError(`${flagOf(error.option)}: ${error.detail}`) : error;
  }
}

async function readMailer(
  args: Arguments,
  { environment, settings: { publicUrl, from } }: {
    readonly environment: Environment;
    readonly settings: Partial<Settings>;
  },
): Promise<Mailer | undefined> {
  const url = args.text("mail");
  if (url === undefined) {
    if (from === undefined) return undefined;
    throw new UsageError("--mail-from needs --mail, the relay to send through");
  }
  if (publicUrl === undefined) {
    throw new UsageError("--mail needs --public-url: mails link to the changelog");
  }
  if (from === undefined) {
    throw new UsageError('--mail needs --mail-from, like "Acme <a@b.example>"');
  }
  // A server without mail starts sooner without it.
  const { openSmtpMailer } = await import("../../delivery/mail/smtp.ts");
  return openSmtpMailer(url, { password: environment(PASSWORD_VARIABLE) || undefined });
}

function readLogo(args: Arguments): Uint8Array | undefined {
  const path = args.text("logo");
  try {
    return path === undefined ? undefined : Deno.readFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new UsageError(`--logo: there is no file "${path}"`);
    }
    throw new UsageError(`--logo: cannot read "${path}": ${(error as Error).message}`);
  }
}

/** Returns the flag or variable that sets an option. */
function flagOf(option: string): string {
  if (option === "operatorKey") return API_KEY_VARIABLE;
  if (option === "password") return PASSWORD_VARIABLE;
  const flag = SERVE_OPTIONS.find(({ sets }) => sets === option);
  return `--${flag?.name ?? "mail"}`;
}

function pick<T extends object, K extends keyof T>(
  from: Partial<T>,
  names: readonly K[],
): Partial<Pick<T, K>> {
  const entries = names.map((name) => [name, from[name]] as const);
  return Object.fromEntries(entries) as Partial<Pick<T, K>>;
}
