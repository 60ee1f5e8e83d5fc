import type { Entry } from "../../model/entries/entry.ts";
import type { SendOutcome } from "../../model/deliveries/mail_outcome.ts";
import { randomText } from "../../model/crypto/random.ts";
import { SUBSCRIPTIONS } from "../../model/kinds.ts";
import { openMailIds } from "../../services/deliveries/mail_ids.ts";
import { sampleAsks } from "../../services/deliveries/rounds.ts";
import { MAILER_LEASE, registerMailer } from "../../services/mailers.ts";
import { meterOf } from "../../services/shared.ts";
import type { ProofRequest } from "../../services/proof/admission.ts";
import { createUnsubscribeLink } from "../../services/subscriptions/unsubscribe_links.ts";
import { prepareEntryMail } from "./entry_mail.ts";
import { type Channel, type Clock, type Loop, type LoopOptions, startLoop } from "../loop.ts";
import type { MailOptions } from "../mail_options.ts";
import { createAlertChannel } from "./alerts.ts";
import { createMailChannel, type MailChannelOptions } from "./channel.ts";
import { createInFlightMails } from "./rounds/in_flight_mails.ts";
import { createRelayState } from "./rounds/relay_state.ts";
import { createProofMails } from "./proof_mails.ts";
import { sendWithin } from "./send_within.ts";
import { createMornings, createTeamMails } from "./team_mails.ts";
import { createCipherCache } from "../../services/privacy/sealed.ts";

/** The mails of a worker: entries, test mails, and links for people who use a form. */
export interface Mailing extends Loop {
  /** Checks immediately whether the operator must be told about a problem. */
  checkAlerts(): void;
  /**
   * Mails an entry to one address only, marked as a test. Where the entry ships posts, the mail is
   * that of a person who asked for all of them.
   */
  sendTest(entry: Entry, userEmail: string): Promise<SendOutcome>;
  /** Accepts a form with an address within the limits, and returns immediately. */
  askForProof(request: ProofRequest): void;
}

export type MailingOptions =
  & LoopOptions
  & MailOptions
  & Pick<MailChannelOptions, "mailer" | "onEvent">;

const ALERT_POLL_MS = 30_000;
// A person waits for the result of a test mail, and proxies time out after 15 seconds.
const TEST_MS = 10_000;
// Long, because each renewal is a write even while the process is idle.
const PRESENCE_MS = 120_000;
const PRESENCE_POLL_MS = 3_000;
const PROOF_POLL_MS = 30_000;
// A person waits for a code.
const TEAM_POLL_MS = 2_000;
const MORNING_POLL_MS = 60_000;
const MAX_TIMER_MS = 2 ** 31 - 1;
// The lease may be long if this process has the storage for itself, because no other process reads
// it.
const OWN_PRESENCE_MS = 24 * 3_600_000;

/** Creates a channel that only holds a lease until the worker is closed. */
function createPresence({ sleep }: Clock): Channel {
  return {
    name: MAILER_LEASE,
    isDue: () => Promise.resolve(true),
    run: ({ signal }) => sleep(MAX_TIMER_MS, signal, "presence"),
  };
}

/** Starts to mail entries, until it is closed. */
export function startMailing(options: MailingOptions): Mailing {
  const { storage, publicUrl, settingsNow, clock } = options;
  const mailer = countOutcomes(options);
  const getCipher = createCipherCache("unsubscribe");
  async function createLink(userEmail: string, isSubscribed: boolean): Promise<string> {
    const cipher = await getCipher(storage);
    const options = { endsAsksOnly: !isSubscribed };
    return createUnsubscribeLink(cipher, publicUrl, userEmail, options);
  }
  const inFlight = createInFlightMails();
  const relay = createRelayState(clock.elapsed);
  const tools = { ...options, mailer, createLink, inFlight, relay };
  const channel = createMailChannel(tools);
  const proofs = createProofMails(tools);
  const loop = startLoop(channel, options);
  const proofLoop = startLoop(proofs.channel, { ...options, pollMs: PROOF_POLL_MS });
  const teamLoop = startLoop(createTeamMails(tools), { ...options, pollMs: TEAM_POLL_MS });
  const mornings = startLoop(createMornings(tools), { ...options, pollMs: MORNING_POLL_MS });
  // Its lease tells other processes that published entries are mailed.
  const leaseMs = storage.isExclusive ? OWN_PRESENCE_MS : PRESENCE_MS;
  const presence = startLoop(createPresence(options.clock), {
    ...options,
    leaseMs,
    pollMs: PRESENCE_POLL_MS,
  });
  const { alertsTo } = options;
  const alerts = alertsTo === undefined ? undefined : startLoop(
    createAlertChannel({ ...tools, alertsTo }),
    { ...options, pollMs: ALERT_POLL_MS },
  );
  const unregister = registerMailer(storage);

  return {
    wake() {
      loop.wake();
      proofLoop.wake();
      teamLoop.wake();
    },
    async close() {
      unregister();
      const loops = [loop, presence, proofLoop, teamLoop, mornings, alerts];
      await Promise.all(loops.map((one) => one?.close()));
      await inFlight.drained();
      await proofs.close();
    },
    checkAlerts: () => alerts?.wake(),
    async sendTest(entry, userEmail) {
      const sender = { settings: await settingsNow(), ids: await openMailIds(storage) };
      const write = await prepareEntryMail(entry, sender, { test: randomText(16) });
      const asks = await sampleAsks(storage, entry.posts, new Date(options.clock.now()));
      const subscription = await storage.get(SUBSCRIPTIONS, userEmail);
      const isSubscribed = asks.length === 0 || subscription?.subscribed === true;
      const person = { userEmail, asks, subscription: isSubscribed ? subscription : undefined };
      const mail = await write(person, await createLink(userEmail, isSubscribed));
      return await sendWithin(TEST_MS, (signal) => mailer.send(mail, undefined, { signal }), clock);
    },
    askForProof: proofs.add,
  };
}

function countOutcomes({ mailer, storage }: MailingOptions): MailingOptions["mailer"] {
  const meter = meterOf(storage);
  const count = (outcome: string) => meter.count("boardcast_mails_total", outcome);
  return {
    async send(mail, isWanted, sendOptions) {
      try {
        const outcome = await mailer.send(mail, isWanted, sendOptions);
        count(outcome.state);
        return outcome;
      } catch (error) {
        count("error");
        throw error;
      }
    },
  };
}
