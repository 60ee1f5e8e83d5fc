import { createHandler, type HandlerOptions, openMemoryStorage } from "../mod.ts";
import type { Command, Invocation } from "./_command.ts";
import { within } from "./_deadline.ts";
import { formatAuthority, reachableOrigin } from "./_address.ts";
import { showFirstKey } from "./_first_key.ts";
import { listen, type Listener } from "./_listener.ts";
import { createLog, type LogFormat } from "./_log.ts";
import { MAIL_OPTIONS, readWorker, type RunningWorker } from "./_mail.ts";
import {
  type Arguments,
  type Environment,
  optionalChoice,
  readRate,
  setting,
  UsageError,
} from "./_options.ts";
import { onStopSignal } from "./_signals.ts";
import { NO_MIGRATE_OPTION, STORAGE_OPTIONS } from "./_storage.ts";

// No flag, as every user of a machine sees the arguments of its processes.
/** The variable with an operator's own key. */
export const API_KEY_VARIABLE = "BOARDCAST_API_KEY";

const REQUESTS_DEADLINE_MS = 7_000;
const CLOSE_DEADLINE_MS = 2_000;
const LOST_STATUS = 1;

export const serveCommand: Command = {
  name: "serve",
  summary: "Serve the API (the default)",
  options: [
    ...STORAGE_OPTIONS,
    setting("host HOST", "The address to listen on.", { default: "127.0.0.1" }),
    setting("port PORT", "The port to listen on; 0 means any free port.", { default: "8000" }),
    setting("base-path /PATH", "The path under which everything is served."),
    setting("rate-limit N/s | N/m | off", "Requests per API key, with a burst of twice as many.", {
      default: "100/s",
    }),
    setting(
      "cors-origin ORIGIN",
      "An origin that browsers may call from; repeat it for more (in the variable, " +
        "separate origins with commas).",
      { variable: "BOARDCAST_CORS_ORIGINS", multiple: true },
    ),
    setting(
      "public-url https://…",
      "The address of this server, with its base path, as the world sees it: makes the " +
        "changelog public.",
    ),
    setting("title TEXT", "The title of the public changelog.", { default: "Changelog" }),
    ...MAIL_OPTIONS,
    setting(
      "webhook-allow HOST:PORT",
      "A host and port that webhooks may use, by http too, though it is not public; " +
        "repeat it for more (in the variable, separate them with commas).",
      { multiple: true },
    ),
    setting(
      "log text | json | off",
      "How requests are logged on standard error; by default text on a terminal, else json.",
    ),
  ],
  details:
    "On storage without API keys, the first start creates one with every scope and prints it, once. " +
    `With ${API_KEY_VARIABLE} it creates none: the key in this variable holds every scope while the ` +
    "server runs, and is not stored. It has at least 24 characters.\n\n" +
    "SIGTERM and SIGINT finish the requests under way and end the server within 10 seconds.",
  example: "boardcast serve --storage file:/var/lib/boardcast --port 8080",
  run: serve,
};

async function serve(
  { args, environment, terminal, openStorage }: Invocation,
): Promise<number> {
  const log = createLog(readLogFormat(args), terminal.err);
  const address = { host: args.text("host") ?? "", port: readPort(args) };
  const stopping = new AbortController();
  const settings = readSettings(args, environment);
  const startWorker = await readWorker(args, environment, settings);
  const end = Promise.withResolvers<number>();
  let isStorageOpen = false;
  // Opening may take half a minute, and no request is in flight before.
  onStopSignal(() => isStorageOpen ? end.resolve(0) : Deno.exit(0));
  const storage = await openStorage(args.text("storage") ?? "", {
    mayMigrate: !args.flag(NO_MIGRATE_OPTION.name),
    onWarning: log.warn,
    // When it is started again, it reads what was stored by the process that took over the folder.
    onLost(message) {
      log.error(message);
      end.resolve(LOST_STATUS);
    },
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
    listener = listenOn(args, () => listen(handler, { ...address, onWarning: log.warn }));
    const { hostname, port } = listener.address;
    const baseUrl = reachableOrigin(hostname, port) + (settings.basePath ?? "");
    if (settings.operatorKey === undefined) {
      await showFirstKey(storage, { out: terminal.out, warn: log.warn, baseUrl });
    }
    // Commands on the data folder then call this server.
    await storage.announce?.(baseUrl);
    const url = `http://${formatAuthority(hostname, port)}/`;
    log.info(`listening on ${url}`, { url });
    log.info(`reference at ${baseUrl}/docs, data in ${describeStorage(args)}`);
  } catch (error) {
    await listener?.shutdown();
    await running?.close();
    await storage.close();
    throw error;
  }
  const status = await end.promise;
  stopping.abort();
  log.info("stopping");
  await within(REQUESTS_DEADLINE_MS, Promise.all([listener.shutdown(), running.close()]));
  await within(CLOSE_DEADLINE_MS, storage.close());
  return status;
}

// The URL of a database may hold a password.
function describeStorage(args: Arguments): string {
  const url = args.text("storage") ?? "";
  return /^postgres/.test(url) ? "PostgreSQL" : url === "memory" ? "memory" : url.slice(5);
}

function readSettings(args: Arguments, environment: Environment): Omit<HandlerOptions, "storage"> {
  const rate = readRate(args, "rate-limit", { units: "sm", examples: "100/s or 6000/m" });
  const settings = {
    basePath: args.text("base-path")?.replace(/^\/$/, ""),
    rateLimit: rate && { requests: rate.count, windowSeconds: rate.seconds },
    corsOrigins: args.texts("cors-origin"),
    operatorKey: environment(API_KEY_VARIABLE) || undefined,
    publicUrl: args.text("public-url"),
    title: args.text("title"),
    webhookAllow: args.texts("webhook-allow"),
  };
  // The handler checks its options; this one is discarded.
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

function readLogFormat(args: Arguments): LogFormat {
  return optionalChoice(args, "log", ["text", "json", "off"]) ??
    (Deno.stderr.isTerminal() ? "text" : "json");
}

function listenOn(args: Arguments, open: () => Listener): Listener {
  try {
    return open();
  } catch (cause) {
    const address = ["host", "port"]
      .map((name) => `${args.variable(name) ?? `--${name}`} ${args.text(name)}`);
    throw new Error(`cannot listen on ${address.join(" ")}: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function readPort(args: Arguments): number {
  const text = args.text("port") ?? "";
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  const hint = args.variable("port") !== undefined && text.startsWith("tcp://")
    ? "; Kubernetes sets it for a Service called boardcast: set enableServiceLinks: false, or give --port"
    : "";
  throw new UsageError(`--port "${text}" is not a whole number from 0 to 65535${hint}`);
}
