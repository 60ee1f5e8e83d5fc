import { createHandler, type HandlerOptions, openMemoryStorage, type RateLimit } from "../mod.ts";
import type { Command, Invocation } from "./_command.ts";
import { within } from "./_deadline.ts";
import { formatAuthority, reachableOrigin } from "./_address.ts";
import { showFirstKey } from "./_first_key.ts";
import { listen, type Listener } from "./_listener.ts";
import { createLog, type LogFormat } from "./_log.ts";
import { MAIL_OPTIONS, readWorker, type RunningWorker } from "./_mail.ts";
import { type Environment, type Given, optionalChoice, UsageError } from "./_options.ts";
import { onStopSignal } from "./_signals.ts";
import { NO_MIGRATE_OPTION, STORAGE_OPTIONS } from "./_storage.ts";

/** The variable that brings an operator's own key; it has no flag, as flags are seen by all. */
export const API_KEY_VARIABLE = "BOARDCAST_API_KEY";

const REQUESTS_DEADLINE_MS = 7_000;
const CLOSE_DEADLINE_MS = 2_000;
const LOST_STATUS = 1;

/** Serves the API. */
export const serveCommand: Command = {
  name: "serve",
  summary: "Serve the API (the default)",
  options: [
    ...STORAGE_OPTIONS,
    {
      name: "host",
      value: "HOST",
      variable: "BOARDCAST_HOST",
      default: "127.0.0.1",
      description: "The address to listen on.",
    },
    {
      name: "port",
      value: "PORT",
      variable: "BOARDCAST_PORT",
      default: "8000",
      description: "The port to listen on; 0 means any free port.",
    },
    {
      name: "base-path",
      value: "/PATH",
      variable: "BOARDCAST_BASE_PATH",
      description: "The path under which everything is served.",
    },
    {
      name: "rate-limit",
      value: "N/s | N/m | off",
      variable: "BOARDCAST_RATE_LIMIT",
      default: "100/s",
      description: "Requests per API key, with a burst of twice as many.",
    },
    {
      name: "cors-origin",
      value: "ORIGIN",
      variable: "BOARDCAST_CORS_ORIGINS",
      multiple: true,
      description: "An origin that browsers may call from; repeat it for more (in the variable, " +
        "separate origins with commas).",
    },
    {
      name: "public-url",
      value: "https://…",
      variable: "BOARDCAST_PUBLIC_URL",
      description:
        "The address of this server, with its base path, as the world sees it: makes the " +
        "changelog public.",
    },
    {
      name: "title",
      value: "TEXT",
      variable: "BOARDCAST_TITLE",
      default: "Changelog",
      description: "The title of the public changelog.",
    },
    ...MAIL_OPTIONS,
    {
      name: "webhook-allow",
      value: "HOST:PORT",
      variable: "BOARDCAST_WEBHOOK_ALLOW",
      multiple: true,
      description: "A host and port that webhooks may use, by http too, though it is not public; " +
        "repeat it for more (in the variable, separate them with commas).",
    },
    {
      name: "log",
      value: "text | json | off",
      variable: "BOARDCAST_LOG",
      description:
        "How requests are logged on standard error; by default text on a terminal, else json.",
    },
  ],
  details: [
    "On storage without API keys, the first start creates one with every scope and prints it, once. " +
    `With ${API_KEY_VARIABLE} it creates none: the key in this variable holds every scope while the ` +
    "server runs, and is not stored. It has at least 24 characters.",
    "SIGTERM and SIGINT finish the requests under way and end the server within 10 seconds.",
  ],
  example: "boardcast serve --storage file:/var/lib/boardcast --port 8080",
  run: serve,
};

