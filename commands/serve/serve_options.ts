import type { Mailer } from "../../delivery/mail/mailer.ts";
import type { OAuthOptions } from "../../delivery/mail/smtp.ts";
import { checkWorkerSettings, WORKER_OPTIONS } from "../../delivery/worker_options.ts";
import type { HandlerOptions, WorkerOptions } from "../../mod.ts";
import { type FlaggedOption, isOptionError, type OptionCheck } from "../../model/options.ts";
import { OIDC_OPTIONS, type OidcOptions } from "../../model/oidc/oidc_options.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { checkHandlerSettings, HANDLER_OPTIONS } from "../../routes/options.ts";
import {
  type Arguments,
  type Environment,
  type Option,
  setting,
  UsageError,
} from "../shell/options.ts";

// There are no flags for secrets, because every user of a machine sees the arguments of its
// processes.
/** The variable with an operator's own key. */
export const API_KEY_VARIABLE = "BOARDCAST_API_KEY";
const PASSWORD_VARIABLE = "BOARDCAST_MAIL_PASSWORD";
const OIDC_SECRET_VARIABLE = "BOARDCAST_OIDC_CLIENT_SECRET";

// More than any option accepts; the check of the option reports the excess.
const MAX_FILE_BYTES = 1024 * 1024;

type Settings = HandlerOptions & WorkerOptions;

// The options of the provider are one option of the handler.
const OIDC_PREFIX = "oidc.";
const OF_PROVIDER = Object.fromEntries(
  Object.entries(OIDC_OPTIONS).map(([name, declared]) => [OIDC_PREFIX + name, declared]),
);

const DECLARED = Object.entries<OptionCheck | FlaggedOption>({
  ...HANDLER_OPTIONS,
  ...OF_PROVIDER,
  ...WORKER_OPTIONS,
}).flatMap(([option, declared]) => typeof declared === "function" ? [] : [{ option, ...declared }]);

const MAIL: Option = setting(
  "mail smtp://USER@HOST:PORT",
  "The relay through which entries are mailed, smtp (TLS by STARTTLS) or smtps; " +
    `the password is in ${PASSWORD_VARIABLE} or the URL.`,
);

const SECRET_VARIABLE = "BOARDCAST_MAIL_CLIENT_SECRET";
const HELLO: Option = setting(
  "mail-hello NAME",
  "The name of this server for the relay (EHLO). [default: the host of --public-url]",
);
const TOKEN_URL: Option = setting(
  "mail-token-url URL",
  "Where tokens for the login are fetched (OAuth 2, client credentials), as Microsoft 365 asks for.",
);
const CLIENT_ID: Option = setting(
  "mail-client-id ID",
  `The client whom tokens are for; its secret is in ${SECRET_VARIABLE}.`,
);

/** The flags of the mailer by the options that they set. */
const OF_MAILER: Readonly<Partial<Record<string, Option>>> = {
  hello: HELLO,
  tokenUrl: TOKEN_URL,
  clientId: CLIENT_ID,
};

/** The flags of `serve`, which set the options of handler, worker and mailer. */
export const SERVE_OPTIONS: readonly Option[] = DECLARED.flatMap((declared) => {
  const { flag, schema: { description = "", default: preset }, variable } = declared;
  const multiple = isList(declared);
  const option = setting(flag, description, {
    default: preset === undefined ? undefined : `${preset}`,
    multiple,
  });
  const named = variable === undefined ? option : { ...option, variable };
  return declared.option === "from" ? [MAIL, HELLO, TOKEN_URL, CLIENT_ID, named] : [named];
});

/** The checked settings of `serve`. */
export interface ServeSettings {
  readonly handler: Omit<HandlerOptions, "storage">;
  /** Includes the mailer, which connects when it sends its first mail. */
  readonly worker: Omit<WorkerOptions, "storage">;
}

/**
 * Reads the settings of `serve`. Throws a {@linkcode UsageError} that names the flag and the
 * correction.
 */
