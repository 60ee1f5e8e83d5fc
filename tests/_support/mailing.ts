import { assertEquals } from "@std/assert";
import type { SleepPurpose } from "../../delivery/loop.ts";
import type { Mail, Mailer, SendOutcome } from "../../delivery/mail/mailer.ts";
import { createWorker, type Kind, openMemoryStorage, type Storage } from "../../mod.ts";
import type { WorkerEvent, WorkerOptions } from "../../mod.ts";
import { type Delivery, deliveryIdOf } from "../../model/deliveries/delivery.ts";
import {
  DEFERRALS,
  DELIVERIES,
  DELIVERY_FAILURES,
  FAILURES,
  SUBSCRIPTIONS,
} from "../../model/kinds.ts";
import type { Subscription } from "../../model/subscriptions/subscription.ts";
import type { DeliveryAction } from "../../services/deliveries/deliveries.ts";
import { insertRecord } from "../../services/records.ts";
import { changeSubscription } from "../../services/subscriptions/subscriptions.ts";
import { storeOf } from "../../services/store.ts";
import { sampleSubscription } from "./samples.ts";
import { isSealing, watchSealing } from "./sealing.ts";
import { createService, readJson, START, type TestService } from "./service.ts";
import { turns } from "./waiting.ts";

/** The public URL of the changelog in these tests. */
export const PUBLIC_URL = "https://updates.example/feedback";
const ENTRIES = "/api/v1/changelogs/entries";
const LEASE_MS = 25_000;
// Purposes that a worker waits for even while it sends mails.
const ASIDE: readonly SleepPurpose[] = [
  "renewal",
  "commit",
  "presence",
  "poll mailers",
  "poll proofs",
  "poll team",
  "poll mornings",
  "poll alerts",
  "poll webhooks",
  "poll upkeep",
];

/** Creates a clock for one worker. It stands still until a test moves it. */
function createTestClock(startMs: number = Date.parse(START)) {
  let nowMs = startMs;
  const sleepers = new Set<{ readonly atMs: number; readonly isAside: boolean; end(): void }>();
  let settling = Promise.withResolvers<void>();

  const waiting = () => [...sleepers].filter(({ isAside }) => !isAside);
  /** Resolves when everything that uses the clock waits for its next move. */
  async function settled(): Promise<void> {
    while (waiting().length === 0) await settling.promise;
  }
  function move(durationMs: number): void {
    nowMs += durationMs;
    for (const sleeper of [...sleepers]) if (sleeper.atMs <= nowMs) sleeper.end();
  }
  return {
    now: () => nowMs,
    /** Waits for the clock; without a purpose, counts as something that the test waits for. */
    sleep: (durationMs: number, signal: AbortSignal, purpose?: SleepPurpose) =>
      new Promise<void>((resolve) => {
        const sleeper = {
          atMs: nowMs + durationMs,
          isAside: purpose !== undefined && ASIDE.includes(purpose),
          end() {
            sleepers.delete(sleeper);
            signal.removeEventListener("abort", sleeper.end);
            resolve();
          },
        };
        if (signal.aborted) return resolve();
        sleepers.add(sleeper);
        signal.addEventListener("abort", sleeper.end);
        settling.resolve();
        settling = Promise.withResolvers();
      }),
    settled,
    /** Moves the clock, and resolves when everything waits again. */
    async advance(durationMs: number) {
      await settled();
      move(durationMs);
      await settled();
    },
    /** Moves the clock while mails are in flight, and resolves when the outcomes are stored. */
    async tick(durationMs: number) {
      move(durationMs);
      for (let idle = 0; idle < 3; idle = isSealing() ? 0 : idle + 1) {
        await new Promise((resolve) => setTimeout(resolve));
        await turns();
      }
    },
    /** The durations that the worker waits for, in milliseconds. */
    get waits() {
      return waiting().map(({ atMs }) => atMs - nowMs).sort((a, b) => a - b);
    },
  };
}

/** The outcome of a mail; `down` means that the relay as a whole failed. */
export type Reply = SendOutcome | "down";

/** Outcomes that the relay has for a recipient. */
export const REFUSED: SendOutcome = { state: "refused", code: "5.1.1", text: "550 5.1.1 unknown" };
export const DISABLED: SendOutcome = { state: "refused", code: "5.2.1", text: "550 5.2.1 off" };
export const DEFERRED: SendOutcome = { state: "deferred", code: "4.2.0", text: "450 4.2.0 later" };
export const SENT: SendOutcome = { state: "sent" };

/** The settings of a mailing. */
interface MailingOptions extends Partial<Omit<WorkerOptions, "storage" | "mailer">> {
  readonly storage?: Storage;
  /** The start time of its clock. */
  readonly nowMs?: number;
  /** The addresses that are subscribed at the start. */
  readonly subscribers?: readonly string[];
  /** The mailer to use instead of `relay`. */
  readonly mailer?: Mailer;
  /** Decides the outcome of a mail. Default: the relay accepts it. */
  readonly relay?: (mail: Pick<Mail, "to">) => Reply | Promise<Reply>;
}

/** A service in memory with a worker. */
export type Mailing = Awaited<ReturnType<typeof startMailing>>;

