import { assertEquals, assertRejects } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { type Mail, type Mailer, MailerError } from "../../delivery/mailer.ts";
import { listHeaders } from "../../delivery/message.ts";
import { openSmtpMailer } from "../../delivery/smtp.ts";
import { TEXTS } from "../_mail_texts.ts";
import { mailTo, testMail } from "../_mails.ts";
import { run } from "../_process.ts";
import { type Postfix, startPostfix } from "./_postfix.ts";

const NOW = new Date("2026-11-21T10:00:00Z");
const LANES = 10;
// Prints what Python's own parser reads out of messages, with all that it finds wrong with them.
const READ = `
import email, email.header, email.policy, email.utils, json, sys
messages = []
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        message = email.message_from_binary_file(file, policy=email.policy.default)
    # Where addresses are parsed by the policy, names keep the spaces between encoded words.
    name, address = email.utils.parseaddr(dict(message.raw_items())["From"])
    text, html = message.iter_parts()
    headers = ["From", "To", "Subject", "Date", "Message-ID"]
    messages.append({
        "name": str(email.header.make_header(email.header.decode_header(name))),
        "address": address,
        "to": message["To"],
        "subject": message["Subject"],
        "date": message["Date"].datetime.isoformat(),
        "messageId": message["Message-ID"],
        "list": [message["List-Unsubscribe"], message["List-Unsubscribe-Post"]],
        "text": text.get_content(),
        "html": html.get_content(),
        "defects": [str(defect) for part in message.walk() for defect in part.defects]
            + [str(defect) for name in headers for defect in message[name].defects],
    })
print(json.dumps(messages))
`;

describe("openSmtpMailer with Postfix", () => {
  let postfix: Postfix;
  let mailer: Mailer;

  before(async () => {
    postfix = await startPostfix({
      recipients: ["ann@example.com", ...numbers(100).map((number) => mailTo(number).to)],
      access: {
        "later@example.com": "450 4.2.0 Try again",
        "closing@example.com": "421 4.3.2 Shutting down",
      },
      settings: "message_size_limit = 40000\nsmtpd_hard_error_limit = 7",
    });
    mailer = openSmtpMailer(`smtp://localhost:${postfix.port}`, {
      tls: { ca: postfix.ca },
      now: () => NOW,
    });
  });
  after(async () => {
    await mailer?.close();
    await postfix?.[Symbol.asyncDispose]();
  });

  it("delivers mails that Python's email reads back", async () => {
    const link = `https://example.com/unsubscribe/${"u".repeat(300)}`;
    const mails = TEXTS.map(([name, title, body], index) =>
      testMail({
        from: { name, address: "news@example.com" },
        subject: title,
        text: body,
        html: `<p>${body}</p>`,
        messageId: `<${index}@example.com>`,
        headers: listHeaders({ id: "changelog.example.com", name }, link),
      })
    );
    for (const mail of mails) assertEquals(await mailer.send(mail), { state: "sent" });
    const paths = await postfix.delivered(mails.length);
    const { out } = await run("python3", ["-c", READ, ...paths]);
    const read: { readonly messageId: string }[] = JSON.parse(out);
    const expected = mails.map((mail) => ({
      name: mail.from.name,
      address: mail.from.address,
      to: mail.to,
      subject: mail.subject,
      date: "2026-11-21T10:00:00+00:00",
      messageId: mail.messageId,
      list: [`<${link}>`, "List-Unsubscribe=One-Click"],
      text: mail.text,
      html: mail.html,
      defects: [],
    }));
    const order = (a: Pick<Mail, "messageId">, b: Pick<Mail, "messageId">) =>
      a.messageId < b.messageId ? -1 : 1;
    assertEquals(read.sort(order), expected.sort(order));
  });

  it("delivers every mail once when many are sent at a time", async () => {
    const count = (await postfix.delivered(0)).length;
    const queue = numbers(100).values();
    await Promise.all(Array.from({ length: LANES }, async () => {
      for (const number of queue) {
        assertEquals(await mailer.send(mailTo(number)), { state: "sent" });
      }
    }));
    const paths = await postfix.delivered(count + 100);
    const texts = await Promise.all(paths.map((path) => Deno.readTextFile(path)));
    const delivered = texts.flatMap((text) => /^To: (user\d+@.*)$/m.exec(text)?.[1] ?? []);
    assertEquals(delivered.sort(), numbers(100).map((number) => mailTo(number).to).sort());
  });

  it("tells what Postfix refuses and defers, more of it than one session may have", async () => {
    const refused = "<…>: Recipient address rejected: User unknown in virtual mailbox table";
    for (const number of numbers(20)) {
      const outcome = await mailer.send(testMail({ to: `nobody${number}@example.com` }));
      assertEquals(outcome, { state: "refused", code: "5.1.1", text: refused });
    }
    const later = await mailer.send(testMail({ to: "later@example.com" }));
    const text = "<…>: Recipient address rejected: Try again";
    assertEquals(later, { state: "deferred", code: "4.2.0", text });
    assertEquals((await mailer.send(testMail({ text: "x".repeat(40_000) }))).state, "refused");
    const closing = testMail({ to: "closing@example.com" });
    await assertRejects(() => mailer.send(closing), MailerError, "421 4.3.2");
    assertEquals(await mailer.send(testMail()), { state: "sent" });
  });
});

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