export async function readSettings(
  args: Arguments,
  environment: Environment,
): Promise<ServeSettings> {
  const given: Partial<Record<string, unknown>> = {
    operatorKey: environment(API_KEY_VARIABLE) || undefined,
  };
  for (const declared of DECLARED) given[declared.option] = await readOption(declared, args);
  given.oidc = readOidc(given, environment(OIDC_SECRET_VARIABLE));
  const settings = given as Partial<Settings>;
  try {
    const handler = pick(settings, HANDLER_OPTIONS);
    checkHandlerSettings(handler);
    if (handler.oidc !== undefined && !(handler.publicUrl !== undefined && handler.studio)) {
      throw new UsageError("--oidc-issuer needs --public-url, and the studio: no --no-studio");
    }
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

/** Returns the options of the provider; `undefined` if none of its flags is set. */
function readOidc(
  given: Partial<Record<string, unknown>>,
  clientSecret: string | undefined,
): Partial<OidcOptions> | undefined {
  const options = Object.entries(given).filter(([name, value]) => {
    const isAbsent = value === undefined || Array.isArray(value) && value.length === 0;
    return name.startsWith(OIDC_PREFIX) && !isAbsent;
  }).map(([name, value]) => [name.slice(OIDC_PREFIX.length), value]);
  return options.length === 0 ? undefined : { ...Object.fromEntries(options), clientSecret };
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
  return openSmtpMailer(url, {
    password: environment(PASSWORD_VARIABLE) || undefined,
    hello: args.text(HELLO.name) ?? nameOfHost(publicUrl),
    oauth: readOAuth(args, environment(SECRET_VARIABLE)),
  });
}

function readOAuth(args: Arguments, clientSecret: string | undefined): OAuthOptions | undefined {
  const [tokenUrl, clientId] = [TOKEN_URL, CLIENT_ID].map(({ name }) => args.text(name));
  if (tokenUrl === undefined && clientId === undefined) return undefined;
  if (tokenUrl === undefined || clientId === undefined || !clientSecret) {
    throw new UsageError(
      `--${TOKEN_URL.name}, --${CLIENT_ID.name} and ${SECRET_VARIABLE} need each other`,
    );
  }
  return { tokenUrl, clientId, clientSecret };
}

/** Returns the host of a URL if it is a name, because relays refuse an IP address. */
function nameOfHost(url: string): string | undefined {
  const { hostname } = new URL(url);
  return /^\[|^[\d.]+$/.test(hostname) ? undefined : hostname;
}

async function readOption(declared: FlaggedOption, args: Arguments): Promise<unknown> {
  const { flag, parse, isFile, sends = true } = declared;
  const [name, value] = flag.split(" ");
  if (value === undefined) return args.flag(name) ? sends : sends ? undefined : true;
  if (isList(declared)) return args.texts(name);
  // A default must not count as given: people may change the setting.
  if (!args.isGiven(name)) return undefined;
  const text = args.text(name);
  if (text === undefined) return undefined;
  if (isFile) return await (await import("../shell/files.ts")).readFile(text, MAX_FILE_BYTES);
  const made = parse === undefined ? text : parse(text);
  if (!(made instanceof Refusal)) return made;
  throw new UsageError(`--${name} "${text}" ${made.detail}`);
}

/** Tells whether a flag may be repeated. */
function isList({ schema }: FlaggedOption): boolean {
  return schema.type === "array";
}

/** Returns the flag or variable that sets an option. */
function flagOf(option: string): string {
  if (option === "operatorKey") return API_KEY_VARIABLE;
  if (option === "password") return PASSWORD_VARIABLE;
  if (option === "clientSecret") return SECRET_VARIABLE;
  if (option === `${OIDC_PREFIX}clientSecret`) return OIDC_SECRET_VARIABLE;
  const own = OF_MAILER[option];
  if (own !== undefined) return `--${own.name}`;
  const { flag = MAIL.name } = DECLARED.find((declared) => declared.option === option) ?? {};
  return `--${flag.split(" ")[0]}`;
}

function pick<T extends object>(
  from: Partial<Settings>,
  declared: T,
): Pick<Settings, keyof T & keyof Settings> {
  const names = Object.keys(declared) as (keyof Settings)[];
  return Object.fromEntries(names.map((name) => [name, from[name]])) as ReturnType<typeof pick<T>>;
}