async function serve(
  { given, environment, terminal, openStorage }: Invocation,
): Promise<number> {
  const log = createLog(readLogFormat(given), terminal.err);
  const address = { host: given.text("host") ?? "", port: readPort(given) };
  const stopping = new AbortController();
  const settings = readSettings(given, environment);
  const startWorker = await readWorker(given, environment, settings);
  const end = Promise.withResolvers<number>();
  let isStorageOpen = false;
  // No request is in flight before storage is open, and opening may take half a minute.
  onStopSignal(() => isStorageOpen ? end.resolve(0) : Deno.exit(0));
  const storage = await openStorage(given.text("storage") ?? "", {
    mayMigrate: !given.flag(NO_MIGRATE_OPTION.name),
    onWarning: log.warn,
    // Started again, the process reads what the one that took the folder has stored.
    onLost: () => end.resolve(LOST_STATUS),
  });
  isStorageOpen = true;
  let listener: Listener | undefined;
  let running: RunningWorker | undefined;
  try {
    const signal = stopping.signal;
    running = startWorker(storage, log.worker);
    const { worker } = running;
    if (worker.sendTest !== undefined && settings.publicUrl?.startsWith("http:")) {
      log.warn("mail programs offer to unsubscribe only where --public-url is https");
    }
    const handler = createHandler({ ...settings, storage, worker, signal, log: log.request });
    listener = listenOn(given, () => listen(handler, { ...address, onWarning: log.warn }));
    const { hostname, port } = listener.address;
    const baseUrl = reachableOrigin(hostname, port) + (settings.basePath ?? "");
    if (settings.operatorKey === undefined) {
      await showFirstKey(storage, { out: terminal.out, warn: log.warn, baseUrl });
    }
    // So that commands on a data folder find the server that holds it.
    await storage.announce?.(baseUrl);
    const url = `http://${formatAuthority(hostname, port)}/`;
    log.note(`listening on ${url}`, { url });
    log.note(`reference at ${baseUrl}/docs, data in ${describeStorage(given)}`);
  } catch (error) {
    await listener?.shutdown();
    await running?.close();
    await storage.close();
    throw error;
  }
  const status = await end.promise;
  stopping.abort();
  log.note("stopping");
  await within(REQUESTS_DEADLINE_MS, Promise.all([listener.shutdown(), running.close()]));
  await within(CLOSE_DEADLINE_MS, storage.close());
  return status;
}

// No more of a database's URL than its kind: it may hold a password.
function describeStorage(given: Given): string {
  const url = given.text("storage") ?? "";
  return /^postgres/.test(url) ? "PostgreSQL" : url === "memory" ? "memory" : url.slice(5);
}

function readSettings(given: Given, environment: Environment): Omit<HandlerOptions, "storage"> {
  const settings = {
    basePath: given.text("base-path")?.replace(/^\/$/, ""),
    rateLimit: readRateLimit(given),
    corsOrigins: given.texts("cors-origin"),
    operatorKey: environment(API_KEY_VARIABLE) || undefined,
    publicUrl: given.text("public-url"),
    title: given.text("title"),
    webhookAllow: given.texts("webhook-allow"),
  };
  // The handler knows best what it can work with; this one is thrown away.
  try {
    createHandler({ ...settings, storage: openMemoryStorage() });
  } catch (error) {
    throw new UsageError(
      (error as Error).message.replace("Cannot use basePath", "--base-path can't be")
        .replace("Cannot use origin", "--cors-origin can't be")
        .replace("Cannot use publicUrl", "--public-url can't be")
        .replace("Cannot use title: it", "--title")
        .replace("Cannot use webhookAllow:", "--webhook-allow")
        .replace("Cannot use operatorKey: it", API_KEY_VARIABLE),
    );
  }
  return settings;
}

function readLogFormat(given: Given): LogFormat {
  return optionalChoice(given, "log", ["text", "json", "off"]) ??
    (Deno.stderr.isTerminal() ? "text" : "json");
}

function listenOn(given: Given, open: () => Listener): Listener {
  try {
    return open();
  } catch (cause) {
    const address = ["host", "port"]
      .map((name) => `${given.variable(name) ?? `--${name}`} ${given.text(name)}`);
    throw new Error(`cannot listen on ${address.join(" ")}: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function readPort(given: Given): number {
  const text = given.text("port") ?? "";
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  const hint = given.variable("port") !== undefined && text.startsWith("tcp://")
    ? "; Kubernetes sets it for a Service called boardcast: set enableServiceLinks: false, or give --port"
    : "";
  throw new UsageError(`--port "${text}" is not a whole number from 0 to 65535${hint}`);
}

function readRateLimit(given: Given): RateLimit | false {
  const text = given.text("rate-limit") ?? "";
  if (text === "off") return false;
  const [, requests, unit] = /^(\d{1,9})\/([sm])$/.exec(text) ?? [];
  if (Number(requests) >= 1) {
    return { requests: Number(requests), windowSeconds: unit === "s" ? 1 : 60 };
  }
  throw new UsageError(`--rate-limit "${text}" is not off, nor a rate like 100/s or 6000/m`);
}
