import { registerMailer } from "../../services/mailers.ts";
import { createHandler, type Handler, type Storage, StorageError } from "../../mod.ts";
import { randomText } from "../../model/crypto/random.ts";
import type { Invocation } from "../shell/command.ts";
import { type Option, setting, UsageError } from "../shell/options.ts";
import { createSender, KEY_VARIABLE, type SendRequest, type Server } from "./request.ts";
import { interruptible } from "../serve/signals.ts";
import { findServer, isNewFolder, openLater } from "../storage/folder.ts";
import { LASTING_STORAGE_OPTIONS, NO_MIGRATE_OPTION } from "../storage/storage.ts";
import type { OpeningOptions } from "../storage/storage.ts";

/** The flags that say which API is called. */
export const CLIENT_OPTIONS: readonly Option[] = [
  ...LASTING_STORAGE_OPTIONS,
  setting("server URL", `Call this server instead, with the API key in ${KEY_VARIABLE}.`),
];

// No client waits, and an import should outlast a database that stalls.
const STORAGE_TIMEOUT_MS = 10_000;
// In a pipe of two commands, the other one holds the data folder for a moment.
const LOCK_WAIT_MS = 5_000;
// A list from standard input may pause for any time.
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** What a command does with the storage. */
export interface Access {
  /** Whether there must be data already. */
  readonly mustExist: boolean;
  readonly isReading: boolean;
}

/**
 * Calls `use` with the API: that of the server of `--server`, of the server that holds the data folder,
 * or of a handler in this process.
 */
export async function withApi<T>(
  invocation: Invocation,
  { mustExist, isReading }: Access,
  use: (send: SendRequest) => Promise<T>,
): Promise<T> {
  const { args, terminal, openStorage } = invocation;
  const options: OpeningOptions = {
    mustExist,
    mayMigrate: !isReading && !args.flag(NO_MIGRATE_OPTION.name),
    timeoutMs: STORAGE_TIMEOUT_MS,
    onWarning: (message) => terminal.err(`boardcast: ${message}\n`),
  };
  for (const startedMs = performance.now();;) {
    const server = await chooseServer(invocation);
    if (server !== undefined) return await use(createSender(server, fetchFrom(server)));
    const storageUrl = readStorageUrl(invocation);
    const open = () => openStorage(storageUrl, options);
    const isNew = !mustExist && await isNewFolder(storageUrl);
    const storage = isNew ? openLater(open) : await open().catch((error) => {
      const isLate = performance.now() - startedMs > LOCK_WAIT_MS;
      if (isLate || !(error instanceof StorageError && error.code === "locked")) throw error;
    });
    if (storage === undefined) continue;
    try {
      const send = createOwnSender(storage);
      return isReading ? await endAtSignal(() => use(send)) : await use(send);
    } finally {
      await storage.close();
    }
  }
}

/** Rejects at a signal to stop, so that the storage is closed before the process ends. */
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

async function chooseServer(invocation: Invocation): Promise<Server | undefined> {
  const { args, environment } = invocation;
  const isStorageNamed = args.flag("storage");
  if (isStorageNamed && args.flag("server")) {
    throw new UsageError("--storage and --server exclude each other");
  }
  const named = isStorageNamed ? undefined : args.text("server");
  if (named !== undefined && !isServerUrl(named)) {
    throw new UsageError("--server is not a URL like https://example.com, without user and query");
  }
  const url = named ?? await findServer(readStorageUrl(invocation));
  if (url === undefined) return undefined;
  const key = environment(KEY_VARIABLE);
  // As headers take it; and whatever it is, it may be a secret.
  if (key !== undefined && !/^[\w.~+/-]+=*$/.test(key)) {
    throw new UsageError(`${KEY_VARIABLE} is no API key: it has characters that keys don't have`);
  }
  if (key !== undefined) return { url: url.replace(/\/$/, ""), key };
  throw named === undefined
    ? new Error(
      `the server at ${url} holds the data folder: put an API key for it into ${KEY_VARIABLE}`,
    )
    : new UsageError(`--server needs an API key in ${KEY_VARIABLE}`);
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

/** Sends requests to a handler in this process, and throws the errors that it logs. */
function createOwnSender(storage: Storage): SendRequest {
  const key = randomText(40);
  let failure: unknown;
  // By a server that is started on the storage.
  registerMailer(storage);
  const handler = createHandler({
    storage,
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
