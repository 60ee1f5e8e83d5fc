/**
 * A server in a thread of its own, on empty storage or on storage with many records of each kind.
 */
import { openFileStorage } from "../../../adapters/file.ts";
import { createDelivery } from "../../../model/deliveries/delivery.ts";
import { failureIdOf } from "../../../model/deliveries/delivery_failure.ts";
import {
  DELIVERIES,
  DELIVERY_FAILURES,
  ENTRIES,
  SUBSCRIPTIONS,
  WEBHOOK_MESSAGES,
} from "../../../model/kinds.ts";
import { createMessage } from "../../../model/webhooks/webhook_message.ts";
import { type Kind, openMemoryStorage, type Storage } from "../../../mod.ts";
import { putAll } from "../../_contract/calls.ts";
import { createService, START, type TestService } from "../../_support/service.ts";

/** The settings of a server in a thread. */
export interface Start {
  /** The folder of its storage; `undefined` for storage in memory. */
  readonly folder: string | undefined;
  /** The number of people. With 0, storage is empty. */
  readonly people: number;
}

/** The message of a server that listens. */
export interface Started {
  readonly url: string;
  readonly webhookId: string;
}

const AT_ONCE = 5_000;

async function fill<T>(
  storage: Storage,
  kind: Kind<T>,
  { count, create }: { readonly count: number; readonly create: (at: number) => T },
): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const length = Math.min(AT_ONCE, count - from);
    const records = Array.from({ length }, (_, at) => create(from + at));
    const parts = Array.from({ length: Math.ceil(length / 100) }, (_, part) => part * 100);
    await Promise.all(
      parts.map((part) => putAll(storage, kind, records.slice(part, part + 100))),
    );
  }
}

/** Fills storage, and returns the identifier of the webhook that has messages. */
async function fillAll({ storage, call }: TestService, people: number): Promise<string> {
  const { webhookId } = await call("POST", "webhooks", { url: "https://hooks.example.com/" });
  await call("PATCH", `webhooks/${webhookId}`, { enabled: false });
  const now = START;
  await call("POST", "changelogs/entries", {
    entryId: "first",
    title: "First",
    body: "**b** ".repeat(500),
  });
  await call("POST", "changelogs/entries/first/publish", { notify: false });
  const entry = (await storage.get(ENTRIES, "first"))!;
  await call("PUT", "changelogs/subscribe", { userEmail: "ann@example.com", subscribe: true });
  const person = (await storage.get(SUBSCRIPTIONS, "ann@example.com"))!;
  const emailOf = (at: number) => `user${at * 7_919 % people}@example.com`;
  await fill(storage, SUBSCRIPTIONS, {
    count: people,
    create: (at) => ({
      ...person,
      userEmail: emailOf(at),
      subscribed: at % 10 > 0,
      subscriberId: (at * 4_933 % people).toString(36).padStart(8, "0"),
    }),
  });
  const few = Math.ceil(people / 20);
  await fill(storage, ENTRIES, {
    count: few,
    create: (at) => ({ ...entry, entryId: `e${at}`, labels: [`a-${at % 7}`, `b-${at}`] }),
  });
  await fill(storage, DELIVERIES, {
    count: few,
    create: (at) => ({ ...createDelivery(`e${at}`, now), state: "done" as const, nextAt: null }),
  });
  await fill(storage, DELIVERY_FAILURES, {
    count: few,
    create(at) {
      const key = { entryId: "first", userEmail: emailOf(at) };
      const failureId = failureIdOf(key.entryId, key.userEmail);
      return { failureId, ...key, code: "5.1.1", text: "no", failedAt: now, isReported: false };
    },
  });
  await storage.transact(
    { delivery: { kind: DELIVERIES, key: "first" } },
    () => ({ answer: 0, put: { delivery: createDelivery("first", now) } }),
  );
  await fill(storage, WEBHOOK_MESSAGES, {
    count: few * 4,
    create(at) {
      const event = { type: "subscriber.subscribed", at: now, data: {}, userEmail: emailOf(at) };
      const of = { messageId: `msg_${at}`, webhookId: `${webhookId}` };
      return { ...createMessage(of, event as never, now), state: "failed" as const };
    },
  });
  return `${webhookId}`;
}

const thread = globalThis as unknown as Worker;

thread.onmessage = async ({ data: { folder, people } }: MessageEvent<Start>) => {
  const open = () => folder === undefined ? openMemoryStorage() : openFileStorage(folder);
  let storage: Storage = await open();
  let webhookId = "";
  if (people > 0) {
    webhookId = await fillAll(createService({ storage }), people);
    // Reopening leaves only the records in memory, as after a start.
    if (folder !== undefined) {
      await storage.close();
      storage = await open();
    }
  }
  const { handler } = createService({ storage, publicUrl: "https://example.com", log: () => {} });
  const { addr } = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, handler);
  thread.postMessage({ url: `http://127.0.0.1:${addr.port}`, webhookId });
};
