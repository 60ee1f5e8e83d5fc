import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openSmtpMailer } from "../../../delivery/mail/smtp.ts";
import { isUnknownMailbox } from "../../../model/deliveries/mail_outcome.ts";
import { isOfRelay } from "../../../model/deliveries/refusals.ts";
import {
  addresses,
  DISABLED,
  type Mailing,
  publishEntry,
  type Reply,
  SENT,
  startMailing,
} from "../../_support/mailing.ts";
import { forEachRow } from "../../_support/rows.ts";
import {
  type ScriptedRelay,
  startScriptedRelay,
  type Step,
} from "../../_support/scripted_relay.ts";

const MINUTE_MS = 60_000;
const PEOPLE = addresses(300);
/** Replies that are not about the recipient, at whatever step they come. */
const REPLIES = [
  "550 relay not permitted",
  "554 5.7.1 <ann@example.com>: Relay access denied",
  "550 5.4.5 Daily user sending limit exceeded",
  "550 5.7.501 Service unavailable",
  "432 4.3.2 Concurrent connections limit exceeded",
  "454 4.7.0 Temporary authentication failure",
  "553 5.7.1 <news@acme.example>: Sender address rejected: not owned by user bob",
  "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org",
];
const STEPS: readonly Step[] = ["MAIL", "RCPT", "."];

/** Moves the clock until a delivery is done. */
async function finish({ clock, delivery }: Mailing, entryId = "a"): Promise<void> {
  for (let i = 0; i < 500 && (await delivery(entryId)).state !== "done"; i++) {
    await clock.advance(clock.waits[0] ?? MINUTE_MS);
  }
}

/** Moves the clock in steps until a delivery is done; mails are answered at each step. */
async function tickUntilDone({ clock, counts }: Mailing, limitMs: number): Promise<void> {
  const endMs = clock.now() + limitMs;
  while (clock.now() < endMs && !(await counts()).startsWith("done")) await clock.tick(200);
}

/**
 * Mails 300 people through a relay that gives nearly everybody the same reply until it is repaired.
 */
async function mailThroughFault(
  relay: ScriptedRelay,
  { taken, mend }: { readonly taken: number; readonly mend: () => void },
): Promise<void> {
  const mailer = openSmtpMailer(relay.url);
  await using mailing = await startMailing({ mailer, subscribers: PEOPLE });
  for (const entryId of ["a", "b"]) await publishEntry(mailing.service, entryId);
  await mailing.clock.settled();
  for (let retries = 0; retries < 4; retries++) await mailing.clock.advance(10_000);
  const { sent, failed, problem } = await mailing.delivery("a");
  // Mails in flight at the first refusal may be accepted, too.
  assert(failed === 0 && sent >= taken && sent <= taken + 10, `${sent} sent, ${failed} failed`);
  assertMatch(`${problem}`, /^The mail relay (?!did)/);
  mend();
  for (const entryId of ["a", "b"]) {
    await finish(mailing, entryId);
    assertEquals(await mailing.counts(entryId), "done 300 0 0");
  }
  assertEquals(relay.ledger.toSorted(), PEOPLE.flatMap((to) => [to, to]));
  const path = "changelogs/subscribers?subscribed=false";
  assertEquals((await mailing.service.call<{ data: unknown[] }>("GET", path)).data, []);
  await mailing.worker.close();
  await mailer.close();
}

describe("a relay that refuses everybody", () => {
  it("at any step, from the first mail or the fourth on, costs nobody the mail or the subscription", () =>
    forEachRow(
      REPLIES.flatMap((reply) =>
        STEPS.flatMap((step) => [[reply, step, 0], [reply, step, 3]] as const)
      ),
      async ([say, at, taken]) => {
        let isFaulty = true;
        await using relay = await startScriptedRelay((step) =>
          isFaulty && step === at && relay.ledger.length >= taken ? { say } : undefined
        );
        await mailThroughFault(relay, { taken, mend: () => isFaulty = false });
      },
    ));

  it("in words that tell nothing, ten times in a row, counts nobody as failed", () =>
    forEachRow([0, 3], async (taken) => {
      let isFaulty = true;
      // Taken mails come first in order, and once: one taken among refusals would end their row.
      const first = PEOPLE.slice(0, taken);
      await using relay = await startScriptedRelay((step, _connection, recipient) =>
        isFaulty && step === "RCPT" &&
          (!first.includes(recipient) || relay.ledger.includes(recipient))
          ? { say: "550 5.0.0 Administrative prohibition" }
          : undefined
      );
      await mailThroughFault(relay, { taken, mend: () => isFaulty = false });
    }));
});

describe("a recipient who is refused last before the relay breaks down", () => {
  it("is mailed once it works again", async () => {
    const subscribers = addresses(2);
    let isFaulty = true;
    const relay = ({ to }: { readonly to: string }): Reply =>
      !isFaulty ? SENT : to === subscribers[0] ? DISABLED : "down";
    await using mailing = await startMailing({ subscribers, relay });
    await mailing.publish("a");
    isFaulty = false;
    await finish(mailing);
    assertEquals([mailing.recipients, await mailing.counts()], [subscribers, "done 2 0 0"]);
  });
});

