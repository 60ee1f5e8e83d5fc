import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { MailerError, type SendOutcome } from "../delivery/mailer.ts";
import { openSmtpMailer } from "../delivery/smtp.ts";
import { mailTo, testMail } from "./_mails.ts";
import {
  type Action,
  type Script,
  startScriptedRelay,
  STEPS,
  withRelay,
} from "./_scripted_relay.ts";

const SENT: SendOutcome = { state: "sent" };
const REFUSED: SendOutcome = { state: "refused", code: "5.1.1", text: "no" };

describe("openSmtpMailer", () => {
  it("takes a new connection when the relay has closed the one that was kept", async () => {
    const says: Action[] = [{ say: "421 4.7.0 That was enough" }, "close"];
    const mails = [0, 0, 0];
    const script: Script = (step, connection) =>
      step === "MAIL" && mails[connection]++ === 1 ? says[connection] : undefined;
    await withRelay(script, async (mailer, relay) => {
      for (let number = 0; number < 4; number++) {
        assertEquals(await mailer.send(mailTo(number)), SENT);
      }
      assertEquals(relay.commands.length, 3);
    });
  });

  it("takes a new connection when the one that was kept answers no more", async () => {
    let mails = 0;
    const script: Script = (step) => step === "MAIL" && ++mails === 2 ? "hang" : undefined;
    await withRelay(script, async (mailer, relay) => {
      for (const number of [1, 2]) assertEquals(await mailer.send(mailTo(number)), SENT);
      assertEquals(relay.commands.length, 2);
    }, { timeoutMs: 500 });
  });

  it("sends no message twice when a connection that was kept is lost behind it", async () => {
    let mails = 0;
    const script: Script = (step) => step === "." && ++mails === 2 ? "close" : undefined;
    await withRelay(script, async (mailer, relay) => {
      assertEquals(await mailer.send(mailTo(1)), SENT);
      await assertRejects(() => mailer.send(mailTo(2)), MailerError);
      assertEquals(relay.commands.length, 1);
    });
  });

  it("keeps the outcome when the relay hangs up after it", async () => {
    await withRelay((step) => {
      if (step === "RCPT") return { say: "550 5.1.1 no" };
      if (step === "DATA") return { say: "421 4.7.0 too many errors" };
    }, async (mailer, relay) => {
      assertEquals(await mailer.send(mailTo(1)), REFUSED);
      assertEquals(await mailer.send(mailTo(2)), REFUSED);
      assertEquals(relay.commands.length, 2);
    });
  });

  it("sends no message that the relay awaits though it refused the recipient", async () => {
    await withRelay(
      (step) => {
        if (step === "RCPT") return { say: "550 5.1.1 no" };
        if (step === "DATA") return { say: "354 go" };
      },
      async (mailer, relay) => {
        assertEquals(await mailer.send(testMail()), REFUSED);
        await relay.closed(1);
        assertEquals(relay.commands[0].slice(-1), ["DATA"]);
      },
    );
  });

  it("takes nothing for said over TLS that came before", async () => {
    await using relay = await startScriptedRelay((step) => {
      if (step === "EHLO") return { say: "250-relay\r\n250 STARTTLS" };
      if (step === "STARTTLS") return { say: "220 go\r\n250-relay\r\n250 AUTH PLAIN" };
    });
    const mailer = openSmtpMailer(`smtp://ann:secret@127.0.0.1:${relay.port}`);
    const error = await assertRejects(() => mailer.send(testMail()), MailerError);
    assertEquals(error.message, "The mail relay spoke before TLS was started");
    await relay.closed(1);
    await mailer.close();
  });

  for (const [step, say] of [["EHLO", "250 relay"], ["STARTTLS", "454 4.7.0 not now"]] as const) {
    it(`sends no login in plain text when the relay answers "${say}" at ${step}`, async () => {
      await using relay = await startScriptedRelay((at) => {
        if (at === step) return { say };
        if (at === "EHLO") return { say: "250-relay\r\n250-STARTTLS\r\n250 AUTH PLAIN" };
      });
      const mailer = openSmtpMailer(`smtp://ann:secret@127.0.0.1:${relay.port}`);
      await assertRejects(() => mailer.send(testMail()), MailerError, "TLS");
      await mailer.close();
      assert(!relay.commands.join().includes("AUTH"), relay.commands.join());
    });
  }

  it("rejects when a handshake is never finished", async () => {
    const tls = { say: "250-relay\r\n250 STARTTLS" };
    await using relay = await startScriptedRelay((step) => step === "EHLO" ? tls : undefined);
    const mailer = openSmtpMailer(`smtp://127.0.0.1:${relay.port}`, { timeoutMs: 50 });
    await assertRejects(() => mailer.send(testMail()), MailerError, "did not answer in time");
    await relay.closed(1);
    await mailer.close();
  });

  it("closes a connection that was not used for a while", async () => {
    await withRelay(() => undefined, async (mailer, relay) => {
      assertEquals(await mailer.send(mailTo(1)), SENT);
      await relay.closed(1);
      assertEquals(relay.commands[0].at(-1), "QUIT");
      assertEquals(await mailer.send(mailTo(2)), SENT);
      assertEquals(relay.commands.length, 2);
    }, { idleTimeoutMs: 20 });
  });

  it("closes no connection that is used again", async () => {
    let mails = 0;
    const script: Script = (step) => step === "." && ++mails === 3 ? "hang" : undefined;
    await withRelay(script, async (mailer, relay) => {
      await Promise.all([mailer.send(mailTo(1)), mailer.send(mailTo(2))]);
      const sending = assertRejects(() => mailer.send(mailTo(3)), MailerError);
      // By the time that a third connection was of no use, so would the one in use have been.
      await relay.closed(1);
      await mailer.send(mailTo(4));
      await relay.closed(2);
      assertEquals(relay.commands.filter((lines) => lines.includes("QUIT")).length, 2);
      await mailer.close();
      await sending;
    }, { idleTimeoutMs: 20 });
  });

  it("says goodbye when it is closed, and rejects from then on", async () => {
    await withRelay(() => undefined, async (mailer, relay) => {
      await Promise.all([mailer.send(mailTo(1)), mailer.send(mailTo(2))]);
      await mailer.close();
      await relay.closed(2);
      assertEquals(relay.commands.map((lines) => lines.at(-1)), ["QUIT", "QUIT"]);
      assertEquals(relay.commands.map(([first]) => first), Array(2).fill("EHLO [127.0.0.1]"));
      await assertRejects(() => mailer.send(mailTo(3)), MailerError, "The mailer is closed");
      await mailer.close();
    });
  });

  for (const step of STEPS) {
    it(`gives up a mail that is being sent when it is closed, at ${step}`, async () => {
      const reached = Promise.withResolvers<void>();
      await withRelay((at) => {
        if (at !== step) return;
        reached.resolve();
        return "hang";
      }, async (mailer) => {
        const sending = assertRejects(() => mailer.send(mailTo(1)), MailerError);
        await reached.promise;
        await mailer.close();
        assertEquals((await sending).message, "The mailer is closed");
      });
    });
  }
});
