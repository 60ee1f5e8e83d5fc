import { registerMailer } from "../../services/mailers.ts";
import {
  createHandler,
  type Handler,
  type HandlerOptions,
  openMemoryStorage,
  type Storage,
  StorageError,
} from "../../mod.ts";
import { randomText } from "../../model/crypto/random.ts";
import { isOptionError } from "../../model/options.ts";
import type { Invocation } from "../shell/command.ts";
import { type Arguments, type Option, setting, UsageError } from "../shell/options.ts";
import {
  createSender,
  KEY_VARIABLE,
  RequestError,
  type SendRequest,
  type Server,
  type TextFields,
} from "./request.ts";
import { interruptible } from "../serve/signals.ts";
import { findServer, isNewFolder, openLater } from "../storage/folder.ts";
import {
  LASTING_STORAGE_OPTIONS,
  NO_MIGRATE_OPTION,
  type OpeningOptions,
} from "../storage/storage.ts";

/** The flags that choose the API to call. */
export const CLIENT_OPTIONS: readonly Option[] = [
  ...LASTING_STORAGE_OPTIONS,
  setting("server URL", `Call this server instead, with the API key in ${KEY_VARIABLE}.`),
];

/** The flag for the time zone of a handler in this process. */
export const TIME_ZONE_OPTION: Option = setting(
  "time-zone NAME",
  "With storage: the time zone in which a day without a time begins, like Europe/Berlin. " +
    "[default: that of the settings]",
);

// An import should outlast a database that stalls for a while.
const STORAGE_TIMEOUT_MS = 10_000;
// In a pipe of two commands, the other command may hold the data folder for a moment.
const LOCK_WAIT_MS = 5_000;
// A list from standard input may pause for any time.
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** The kind of access that a command needs. */
export interface Access {
  /** Whether the storage must already contain data. */
  readonly mustExist: boolean;
  /** Whether the command changes nothing; if so, it does not migrate a database either. */
  readonly isReading: boolean;
  /**
   * The flag that fills each field. If the API refuses the value, the {@linkcode UsageError} names
   * the flag. Absent: the user typed no value.
   */
  readonly flags?: TextFields;
}

/**
 * Calls `use` with the API of a server or of a handler in this process. The server is that of
 * `--server`, or the one that holds the data folder.
 */
export async function withApi<T>(
  invocation: Invocation,
  access: Access,
  use: (send: SendRequest) => Promise<T>,
): Promise<T> {
  try {
    return await callApi(invocation, access, use);
  } catch (error) {
    const isRefused = error instanceof RequestError && error.errors.length > 0;
    throw isRefused && access.flags !== undefined ? explain(error, access.flags) : error;
  }
}

function explain({ errors }: RequestError, flags: TextFields): UsageError {
  const details = errors.map(({ field, detail }) => detail.replace(field, flags[field] ?? field));
  return new UsageError(details.join("; "));
}

async function callApi<T>(
  invocation: Invocation,
  { mustExist, isReading }: Access,
  use: (send: SendRequest) => Promise<T>,
): Promise<T> {
  const { args, terminal, openStorage } = invocation;
  const options: OpeningOptions = {
    // A command that only reads creates no data.
    mustExist: mustExist || isReading,
    mayMigrate: !isReading && !args.flag(NO_MIGRATE_OPTION.name),
    timeoutMs: STORAGE_TIMEOUT_MS,
    onWarning: (message) => terminal.err(`boardcast: ${message}\n`),
  };
  for (const startedMs = performance.now();;) {
    const server = await findServerWithKey(invocation);
    if (server !== undefined) refuseSite(args, server);
    if (server !== undefined) return await use(createSender(server, fetchFrom(server)));
    const storageUrl = readStorageUrl(invocation);
    const open = () => openStorage(storageUrl, options);
    const isNew = !mustExist && await isNewFolder(storageUrl);
    const openNew = () => isReading ? openMemoryStorage() : openLater(open);
    const storage = isNew ? openNew() : await open().catch((error) => {
      const isLate = performance.now() - startedMs > LOCK_WAIT_MS;
      if (isLate || !(error instanceof StorageError && error.code === "locked")) throw error;
    });
    if (storage === undefined) continue;
    try {
      const send = createOwnSender(storage, siteOf(args));
      return isReading ? await endAtSignal(() => use(send)) : await use(send);
    } finally {
      await storage.close();
    }
  }
}

/** Rejects at a stop signal, so that the storage is closed before the process ends. */
function endAtSignal<T>(use: () => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const { signal } = interruption;
  return interruptible(interruption, () =>
    Promise.race([
      use(),
      new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
    ]));
}

