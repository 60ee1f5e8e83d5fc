import type { Entry } from "../../model/entries/entry.ts";
import type { SendOutcome } from "../../model/deliveries/mail_outcome.ts";
import { randomText } from "../../model/crypto/random.ts";
import { LEASES } from "../../model/kinds.ts";
import { createLeaseWatch } from "../../services/leases.ts";
import { MAILER_LEASE, registerMailer } from "../../services/mailers.ts";
import { meterOf } from "../../services/meter.ts";
import {
  CONFIRM_KEY,
  type SignUp,
  type SignUpRate,
} from "../../services/subscriptions/sign_ups.ts";
import {
  createCipherCache,
  createUnsubscribeLink,
} from "../../services/subscriptions/unsubscribe_links.ts";
import { prepareEntryMail } from "./entry_mail.ts";
import { type Channel, type Loop, type LoopOptions, startLoop } from "../loop.ts";
import { createMailChannel, type MailChannelOptions } from "./channel.ts";
import type { Mailer } from "./mailer.ts";
import { createInFlight } from "./in_flight.ts";
import type { SignUps } from "./sign_ups.ts";

/** All that is mailed: entries, tests of them, and answers to people who sign up. */
export interface Mailing extends Loop {
  /** Mails an entry to one address alone, marked as a test. */
  sendTest(entry: Entry, userEmail: string): Promise<SendOutcome>;
  /** Begins to mail to somebody who signs up, as far as the limits allow, and returns at once. */
  signUp(signUp: SignUp): void;
}

/** How it is mailed. */
export interface MailingOptions
  extends
    LoopOptions,
    Pick<MailChannelOptions, "mailer" | "mailSettings" | "ratePerSecond" | "weekly" | "onEvent"> {
  readonly signUpRate: SignUpRate;
}

// Long, as each renewal is a write while there is nothing to do.
const PRESENCE_MS = 120_000;
const PRESENCE_POLL_MS = 3_000;
const MAX_TIMER_MS = 2 ** 31 - 1;
// Where no other process reads it.
const OWN_PRESENCE_MS = 24 * 3_600_000;

/** Creates the channel that does nothing but have a lease. */
function createPresence({ storage, clock }: Pick<LoopOptions, "storage" | "clock">): Channel {
  const isDead = createLeaseWatch(clock.elapsed);
  return {
    name: MAILER_LEASE,
    async isDue() {
      const lease = await storage.get(LEASES, MAILER_LEASE);
      return !lease?.owner || storage.isExclusive === true || isDead(lease);
    },
    // Until the worker is closed.
    run: ({ signal }) => clock.sleep(MAX_TIMER_MS, signal),
  };
}

/** Starts to mail entries, until it is closed. */
export function startMailing(options: MailingOptions): Mailing {
  const { storage, clock, mailSettings, ratePerSecond, signUpRate, onEvent, onError } = options;
  const mailer = countOutcomes(options);
  const getCipher = createCipherCache();
  async function createLink(userEmail: string): Promise<string> {
    const cipher = await getCipher(storage);
    return await createUnsubscribeLink(cipher, mailSettings.publicUrl, userEmail);
  }
  const tools = { storage, mailer, clock, mailSettings, createLink, onError };
  const inFlight = createInFlight();
  const channel = createMailChannel({
    ...tools,
    inFlight,
    ratePerSecond,
    weekly: options.weekly,
    onEvent,
  });
  const loop = startLoop(channel, options);
  // By its lease, other processes know that what they publish is mailed.
  const leaseMs = storage.isExclusive ? OWN_PRESENCE_MS : PRESENCE_MS;
  const presence = startLoop(createPresence(options), {
    ...options,
    leaseMs,
    pollMs: PRESENCE_POLL_MS,
  });
  const unregister = registerMailer(storage);

  let signUps: Promise<SignUps> | undefined;
  async function openSignUps(): Promise<SignUps> {
    const { createSignUps } = await import("./sign_ups.ts");
    const openCipher = createCipherCache(CONFIRM_KEY);
    return createSignUps({ ...tools, openCipher, rate: signUpRate });
  }

  return {
    wake: loop.wake,
    async close() {
      unregister();
      await Promise.all([loop.close(), presence.close()]);
      await inFlight.drained();
      await (await signUps)?.close();
    },
    async sendTest(entry, userEmail) {
      const write = await prepareEntryMail(entry, mailSettings, { test: randomText(16) });
      return await mailer.send(
        await write(
          { userEmail, labels: null, pace: "each", paceChanges: [] },
          await createLink(userEmail),
        ),
      );
    },
    signUp: (signUp) => void (signUps ??= openSignUps()).then((open) => open.add(signUp)),
  };
}

/** Returns the mailer, counting what becomes of mails. */
function countOutcomes({ mailer, storage }: Pick<MailingOptions, "mailer" | "storage">): Mailer {
  const meter = meterOf(storage);
  const count = (outcome: string) => meter.count("boardcast_mails_total", outcome);
  return {
    async send(mail, isWanted) {
      try {
        const outcome = await mailer.send(mail, isWanted);
        count(outcome.state);
        return outcome;
      } catch (error) {
        count("error");
        throw error;
      }
    },
    close: () => mailer.close(),
  };
}
