import { createHandler, createWorker } from "../../mod.ts";
import type { Command, Invocation } from "../shell/command.ts";
import { publicPathOf } from "../../model/public_site.ts";
import { hasMembers } from "../../services/team/members.ts";
import { showFirstKey } from "./first_key.ts";
import { formatAuthority, listen, type Listener, reachableOrigin, within } from "./listener.ts";
import { createLog, type LogFormat } from "./log.ts";
import { type Arguments, optionalChoice, setting, UsageError } from "../shell/options.ts";
import { API_KEY_VARIABLE, readSettings, SERVE_OPTIONS } from "./serve_options.ts";
import { onStopSignal } from "./signals.ts";
import { NO_MIGRATE_OPTION, STORAGE_OPTIONS } from "../storage/storage.ts";

const REQUESTS_DEADLINE_MS = 7_000;
// A part of the 7 seconds for requests; the remaining time stores the outcomes of mails.
const SEND_DEADLINE_MS = 5_000;
const CLOSE_DEADLINE_MS = 2_000;
const LOST_STATUS = 1;

/** Serves the API. */
export const serveCommand: Command = {
  name: "serve",
  summary: "Serve the API (the default)",
  options: [
    ...STORAGE_OPTIONS,
    setting("host HOST", "The address to listen on.", { default: "127.0.0.1" }),
    setting("port PORT", "The port to listen on; 0 means any free port.", { default: "8000" }),
    ...SERVE_OPTIONS,
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
  const settings = await readSettings(args, environment);
  const end = Promise.withResolvers<number>();
  let isStorageOpen = false;
  // Opening may take half a minute, and no request is in flight yet.
  onStopSignal(() => isStorageOpen ? end.resolve(0) : Deno.exit(0));
  const storage = await openStorage(args.text("storage") ?? "", {
    mayMigrate: !args.flag(NO_MIGRATE_OPTION.name),
    onWarning: log.warn,
    // A restart reads the records of the process that took over the folder.
    onLost(message) {
      log.error(message);
      end.resolve(LOST_STATUS);
    },
  });
  isStorageOpen = true;
  // A script may read the key as soon as it gets a response, so print the key first.
  const shown = Promise.withResolvers<void>();
  let listener: Listener | undefined;
  const { mailer } = settings.worker;
  const worker = createWorker({ ...settings.worker, storage, log: log.worker });

  /** Finishes the mails in flight, aborts the rest after 5 seconds, and stores their outcomes. */
  async function closeWorker(): Promise<void> {
    const closed = worker.close();
    await within(SEND_DEADLINE_MS, closed);
    await mailer?.close();
    await closed;
  }

  try {
    const { signal } = stopping;
    const { basePath = "", publicUrl, operatorKey, studio } = settings.handler;
    if (mailer !== undefined && publicUrl?.startsWith("http:")) {
      log.warn("mail programs offer to unsubscribe only where --public-url is https");
    }
    const publicPath = publicPathOf(settings.handler);
    if (publicPath !== basePath) {
      log.warn(
        `--public-url has the path ${publicPath || "/"}, but --base-path is ${basePath || "/"}: ` +
          "links work only if a proxy translates one into the other",
      );
    }
    const options = { ...settings.handler, storage, worker, signal, log: log.request };
    const handler = createHandler(options);
    let respond: typeof handler = async (request) => {
      await shown.promise;
      return handler(request);
    };
    listener = listenOn(
      args,
      () => listen((request) => respond(request), { ...address, onWarning: log.warn }),
    );
    const { hostname, port } = listener.address;
    const baseUrl = reachableOrigin(hostname, port) + basePath;
    const studioUrl = studio ? `${publicUrl ?? baseUrl}/studio` : undefined;
    if (operatorKey === undefined) {
      await showFirstKey(storage, { out: terminal.out, warn: log.warn, baseUrl, studioUrl });
    }
    respond = handler;
    shown.resolve();
    // From now on, commands on the data folder call this server.
    await storage.announce?.(baseUrl);
    const url = `http://${formatAuthority(hostname, port)}/`;
    log.info(`listening on ${url}`, { url });
    const page = studio ? `studio at ${baseUrl}/studio, ` : "";
    if (studio && !await hasMembers(storage)) {
      log.info(
        "the team has no member yet; add an admin with the link of the first start, or with " +
          "boardcast call createMember userEmail=ADDRESS userName=NAME role=admin",
      );
    }
    log.info(`${page}reference at ${baseUrl}/docs, data in ${describeStorage(args)}`);
  } catch (error) {
    shown.resolve();
    await listener?.shutdown();
    await closeWorker();
    await storage.close();
    throw error;
  }
  const status = await end.promise;
  stopping.abort();
  log.info("stopping");
  await within(REQUESTS_DEADLINE_MS, Promise.all([listener.shutdown(), closeWorker()]));
  await within(CLOSE_DEADLINE_MS, storage.close());
  return status;
}

// The URL of a database may hold a password.
function describeStorage(args: Arguments): string {
  const url = args.text("storage") ?? "";
  return /^postgres/.test(url) ? "PostgreSQL" : url.replace(/^(?:file|kv):/, "");
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
    const message = `cannot listen on ${address.join(" ")}: ${(cause as Error).message}`;
    // The text can't be a host name.
    throw cause instanceof URIError ? new UsageError(message) : new Error(message, { cause });
  }
}

function readPort(args: Arguments): number {
  const text = args.text("port") ?? "";
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`--port "${text}" is not a whole number from 0 to 65535`);
}
