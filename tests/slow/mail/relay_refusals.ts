// What usual configurations of Debian's Exim and Postfix answer when they refuse everybody.
import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
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

/** A relay that refuses everybody until it is mended. */
interface FaultyRelay {
  readonly url: string;
  readonly ca?: string;
  readonly mend: () => Promise<void>;
}

/** Mails 30 people through a relay that refuses them, mends it, and checks that all were mailed. */
async function mailThrough({ url, ca, mend }: FaultyRelay, problem: RegExp): Promise<void> {
  const storage = openMemoryStorage();
  const store = storeOf(storage);
  for (const userEmail of PEOPLE) {
    await insertRecord(store, SUBSCRIPTIONS, sampleSubscription(userEmail));
  }
  const mailer = openSmtpMailer(url, ca === undefined ? {} : { tls: { ca } });
  const from = "Acme <news@acme.example>";
  const worker = createWorker({ storage, mailer, publicUrl: PUBLIC_URL, from });
  const service = createService({ storage, worker, publicUrl: PUBLIC_URL, clock: Date.now });
  const read = async () => await storage.get(DELIVERIES, "a") as Delivery;
  await publishEntry(service, "a");
  await until(async () => (await read()).problem !== null, 60_000);
  const { failed, problem: found } = await read();
  assertEquals(failed, 0);
  assertMatch(`${found}`, problem);
  await mend();
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
      await using postfix = await startPostfix({ main: `virtual_mailbox_maps =\n${main}\n` });
      const { port, ca } = postfix;
      const url = `smtp://localhost:${port}`;
      const mend = () =>
        postfix.configure(`
smtpd_relay_restrictions = reject_unauth_destination
smtpd_sender_restrictions =
smtpd_client_restrictions =
virtual_mailbox_domains = example.com`);
      await mailThrough({ url, ca, mend }, problem);
    });
  }
});
