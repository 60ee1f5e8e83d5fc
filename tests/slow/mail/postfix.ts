import { assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { openSmtpMailer } from "../../../delivery/mail/smtp.ts";
import { testMail } from "../../_support/mails.ts";
import { startPostfix } from "./_postfix.ts";

it("openSmtpMailer tells what Postfix takes, refuses and defers, over several sessions", async () => {
  await using postfix = await startPostfix();
  const { port, ca } = postfix;
  const mailer = openSmtpMailer(`smtp://localhost:${port}`, { tls: { ca } });
  const refused = "<…>: Recipient address rejected: User unknown in virtual mailbox table";
  // Postfix accepts fewer mails than this in one session.
  for (let number = 0; number < 20; number++) {
    const outcome = await mailer.send(testMail({ to: `nobody${number}@example.com` }));
    assertEquals(outcome, { state: "refused", code: "5.1.1", text: refused });
  }
  const later = await mailer.send(testMail({ to: "later@example.com" }));
  const text = "<…>: Recipient address rejected: Try again";
  assertEquals(later, { state: "deferred", code: "4.2.0", text });
  assertEquals((await mailer.send(testMail({ text: "x".repeat(40_000) }))).state, "refused");
  const closing = testMail({ to: "closing@example.com" });
  const ended = "<…>: Recipient address rejected: Closing";
  const outcome = await mailer.send(closing);
  assertEquals(outcome, { state: "deferred", code: "4.3.2", text: ended });
  const hard = { subject: "Dänk mode", text: `.\n..\n${"ä".repeat(500)}\n.` };
  assertEquals(await mailer.send(testMail(hard)), { state: "sent" });
  await mailer.close();
});
