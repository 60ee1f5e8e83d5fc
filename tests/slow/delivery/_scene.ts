import { assert } from "@std/assert";
import { openFileStorage } from "../../../adapters/file.ts";
import { openPostgresStorage } from "../../../adapters/postgres.ts";
import type { Storage } from "../../../mod.ts";
import { cleaningUp, withFolder } from "../../_support/folder.ts";
import { openKvFile, withKvFile } from "../../_support/kv.ts";
import { startCluster } from "../../_support/postgres.ts";
import { OPERATOR_KEY } from "../../_support/service.ts";

/** A storage that processes open one after the other or at the same time. */
export interface Place {
  /** The storage URL for a process. */
  readonly url: string;
  open(): Promise<Storage>;
  /** The started processes. They are killed before the storage is removed. */
  readonly processes: DeliveryProcess[];
}

// This long deadline keeps a busy machine from failing tests that don't measure time.
const PATIENCE_MS = 8_000;

/** The kind of a storage. */
export type PlaceKind = "file" | "kv" | "postgres";

/** Calls a function with storage in a folder or a database. */
export async function withPlace(
  kind: PlaceKind,
  run: (place: Place) => Promise<void>,
): Promise<void> {
  const runIn = (place: Omit<Place, "processes">) => {
    const processes: DeliveryProcess[] = [];
    return cleaningUp(
      () => run({ ...place, processes }),
      () => Promise.all(processes.map((process) => process.kill())),
    );
  };
  if (kind === "file") {
    return await withFolder((url) => runIn({ url, open: () => openFileStorage(url) }));
  }
  if (kind === "kv") return await withKvFile((url) => runIn({ url, open: () => openKvFile(url) }));
  const cluster = await startCluster({ settings: ["synchronous_commit=off"] });
  const { url } = cluster;
  const open = () => openPostgresStorage(url, { timeoutMs: PATIENCE_MS });
  await cleaningUp(() => runIn({ url, open }), cluster.dispose);
}

/** A process that serves and delivers. */
export interface DeliveryProcess {
  /** The origin of its URLs, once it serves. */
  readonly origin: Promise<string>;
  readonly pid: number;
  /**
   * Sends a request to the process; a path without a leading slash is one under `/api/v1/`.
   * Resolves with the response; `undefined` if the connection broke.
   */
  send(method: string, path: string, form?: Record<string, string>): Promise<unknown>;
  /** Moves the wall clock of the process by an hour, once it serves. */
  jump(direction: "ahead" | "back"): Promise<void>;
  /**
   * Sends a signal to the process if it still runs, by default SIGKILL. Resolves with its exit
   * status once it has ended.
   */
  kill(signal?: "SIGKILL" | "SIGTERM"): Promise<number>;
}

/** Starts a process that serves and delivers. */
export function startProcess(
  { url, processes }: Place,
  { relay = "smtp://127.0.0.1:1?tls=off", allowed = "localhost:1", from = "news@acme.example" },
): DeliveryProcess {
  const script = new URL("./_process.ts", import.meta.url).pathname;
  const args = ["run", "--allow-all", "--no-check", script, url, relay, allowed, from];
  const options = { args, stdin: "null", stdout: "piped", stderr: "inherit" } as const;
  const child = new Deno.Command(Deno.execPath(), options).spawn();
  const { promise: port, resolve } = Promise.withResolvers<string>();
  const drained = (async () => {
    for await (const chunk of child.stdout) resolve(new TextDecoder().decode(chunk).trim());
    resolve("0");
  })();
  let hasEnded = false;
  child.status.then(() => hasEnded = true);
  const origin = port.then((port) => `http://127.0.0.1:${port}`);
  const process: DeliveryProcess = {
    origin,
    pid: child.pid,
    async send(method, path, form) {
      try {
        const target = path.startsWith("/") ? path : `/api/v1/${path}`;
        const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
        const body = form && new URLSearchParams(form);
        const url = `http://127.0.0.1:${await port}${target}`;
        const response = await fetch(url, { method, headers, body });
        const text = await response.text();
        const isErasedBefore = method === "DELETE" && response.status === 404;
        assert(response.ok || isErasedBefore, text);
        return target === path ? text : JSON.parse(text || "{}");
      } catch (error) {
        if (error instanceof TypeError) return undefined;
        throw error;
      }
    },
    async jump(direction) {
      // Before it serves, the signal would end it.
      await port;
      child.kill(direction === "ahead" ? "SIGHUP" : "SIGUSR2");
    },
    async kill(signal = "SIGKILL") {
      if (!hasEnded) child.kill(signal);
      await drained;
      return (await child.status).code;
    },
  };
  processes.push(process);
  return process;
}
