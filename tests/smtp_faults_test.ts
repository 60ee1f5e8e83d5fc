import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { MailerError, type SendOutcome } from "../delivery/mailer.ts";
import { openSmtpMailer } from "../delivery/smtp.ts";
import { mailTo, testMail } from "./_mails.ts";
import { freePort } from "./_port.ts";
import { type Action, type Script, type Step, STEPS, withRelay } from "./_scripted_relay.ts";

const SENT: SendOutcome = { state: "sent" };
const WITHOUT_PIPELINING = { say: "250 relay" };

for (const isPipelined of [true, false]) {
  describe(`openSmtpMailer ${isPipelined ? "with" : "without"} pipelining`, () => {
    /** A script with one action at one step of the first connection. */
    function scriptOf(step: Step, action: Action): Script {
      return (at, connection) => {
        if (at === step && connection === 0) return action;
        if (at === "EHLO" && !isPipelined) return WITHOUT_PIPELINING;
      };
    }

    const faults: Record<string, [Action, RegExp]> = {
      "answers 421": [{ say: "421 4.3.2 no ann@example.com" }, /: 421 4\.3\.2 no …$/],
      "closes the connection": ["close", /closed|ECONNRESET|EPIPE/],
      "does not speak SMTP": [{ say: "HTTP/1.1 400 Bad Request" }, /not SMTP/],
    };
    for (const [what, [action, message]] of Object.entries(faults)) {
      for (const step of STEPS) {
        it(`rejects when the relay ${what} at ${step}, and sends the next mail`, async () => {
          await withRelay(scriptOf(step, action), async (mailer, relay) => {
            const error = await assertRejects(() => mailer.send(testMail()), MailerError);
            assertMatch(error.message, message);
            assertEquals(await mailer.send(testMail()), SENT);
            assertEquals(relay.commands.length, 2);
          });
        });
      }
    }

    for (const step of STEPS) {
      it(`rejects when the relay keeps silent at ${step}, and hangs up`, async () => {
        await withRelay(scriptOf(step, "hang"), async (mailer, relay) => {
          await assertRejects(() => mailer.send(testMail()), MailerError, "did not answer in time");
          await relay.closed(1);
        }, { timeoutMs: 20 });
      });
    }

    const replies: readonly (readonly [Step, string, SendOutcome | RegExp])[] = [
      ["RCPT", "251 2.1.5 it will be forwarded", SENT],
      ["RCPT", "550 5.1.1 <ann@example.com>: unknown", refused("5.1.1", "<…>: unknown")],
      ["RCPT", "550-No such\r\n550 person", refused("550", "No such person")],
      ["RCPT", "550", refused("550", "")],
      ["RCPT", "450 4.2.0 Come\tback\x1b[1m", deferred("4.2.0", "Come back [1m")],
      ["RCPT", "530 5.7.0 Log in first", /refused to go on: 530 5\.7\.0 Log in first$/],
      ["RCPT", "354 go", /refused to go on: 354/],
      ["DATA", "554 5.5.1 No", refused("5.5.1", "No")],
      ["DATA", "451 4.3.0 Later", deferred("4.3.0", "Later")],
      ["DATA", "250 ok", /refused to go on: 250/],
      [".", "550-5.7.1 Spam\r\n550 5.7.1 it is", refused("5.7.1", "Spam it is")],
      [".", "452 4.3.1 Disk full", deferred("4.3.1", "Disk full")],
      ["MAIL", "552 5.3.4 Too large", refused("5.3.4", "Too large")],
      [
        "MAIL",
        "550 5.7.1 <news@example.com> may not",
        /refused the sender: 550 5\.7\.1 <…> may not$/,
      ],
      ["MAIL", "451 4.7.1 Too many", /refused the sender: 451 4\.7\.1 Too many$/],
      ["EHLO", "550 no", /refused EHLO: 550 no$/],
      ["greeting", "554 no", /takes no connections: 554 no$/],
    ];
    for (const [step, say, expected] of replies) {
      it(`has an outcome when the relay answers ${JSON.stringify(say)} at ${step}`, async () => {
        await withRelay(scriptOf(step, { say }), async (mailer, relay) => {
          if (expected instanceof RegExp) {
            const error = await assertRejects(() => mailer.send(testMail()), MailerError);
            assertMatch(error.message, expected);
            await relay.closed(1);
          } else assertEquals(await mailer.send(testMail()), expected);
        });
      });
    }

    it("goes on with the same connection after a mail that was refused", async () => {
      const says: Action[] = [{ say: "550 no" }, { say: "450 no" }];
      const script: Script = (step) => {
        if (step === "RCPT") return says.shift();
        if (step === "EHLO" && !isPipelined) return WITHOUT_PIPELINING;
      };
      await withRelay(script, async (mailer, relay) => {
        assertEquals(await mailer.send(mailTo(1)), refused("550", "no"));
        assertEquals(await mailer.send(mailTo(2)), deferred("450", "no"));
        assertEquals(await mailer.send(mailTo(3)), SENT);
        assertEquals(await mailer.send(mailTo(4)), SENT);
        const verbs = relay.commands.map((lines) => lines.map((line) => line.split(" ")[0]).join());
        const refusedOne = isPipelined ? "MAIL,RCPT,DATA" : "MAIL,RCPT";
        assertEquals(verbs, [
          `EHLO,${refusedOne},RSET,${refusedOne},RSET,MAIL,RCPT,DATA,MAIL,RCPT,DATA`,
        ]);
      });
    });
  });
}

describe("openSmtpMailer", () => {
  it("rejects when nothing listens", async () => {
    const mailer = openSmtpMailer(`smtp://127.0.0.1:${freePort()}?tls=off`);
    const error = await assertRejects(() => mailer.send(testMail()), MailerError);
    assertMatch(error.message, /ECONNREFUSED$/);
    await mailer.close();
  });
});

function refused(code: string, text: string): SendOutcome {
  return { state: "refused", code, text };
}

function deferred(code: string, text: string): SendOutcome {
  return { state: "deferred", code, text };
}