/**
 * Returns a function that reads the API's own description. Opens no storage and sends no key. If
 * `needsKey`, throws a {@linkcode UsageError} if the key for later calls is missing.
 */
export async function describedApi(
  invocation: Invocation,
  { needsKey }: { readonly needsKey: boolean },
): Promise<SendRequest> {
  const server = needsKey ? await findServerWithKey(invocation) : await chooseServer(invocation);
  if (server === undefined) return createOwnSender(openMemoryStorage(), siteOf(invocation.args));
  refuseSite(invocation.args, server);
  return createSender({ url: server.url }, fetchFrom(server));
}

/** Throws a {@linkcode UsageError} for a flag that a running server decides for itself. */
function refuseSite(args: Arguments, { url }: Server): void {
  const name = ["public-url", TIME_ZONE_OPTION.name].find((name) =>
    args.flag(name) || args.text(name) !== undefined && args.variable(name) === undefined
  );
  if (name === undefined) return;
  throw new UsageError(`--${name} is for storage: the server at ${url} has its own`);
}

/** A server, and whether a flag or a variable named it. */
interface ChosenServer extends Server {
  readonly isNamed: boolean;
}

/** Returns the server to call; `undefined` to call the handler of this process. */
async function chooseServer(invocation: Invocation): Promise<ChosenServer | undefined> {
  const { args } = invocation;
  const isStorageNamed = args.flag("storage");
  if (isStorageNamed && args.flag("server")) {
    throw new UsageError("--storage and --server exclude each other");
  }
  const named = isStorageNamed ? undefined : args.text("server");
  if (named !== undefined && !isServerUrl(named)) {
    throw new UsageError("--server is not a URL like https://example.com, without user and query");
  }
  const url = named ?? await findServer(readStorageUrl(invocation));
  return url === undefined
    ? undefined
    : { url: url.replace(/\/$/, ""), isNamed: named !== undefined };
}

async function findServerWithKey(invocation: Invocation): Promise<Server | undefined> {
  const server = await chooseServer(invocation);
  if (server === undefined) return undefined;
  const { url, isNamed } = server;
  const key = invocation.environment(KEY_VARIABLE);
  // The message omits the value, which may be another secret.
  if (key !== undefined && !/^[\w.~+/-]+=*$/.test(key)) {
    throw new UsageError(`${KEY_VARIABLE} is no API key: it has characters that keys don't have`);
  }
  if (key !== undefined) return { url, key };
  throw isNamed ? new UsageError(`--server needs an API key in ${KEY_VARIABLE}`) : new Error(
    `the server at ${url} holds the data folder: put an API key for it into ${KEY_VARIABLE}`,
  );
}

function readStorageUrl({ args }: Invocation): string {
  const url = args.text("storage") ?? "";
  if (url !== "memory") return url;
  throw new UsageError(
    "--storage memory does not outlive the command; give file:DIR or postgres://…",
  );
}

function isServerUrl(text: string): boolean {
  return /^https?:\/\/[^@?#]+$/.test(text) && URL.canParse(text);
}

function fetchFrom({ url }: Server): Handler {
  return (request) =>
    fetch(request).catch((cause) => {
      const reason = (cause.cause?.message ?? cause.message).replace(/^error sending .*\): /, "");
      throw new Error(`cannot reach ${url}: ${reason}`, { cause });
    });
}

/** The options of the handler in this process that flags can set. */
type OwnSite = Pick<HandlerOptions, "publicUrl" | "timeZone">;

function siteOf(args: Arguments): OwnSite {
  return { publicUrl: args.text("public-url"), timeZone: args.text(TIME_ZONE_OPTION.name) };
}

/** Sends requests to a handler in this process, and throws the errors that it logs. */
function createOwnSender(storage: Storage, site: OwnSite): SendRequest {
  const key = randomText(40);
  let failure: unknown;
  // A server that starts on the storage later sends the mails.
  registerMailer(storage);
  const handler = createOwnHandler({
    storage,
    ...site,
    operatorKey: key,
    rateLimit: false,
    bodyTimeoutMs: NO_TIMEOUT_MS,
    log: ({ error }) => failure = error,
  });
  const send = createSender({ url: "http://localhost", key }, handler);
  return (request) =>
    send(request).catch((error) => {
      throw failure ?? error;
    });
}

function createOwnHandler(options: HandlerOptions): Handler {
  try {
    return createHandler(options);
  } catch (error) {
    if (!isOptionError(error)) throw error;
    const flag = error.option === "timeZone" ? TIME_ZONE_OPTION.name : "public-url";
    throw new UsageError(`--${flag}: ${error.detail}`);
  }
}