describe("recipients who are refused in the same words", () => {
  it("fail, ten in a row too, once others were taken", async () => {
    const isBad = (to: string) => to >= PEOPLE[40] && to < PEOPLE[52];
    const relay = ({ to }: { readonly to: string }): Reply => isBad(to) ? DISABLED : SENT;
    await using mailing = await startMailing({ subscribers: PEOPLE, relay });
    await mailing.publish("a");
    await finish(mailing);
    assertEquals(await mailing.counts(), "done 288 12 0");
    assertEquals(mailing.recipients, PEOPLE.filter((to) => !isBad(to)));
  });

  it("fail at once where they are fewer than ten in a row", async () => {
    const isBad = (to: string) => PEOPLE.indexOf(to) % 10 !== 0;
    const relay = ({ to }: { readonly to: string }): Reply => isBad(to) ? DISABLED : SENT;
    await using mailing = await startMailing({ subscribers: PEOPLE, relay });
    await mailing.publish("a");
    assertEquals(await mailing.counts(), "done 30 270 0");
  });
});

describe("a relay that takes three connections at a time", () => {
  it("is given all mails within two minutes, and nobody fails for its limit", async () => {
    let open = 0;
    const relay = async (): Promise<Reply> => {
      if (open >= 3) {
        const text = "Concurrent connections limit exceeded";
        return { state: "deferred", code: "4.3.2", text };
      }
      open++;
      await mailing.clock.sleep(200, new AbortController().signal);
      open--;
      return SENT;
    };
    const subscribers = addresses(100);
    const options = { subscribers, relay, mailRatePerSecond: 10 };
    const mailing: Mailing = await startMailing(options);
    await using _ = mailing;
    await publishEntry(mailing.service, "a");
    await tickUntilDone(mailing, 2 * MINUTE_MS);
    assertEquals([mailing.recipients, await mailing.counts()], [subscribers, "done 100 0 0"]);
  });
});

describe("a relay that takes a mail a second", () => {
  it("is given mails more slowly until it takes them all", async () => {
    let lastMs = -Infinity;
    const relay = (): Reply => {
      const nowMs = mailing.clock.now();
      if (nowMs - lastMs < 1_000) {
        const text = "Throttling failure: Maximum sending rate exceeded";
        return { state: "deferred", code: "454", text };
      }
      lastMs = nowMs;
      return SENT;
    };
    const subscribers = addresses(60);
    const options = { subscribers, relay, mailRatePerSecond: 10 };
    const mailing: Mailing = await startMailing(options);
    await using _ = mailing;
    await publishEntry(mailing.service, "a");
    await tickUntilDone(mailing, 5 * MINUTE_MS);
    assertEquals([mailing.recipients, await mailing.counts()], [subscribers, "done 60 0 0"]);
  });
});

describe("the words of a refusal", () => {
  it("say whether it is about the recipient, about the relay, or about a missing mailbox", () =>
    forEachRow<readonly [code: string, text: string, expected: string]>([
      ["550", "Unrouteable address", "no mailbox"],
      ["550", "No such user here", "no mailbox"],
      ["551", "User unknown; try elsewhere", "no mailbox"],
      ["550", "Mailbox unavailable", "recipient"],
      ["554", "No such user here", "recipient"],
      ["5.1.1", "<…>: Recipient address rejected: User unknown", "no mailbox"],
      ["5.1.1", "Message limit for this hour", "relay"],
      ["5.1.1", "This looks like spam", "recipient"],
      ["5.1.1", "no", "no mailbox"],
      ["5.7.1", "no", "relay"],
      ["5.7.1", "<…>: Recipient address rejected: Access denied", "relay"],
      ["5.7.133", "The sender was not authenticated when sending to this group", "recipient"],
      ["5.7.1", "mx.example said: 550 5.7.1 Client host blocked", "recipient"],
      ["5.2.2", "The mailbox is over quota", "recipient"],
      ["552", "Message size exceeds the limit", "recipient"],
      ["4.2.0", "<…>: Recipient address rejected: Greylisted", "recipient"],
      ["4.7.1", "Greylisting in action, please come back later", "recipient"],
      [
        "4.2.1",
        "The user is receiving mail at a rate that prevents additional messages",
        "recipient",
      ],
      ["4.3.0", "Temporary lookup failure", "recipient"],
      ["550", "Sender verify failed", "relay"],
      ["553", "sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", "relay"],
      ["5.5.2", "<x>: Helo command rejected: need fully-qualified hostname", "relay"],
      ["4.1.8", "<…>: Sender address rejected: Domain not found", "relay"],
      ["4.7.1", "<…>: Relay access denied", "relay"],
      ["554", "Message rejected: Email address is not verified", "relay"],
      ["5.7.60", "SMTP; Client does not have permissions to send as this sender", "relay"],
      ["5.7.26", "This mail is unauthenticated", "relay"],
      ["550", "acme.example has exceeded the max emails per hour (200/200) allowed", "relay"],
      ["4.5.3", "Too many recipients", "relay"],
      ["5.2.0", "Submission.Exception:SubmissionQuotaExceededException", "relay"],
    ], ([code, text, expected]) => {
      const reply = { code, text };
      const found = isOfRelay(reply)
        ? "relay"
        : isUnknownMailbox(reply)
        ? "no mailbox"
        : "recipient";
      assert(found === expected, `${found} in place of ${expected}`);
    }));
});
