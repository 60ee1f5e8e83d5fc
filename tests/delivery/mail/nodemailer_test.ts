import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createTransport } from "nodemailer";
import { createNodemailerMailer } from "../../../docs/examples/nodemailer_mailer.ts";
import { MailerError } from "../../../delivery/mail/mailer.ts";
import { testMail } from "../../_support/mails.ts";
import { CLOSED_PORT } from "../../_support/port.ts";
import { startSmtpServer } from "../../_support/smtp_server.ts";

const REPLIES: Readonly<Record<string, string>> = {
  "nobody@example.com": "550 5.1.1 <nobody@example.com> unknown",
  "later@example.com": "450 4.2.0 later",
  "closing@example.com": "421 4.3.2 closing",
};

describe("the mailer of docs/mail.md", () => {
  it("tells the outcome of mails as any mailer does", async () => {
    await using relay = await startSmtpServer({
      disabledCommands: ["STARTTLS"],
      onRcptTo({ address }, _session, done) {
        const reply = REPLIES[address];
        if (reply === undefined) return done();
        const [responseCode, ...text] = reply.split(" ");
        done(Object.assign(new Error(text.join(" ")), { responseCode: Number(responseCode) }));
      },
    });
    const transport = createTransport({ host: "127.0.0.1", port: relay.port, pool: true });
    const mailer = createNodemailerMailer(transport);
    const subject = "Dänk mode";
    assertEquals(await mailer.send(testMail({ subject })), { state: "sent" });
    const [{ from, to, message }] = relay.received;
    assertEquals([from, to], ["news@example.com", "ann@example.com"]);
    assertEquals(/^Message-ID: (.*)\r$/m.exec(message)?.[1], testMail().messageId);
    const send = (to: string) => mailer.send(testMail({ to }));
    const refused = { state: "refused", code: "5.1.1", text: "550 5.1.1 … unknown" };
    assertEquals<unknown>(await send("nobody@example.com"), refused);
    assertEquals((await send("later@example.com")).state, "deferred");
    await assertRejects(() => send("closing@example.com"), MailerError);
    await mailer.close();
    const down = createNodemailerMailer(createTransport({ host: "127.0.0.1", port: CLOSED_PORT }));
    await assertRejects(() => down.send(testMail()), MailerError, "Cannot use the mail relay");
    await down.close();
  });
});
