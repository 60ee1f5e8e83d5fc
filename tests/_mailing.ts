import { assertEquals } from "@std/assert";
import type { Mail, Mailer, SendOutcome } from "../delivery/mailer.ts";
import { createWorker, openMemoryStorage, type Storage, type Worker } from "../mod.ts";
import type { WorkerEvent, WorkerOptions } from "../mod.ts";
import type { Delivery } from "../model/delivery.ts";
import { changeSubscription } from "../services/subscriptions.ts";
import { createService, readJson, START, type TestService } from "./_service.ts";
import { turns } from "./_waiting.ts";

/** Where the changelog of these tests is public. */
export const PUBLIC_URL = "https://updates.example/feedback";
const ENTRIES = "/api/v1/changelogs/entries";
const LEASE_MS = 25_000;
// What a worker waits for beside what it does: the renewal of its lease, and the next commit.
const ASIDE_MS = [LEASE_MS / 4, 1_000];

/** A clock that stands still between the moves that a test makes. */
export interface TestClock {
  readonly now: () => number;
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<void>;
  /** Resolves when everything that uses the clock waits for it to move on. */
  settled(): Promise<void>;
  /** Moves on, and resolves when all that waits, waits again. */
  advance(durationMs: number): Promise<void>;
  /** Moves on while nothing runs, as when a process is suspended. */
  suspend(durationMs: number): void;
  /** Moves on while mails are under way, and resolves when what follows is stored. */
  tick(durationMs: number): Promise<void>;
  /** How long the worker waits until it goes on, in milliseconds. */
  readonly waits: readonly number[];
}

/** Creates a clock for one worker. */
export function createTestClock(startMs: number = Date.parse(START)): TestClock {
  let nowMs = startMs;
  const sleepers = new Set<{ readonly atMs: number; readonly isAside: boolean; end(): void }>();
  let settling = Promise.withResolvers<void>();

  const waiting = () => [...sleepers].filter(({ isAside }) => !isAside);
  async function settled(): Promise<void> {
    while (waiting().length === 0) await settling.promise;
  }
  function move(durationMs: number): void {
    nowMs += durationMs;
    for (const sleeper of [...sleepers]) if (sleeper.atMs <= nowMs) sleeper.end();
  }
  return {
    now: () => nowMs,
    sleep: (durationMs, signal) =>
      new Promise((resolve) => {
        const sleeper = {
          atMs: nowMs + durationMs,
          isAside: ASIDE_MS.includes(durationMs),
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
    async advance(durationMs) {
      await settled();
      move(durationMs);
      await settled();
    },
    suspend(durationMs) {
      nowMs += durationMs;
    },
    async tick(durationMs) {
      move(durationMs);
      await turns();
    },
    get waits() {
      return waiting().map(({ atMs }) => atMs - nowMs).sort((a, b) => a - b);
    },
  };
}

/** What becomes of a mail; `down` is that of the relay as a whole. */
export type Reply = SendOutcome | "down";

/** How a mailing is set up. */
export interface MailingOptions extends Partial<Omit<WorkerOptions, "storage" | "mailer">> {
  readonly storage?: Storage;
  /** When its clock starts. */
  readonly nowMs?: number;
  /** The addresses that are subscribed before. */
  readonly subscribers?: readonly string[];
  /** What passes mail on, instead of `relay`. */
  readonly mailer?: Mailer;
  /** What the relay does with a mail. Default: it takes it. */
  readonly relay?: (mail: Pick<Mail, "to">) => Reply | Promise<Reply>;
}

/** A service in memory with a worker. */
export interface Mailing extends AsyncDisposable {
  readonly service: TestService;
  readonly storage: Storage;
  readonly clock: TestClock;
  readonly worker: Worker;
  /** What the relay took, in this order. */
  readonly sent: readonly Mail[];
  readonly events: readonly WorkerEvent[];
  /** Whom the relay took mail for, sorted: the order of those that are under way is not promised. */
  readonly recipients: readonly string[];
  subscribe(userEmail: string, subscribe?: boolean): Promise<void>;
  /** Creates an entry and publishes it with mail; resolves when the worker waits again. */
  publish(entryId: string, entry?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Asks something of a delivery, or reads it. */
  delivery(entryId: string, action?: "pause" | "resume" | "cancel"): Promise<Delivery>;
}

/** An outcome that the relay has for a recipient. */
export const REFUSED: SendOutcome = { state: "refused", code: "5.1.1", text: "550 5.1.1 unknown" };
export const BLOCKED: SendOutcome = { state: "refused", code: "5.7.1", text: "550 5.7.1 no" };
export const DEFERRED: SendOutcome = { state: "deferred", code: "4.2.0", text: "450 4.2.0 later" };
export const SENT: SendOutcome = { state: "sent" };

/** Sets up a service in memory with a worker and a clock of its own. */
export async function startMailing(options: MailingOptions = {}): Promise<Mailing> {
  const {
    storage = openMemoryStorage(),
    subscribers = [],
    relay = () => SENT,
    nowMs,
    mailer,
    ...rest
  } = options;
  const clock = createTestClock(nowMs);
  const sent: Mail[] = [];
  const events: WorkerEvent[] = [];
  const subscribe = async (userEmail: string, subscribe = true) => {
    const at = new Date(clock.now()).toISOString();
    await changeSubscription(storage, { userEmail, userName: null, subscribe, source: "api", at });
  };
  for (const userEmail of subscribers) await subscribe(userEmail);
  const worker = createWorker({
    storage,
    publicUrl: PUBLIC_URL,
    from: "Acme <news@acme.example>",
    mailRatePerSecond: false,
    leaseMs: LEASE_MS,
    clock: clock.now,
    sleep: clock.sleep,
    log: (event) => events.push(event),
    ...rest,
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
  await clock.settled();
  return {
    service,
    storage,
    clock,
    worker,
    sent,
    events,
    get recipients() {
      return sent.map(({ to }) => to).sort();
    },
    subscribe,
    async publish(entryId, entry = {}) {
      const { at, notify = true, ...fields } = entry;
      const json = { entryId, title: `About ${entryId}`, body: "Press **D**.", ...fields };
      assertEquals((await service.send("POST", ENTRIES, { json })).status, 201);
      const path = `${ENTRIES}/${entryId}/publish`;
      const publication = { notify, ...(at ? { at } : {}) };
      assertEquals((await service.send("POST", path, { json: publication })).status, 200);
      await clock.settled();
    },
    async delivery(entryId, action) {
      const path = `${ENTRIES}/${entryId}/delivery`;
      return await readJson<Delivery>(
        action ? await service.send("POST", `${path}/${action}`) : await service.send("GET", path),
      );
    },
    [Symbol.asyncDispose]: () => worker.close(),
  };
}

/** Returns addresses in their order. */
export function addresses(count: number): readonly string[] {
  const digits = `${count - 1}`.length;
  return Array.from({ length: count }, (_, i) => `u${`${i}`.padStart(digits, "0")}@example.com`);
}
