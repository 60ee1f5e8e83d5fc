import { openFileStorage } from "../../adapters/file.ts";
import { openPostgresStorage } from "../../adapters/postgres.ts";
import type { Storage } from "../../mod.ts";
import type { Delivery } from "../../model/delivery.ts";
import { DELIVERIES } from "../../model/kinds.ts";
import { changeSubscription } from "../../services/subscriptions.ts";
import { withFolder } from "../_folder.ts";
import { publishEntry } from "../_mailing.ts";
import { startCluster } from "../_postgres.ts";
import { createService } from "../_service.ts";

/** A storage that processes share, one after the other or at once. */
export interface Place {
  /** What a process opens it by. */
  readonly url: string;
  open(): Promise<Storage>;
}

/** Runs a function with storage in a folder, or in a database. */
export async function withPlace(
  kind: "file" | "postgres",
  run: (place: Place) => Promise<void>,
): Promise<void> {
  if (kind === "file") {
    return await withFolder((url) => run({ url, open: () => openFileStorage(url) }));
  }
  const cluster = await startCluster({ settings: ["synchronous_commit=off"] });
  const { url } = cluster;
  await run({ url, open: () => openPostgresStorage(url) }).finally(cluster.dispose);
}

/** Subscribes people, and publishes the entry `a` with mail. */
export async function prepare(storage: Storage, people: readonly string[]): Promise<void> {
  const at = new Date().toISOString();
  const rest = { userName: null, subscribe: true, source: "import", at } as const;
  for (let start = 0; start < people.length; start += 500) {
    await Promise.all(
      people.slice(start, start + 500)
        .map((userEmail) => changeSubscription(storage, { userEmail, ...rest })),
    );
  }
  await publishEntry(createService({ storage, clock: Date.now }), "a");
}

/** Reads the delivery of the entry. */
export async function readDelivery(storage: Storage): Promise<Delivery> {
  const delivery = await storage.get(DELIVERIES, "a");
  if (delivery === undefined) throw new Error("There is no delivery");
  return delivery;
}

/** A process that serves and delivers. */
export interface DeliveryProcess {
  /** Resolves with its port once it serves; rejects if it has ended before. */
  readonly port: Promise<number>;
  /** Ends it, by default without warning; resolves with its exit status when it is gone. */
  kill(signal?: "SIGKILL" | "SIGTERM"): Promise<number>;
}

/** Starts a process that serves and delivers. */
export function startProcess(
  { url }: Place,
  { leaseMs = 500, relay = "smtp://127.0.0.1:1?tls=off", allowed = "localhost:1" },
): DeliveryProcess {
  const script = new URL("_process.ts", import.meta.url).pathname;
  const args = ["run", "--allow-all", "--no-check", script, url, `${leaseMs}`, relay, allowed];
  const options = { args, stdin: "null", stdout: "piped", stderr: "inherit" } as const;
  const child = new Deno.Command(Deno.execPath(), options).spawn();
  const { promise: port, resolve, reject } = Promise.withResolvers<number>();
  // Not everybody asks for it.
  port.catch(() => {});
  const drained = (async () => {
    for await (const chunk of child.stdout) resolve(Number(new TextDecoder().decode(chunk)));
    reject(new Error("The process ended before it served"));
  })();
  return {
    port,
    async kill(signal = "SIGKILL") {
      child.kill(signal);
      await drained;
      return (await child.status).code;
    },
  };
}
