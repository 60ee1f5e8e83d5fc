import {
  createHandler,
  type Handler,
  type HandlerOptions,
  openMemoryStorage,
  type RateLimit,
} from "../mod.ts";
import type { Command, Invocation } from "./_command.ts";
import { within } from "./_deadline.ts";
import { createFirstKey } from "./_first_key.ts";
import { formatAuthority, reachableOrigin } from "./_http_call.ts";
import { listen, type Listener, type ListenOptions } from "./_listener.ts";
import { createLog, type LogFormat } from "./_log.ts";
import { type Environment, type Given, UsageError } from "./_options.ts";
import { onStopSignal } from "./_signals.ts";
import { refuseAfterStandstill } from "./_standstill.ts";
import { STORAGE_OPTIONS } from "./_storage.ts";
import { createTelemetry } from "./_telemetry.ts";
import { optionalChoice } from "./_values.ts";

/** The variable that brings an operator's own key; it has no flag, as flags are seen by all. */
export const API_KEY_VARIABLE = "BOARDCAST_API_KEY";

const ANSWER_DEADLINE_MS = 7_000;
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
      name: "listener",
      value: "deno | node",
      default: "deno",
      description:
        "What accepts connections: deno is fast and leaves slow and silent clients to a " +
        "proxy in front; node closes them itself, at less than half the speed.",
    },
    {
      name: "max-connections",
      value: "N",
      default: "900",
      description:
        "The maximum number of open connections with --listener node; keep it below the limit of " +
        "open files. When one more comes, the connection is closed whose client has kept the " +
        "server waiting for longest: silent, in mid-head or mid-body, idle, or not reading its " +
        "response.",
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
  const telemetry = createTelemetry();
  const openListener = await readListener(given);
  const address = { host: readHost(given), port: readPort(given) };
  const stopping = new AbortController();
  const settings = readSettings(given, environment);
  const end = Promise.withResolvers<number>();
  let isStorageOpen = false;
  // Nothing is under way before storage is open, and opening may take half a minute.
  onStopSignal(() => isStorageOpen ? end.resolve(0) : Deno.exit(0));
  const opened = await openStorage(given, {
    onWarning: log.warn,
    // Started again, the process reads what the one that took the folder has stored.
    onLost: () => end.resolve(LOST_STATUS),
  });
  const storage = refuseAfterStandstill(opened);
  isStorageOpen = true;
  let listener: Listener | undefined;
  try {
    const handler = createHandler({
      ...settings,
      storage,
      signal: stopping.signal,
      log: telemetry === undefined ? log.request : (event) => {
        telemetry(event);
        log.request?.(event);
      },
    });
    listener = await listenOn(
      given,
      () => openListener(handler, { ...address, onWarning: log.warn }),
    );
    const { hostname, port } = listener.address;
    if (isElsewhere(listener.address, address)) {
      throw new UsageError(
        "DENO_SERVE_ADDRESS moves the server off --host and --port: unset it; or --host is a name for " +
          "all addresses: give 0.0.0.0 or ::",
      );
    }
    const origin = `http://${formatAuthority(hostname, `${port}`)}`;
    if (settings.operatorKey === undefined) {
      const reachable = reachableOrigin(hostname, `${port}`);
      const baseUrl = reachable + (settings.basePath ?? "");
      await createFirstKey(storage.apiKeys, { out: terminal.out, warn: log.warn, baseUrl });
    }
    log.note(`listening on ${origin}/`, { url: `${origin}/` });
  } catch (error) {
    if (listener !== undefined) await within(ANSWER_DEADLINE_MS, listener.shutdown());
    await storage.close();
    throw error;
  }
  const status = await end.promise;
  stopping.abort();
  log.note("stopping");
  await within(ANSWER_DEADLINE_MS, listener.shutdown());
  await within(CLOSE_DEADLINE_MS, storage.close());
  return status;
}

function readSettings(given: Given, environment: Environment): Omit<HandlerOptions, "storage"> {
  const settings = {
    basePath: given.text("base-path")?.replace(/^\/$/, ""),
    rateLimit: readRateLimit(given),
    corsOrigins: given.texts("cors-origin"),
    operatorKey: environment(API_KEY_VARIABLE) || undefined,
  };
  // The handler knows best what it can work with; this one is thrown away.
  try {
    createHandler({ ...settings, storage: openMemoryStorage() });
  } catch (error) {
    throw new UsageError(
      (error as Error).message.replace("Cannot use basePath", "--base-path can't be")
        .replace("Cannot use origin", "--cors-origin can't be")
        .replace("Cannot use operatorKey: it", API_KEY_VARIABLE),
    );
  }
  return settings;
}

function readLogFormat(given: Given): LogFormat {
  return optionalChoice(given, "log", ["text", "json", "off"]) ??
    (Deno.stderr.isTerminal() ? "text" : "json");
}

function readHost(given: Given): string {
  const host = given.text("host") ?? "";
  // An IPv6 address may name its zone, which no URL has.
  const address = host.replace(/%[A-Za-z0-9._-]+$/, "");
  const isHost = /^[A-Za-z0-9._:-]+$/.test(address) && !/^\.|\.\./.test(address) &&
    URL.canParse(`http://${formatAuthority(address, "80")}/`);
  if (isHost) return host;
  throw new UsageError(`--host "${host}" is not a host name or address`);
}

async function readListener(given: Given) {
  const kind = optionalChoice(given, "listener", ["deno", "node"]);
  const maxConnections = readMaxConnections(given);
  if (kind !== "node") return listen;
  // Before, node:http in Deno left silent connections open, and without a bound.
  const [major, minor] = Deno.version.deno.split(".").map(Number);
  if (major === 2 && minor < 8) throw new UsageError("--listener node needs Deno 2.8 or later");
  const { CONNECTION_TIMEOUTS, listenWithTimeouts } = await import("./_node_listener.ts");
  return (handler: Handler, options: ListenOptions) =>
    listenWithTimeouts(handler, options, { ...CONNECTION_TIMEOUTS, maxConnections });
}

async function listenOn(
  given: Given,
  open: () => Listener | Promise<Listener>,
): Promise<Listener> {
  try {
    return await open();
  } catch (cause) {
    const address = ["host", "port"]
      .map((name) => `${given.variable(name) ?? `--${name}`} ${given.text(name)}`);
    throw new Error(`cannot listen on ${address.join(" ")}: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** Tells whether Deno opened another address than it was asked for, as far as one can know. */
function isElsewhere({ hostname, port }: Listener["address"], asked: ListenOptions): boolean {
  // A socket of another kind has no port.
  if (!(port > 0) || asked.port !== 0 && asked.port !== port) return true;
  const { host } = asked;
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host) && !/\b0\d/.test(host)) return hostname !== host;
  // A name, or an address in another spelling, may mean any but all addresses.
  return /^(?:0\.0\.0\.0|::)$/.test(hostname) && !/^[0x.:]+$/i.test(host);
}

function readMaxConnections(given: Given): number {
  const text = given.text("max-connections") ?? "";
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`--max-connections "${text}" is not a whole number from 1 to 999999`);
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