/** Sets up a service in memory with a worker and a clock of its own. */
export async function startMailing(options: MailingOptions = {}) {
  const { storage = openMemoryStorage(), subscribers = [], nowMs, ...rest } = options;
  const { relay = () => SENT, mailer, ...workerOptions } = rest;
  const clock = createTestClock(nowMs);
  const watch = watchSealing();
  const sent: Mail[] = [];
  const events: WorkerEvent[] = [];
  async function subscribe(userEmail: string, subscribe = true): Promise<void> {
    const at = new Date(clock.now()).toISOString();
    await changeSubscription(storage, { userEmail, userName: null, subscribe, source: "api", at });
  }
  // Deliveries use the order of these identifiers, which contain no address.
  for (const [i, userEmail] of subscribers.toSorted().entries()) {
    const subscription = sampleSubscription(userEmail, { subscriberId: `${i}`.padStart(6, "0") });
    await insertRecord(storeOf(storage), SUBSCRIPTIONS, subscription);
  }
  const worker = createWorker({
    storage,
    publicUrl: PUBLIC_URL,
    from: "Acme <news@acme.example>",
    mailRatePerSecond: false,
    leaseMs: LEASE_MS,
    clock: clock.now,
    elapsed: clock.now,
    sleep: clock.sleep,
    log: (event) => events.push(event),
    ...workerOptions,
    mailer: mailer ?? {
      async send(mail) {
        const reply = await relay(mail);
        if (reply === "down") throw Object.assign(new Error("It is down"), { name: "MailerError" });
        if (reply.state === "sent") sent.push(mail);
        return reply;
      },
      close: () => Promise.resolve(),
    },
  });
  const service = createService({ storage, worker, publicUrl: PUBLIC_URL, clock: clock.now });
  /** Performs an action on a delivery, or reads it. */
  async function delivery(entryId: string, action?: DeliveryAction) {
    const path = `/api/v1/deliveries/${deliveryIdOf(entryId)}${action ? `/${action}` : ""}`;
    return await readJson<Delivery>(await service.send(action ? "POST" : "GET", path));
  }
  // Loading the operations takes turns of the event loop, in which the clock would move on.
  await service.send("POST", `${ENTRIES}/none/publish`, { json: { notify: false } });
  await clock.settled();
  return {
    service,
    storage,
    clock,
    worker,
    /** The mails that the relay accepted, in order. */
    sent,
    events,
    /** The recipients of accepted mails, sorted, because concurrent mails have no defined order. */
    get recipients() {
      return sent.map(({ to }) => to).sort();
    },
    subscribe,
    /** Reads a subscriber, or erases one. */
    async subscriber(method: "GET" | "DELETE", userEmail: string) {
      const response = await service.send(method, `/api/v1/changelogs/subscribers/${userEmail}`);
      assertEquals(response.ok, true);
      return JSON.parse(await response.text() || "{}") as Partial<Subscription>;
    },
    /** Creates an entry and publishes it with mail; resolves when the worker waits again. */
    async publish(entryId: string, entry: Readonly<Record<string, unknown>> = {}) {
      await publishEntry(service, entryId, entry);
      await clock.settled();
    },
    delivery,
    /** Returns the state of a delivery, and how many mails were sent, failed and are deferred. */
    async counts(entryId = "a") {
      const { state, sent, failed, deferred } = await delivery(entryId);
      return `${state} ${sent} ${failed} ${deferred}`;
    },
    /** Tells whether the records of deliveries contain a text. */
    async stores(text: string) {
      const kinds = [DELIVERIES, DEFERRALS, DELIVERY_FAILURES, FAILURES] as readonly Kind<
        unknown
      >[];
      const lists = kinds.map((kind) => storage.list(kind, { limit: 100 }));
      return JSON.stringify(await Promise.all(lists)).includes(text);
    },
    async [Symbol.asyncDispose]() {
      await worker.close();
      watch[Symbol.dispose]();
    },
  };
}

/** Creates an entry and publishes it, with mail unless it says otherwise. */
export async function publishEntry(
  { send }: Pick<TestService, "send">,
  entryId: string,
  { at, notify = true, ...fields }: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const entry = { entryId, title: `About ${entryId}`, body: "Press **D**.", ...fields };
  await readJson(await send("POST", ENTRIES, { json: entry }), 201);
  await readJson(await send("POST", `${ENTRIES}/${entryId}/publish`, { json: { notify, at } }));
}

/**
 * Creates a gate. Its `relay` holds mails until they are released; `reached` resolves once `count`
 * mails wait.
 */
export function createGate(count: number, holds: (to: string) => boolean = () => true) {
  let waiting = 0;
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    release: opened.resolve,
    async relay({ to }: Pick<Mail, "to">): Promise<Reply> {
      if (holds(to)) {
        if (++waiting === count) reached.resolve();
        await opened.promise;
      }
      return SENT;
    },
  };
}

/** Publishes an entry, and calls a function while its mails wait at a gate. */
export async function duringDelivery(
  mailing: Mailing,
  { reached, release }: ReturnType<typeof createGate>,
  run: () => unknown,
): Promise<void> {
  const published = mailing.publish("a");
  await reached;
  try {
    await run();
  } finally {
    release();
    await published;
  }
}

/** Returns addresses in their order. */
export function addresses(count: number): readonly string[] {
  const digits = `${count - 1}`.length;
  return Array.from({ length: count }, (_, i) => `u${`${i}`.padStart(digits, "0")}@example.com`);
}
