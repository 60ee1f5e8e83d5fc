// Usual configurations of Debian's Exim and Postfix that refuse everybody.
import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Mailer } from "../../../delivery/mail/mailer.ts";
import { openSmtpMailer } from "../../../delivery/mail/smtp.ts";
import { createWorker, openMemoryStorage } from "../../../mod.ts";
import type { Delivery } from "../../../model/deliveries/delivery.ts";
import { DELIVERIES, SUBSCRIPTIONS } from "../../../model/kinds.ts";
import { insertRecord } from "../../../services/records.ts";
import { storeOf } from "../../../services/store.ts";
import { publishEntry } from "../../_support/mailing.ts";
import { sampleSubscription } from "../../_support/samples.ts";
import { createService } from "../../_support/service.ts";
import { until } from "../../_support/waiting.ts";
import { startExim } from "./_exim.ts";
import { startPostfix } from "./_postfix.ts";

const PEOPLE = Array.from({ length: 30 }, (_, i) => `u${i}@example.com`);
const PUBLIC_URL = "https://updates.example";
const PATIENCE_MS = 240_000;

/** A relay, with the authority of its certificate if it has one. */
interface Relay {
  readonly url: string;
  readonly ca?: string;
}

/** A relay that refuses everybody, and a function that repairs it or returns another relay. */
interface FaultyRelay extends Relay {
  readonly mend: () => Promise<Relay | void>;
}

function openMailer({ url, ca }: Relay): Mailer {
  return openSmtpMailer(url, ca === undefined ? {} : { tls: { ca } });
}

/**
 * Mails 30 people through a relay that refuses them, repairs it, and checks that all got the mail.
 */
async function mailThrough(relay: FaultyRelay, problem: RegExp): Promise<void> {
  const storage = openMemoryStorage();
  const store = storeOf(storage);
  for (const userEmail of PEOPLE) {
    await insertRecord(store, SUBSCRIPTIONS, sampleSubscription(userEmail));
  }
  let current = openMailer(relay);
  const mailer: Mailer = {
    send: (...args) => current.send(...args),
    close: () => current.close(),
  };
  const from = "Acme <news@acme.example>";
  const worker = createWorker({ storage, mailer, publicUrl: PUBLIC_URL, from });
  const service = createService({ storage, worker, publicUrl: PUBLIC_URL, clock: Date.now });
  const read = async () => await storage.get(DELIVERIES, "a") as Delivery;
  await publishEntry(service, "a");
  // Before that, the refusals may be about the recipients.
  await until(async () => `${(await read()).problem}`.includes("refuses everybody"), 60_000);
  const { failed, problem: found } = await read();
  assertEquals(failed, 0);
  assertMatch(`${found}`, problem);
  const mended = await relay.mend();
  if (mended) {
    await current.close();
    current = openMailer(mended);
  }
  await until(async () => (await read()).state === "done", PATIENCE_MS);
  const { sent, failed: failedAtLast } = await read();
  assertEquals([sent, failedAtLast], [PEOPLE.length, 0]);
  const out = await store.list(SUBSCRIPTIONS, { index: "unsubscribed", limit: 1 });
  assertEquals(out, []);
  await worker.close();
  await mailer.close();
}

describe("Exim", () => {
  for (
    const [rule, acl, problem] of [
      [
        "relays for its own domains alone",
        "  require message = relay not permitted\n    domains = +local_domains",
        /550 relay not permitted/,
      ],
      [
        "limits a sender",
        "  deny message = Sender rate exceeds 3 per hour\n    ratelimit = 3 / 1h / strict / per_rcpt",
        /550 Sender rate exceeds 3 per hour/,
      ],
      [
        "blocks the client",
        "  deny message = 127.0.0.1 is in a black list at zen.spamhaus.org",
        /550 127\.0\.0\.1 is in a black list/,
      ],
    ] as const
  ) {
    it(`that ${rule} costs nobody the mail or the subscription`, async () => {
      await using exim = await startExim(acl);
      await mailThrough(exim, problem);
    });
  }
});

describe("Postfix", () => {
  for (
    const [rule, main, problem] of [
      [
        "relays for nobody",
        "smtpd_relay_restrictions = reject_unauth_destination\nvirtual_mailbox_domains =",
        /5\.7\.1 <…>: Relay access denied/,
      ],
      [
        "puts relaying off",
        "smtpd_relay_restrictions = defer_unauth_destination\nvirtual_mailbox_domains =",
        /4\.7\.1 <…>: Relay access denied/,
      ],
      [
        "refuses the sender",
        "smtpd_sender_restrictions = check_sender_access inline:{news@acme.example=REJECT}",
        /5\.7\.1 <…>: Sender address rejected/,
      ],
      [
        "refuses the client",
        "smtpd_client_restrictions = check_client_access inline:{127.0.0.1=REJECT}",
        /5\.7\.1 <.*>: Client host rejected/,
      ],
    ] as const
  ) {
    it(`that ${rule} costs nobody the mail or the subscription`, async () => {
      await using faulty = await startPostfix({ main: `virtual_mailbox_maps =\n${main}\n` });
      await using mended = await startPostfix({ main: "virtual_mailbox_maps =\n" });
      const toRelay = ({ port, ca }: typeof faulty) => ({ url: `smtp://localhost:${port}`, ca });
      const mend = () => Promise.resolve(toRelay(mended));
      await mailThrough({ ...toRelay(faulty), mend }, problem);
    });
  }
});
