import { openFileStorage } from "../../adapters/file.ts";
import { openPostgresStorage } from "../../adapters/postgres.ts";
import type { Storage } from "../../mod.ts";
import type { Delivery } from "../../model/delivery.ts";
import { DELIVERIES } from "../../model/kinds.ts";
import { createEntry, publish } from "../../services/entries.ts";
import { changeSubscription } from "../../services/subscriptions.ts";
import { withFolder } from "../_folder.ts";
import { startCluster } from "../_postgres.ts";

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
  try {
    await run({ url: cluster.url, open: () => openPostgresStorage(cluster.url) });
  } finally {
    await cluster.dispose();
  }
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
  await createEntry(storage, {
    entryId: "a",
    title: "Dark mode",
    body: "Press **D**.",
    labels: [],
    url: null,
    publishedAt: null,
    firstPublishedAt: null,
    announceAt: null,
    createdAt: at,
    updatedAt: at,
  });
  await publish(storage, "a", { from: at, notify: true, at });
}

/** Reads the delivery of the entry. */
export async function readDelivery(storage: Storage): Promise<Delivery> {
  const delivery = await storage.get(DELIVERIES, "a");
  if (delivery === undefined) throw new Error("There is no delivery");
  return delivery;
}

/** A process with a worker. */
export interface WorkerProcess {
  /** Ends it without warning, and resolves when it is gone. */
  kill(signal?: "SIGKILL" | "SIGTERM"): Promise<number>;
  /** Resolves with what it has written once it is at work, or has ended. */
  readonly ready: Promise<unknown>;
}

/** Starts a process with a worker. */
export function startWorker(
  { url }: Place,
  { relay, leaseMs }: { readonly relay: string; readonly leaseMs: number },
): WorkerProcess {
  const script = new URL("_worker.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", script, url, relay, `${leaseMs}`],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const { promise: ready, resolve } = Promise.withResolvers<unknown>();
  const drained = (async () => {
    for await (const chunk of child.stdout) resolve(new TextDecoder().decode(chunk));
    resolve("");
  })();
  return {
    ready,
    async kill(signal = "SIGKILL") {
      try {
        child.kill(signal);
      } catch {
        // It has ended.
      }
      await drained;
      return (await child.status).code;
    },
  };
}
