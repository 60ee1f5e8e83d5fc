import { assertEquals, assertRejects } from "@std/assert";
import { join } from "node:path";
import { after, before, describe, it } from "@std/testing/bdd";
import { type Mailer, MailerError } from "../../delivery/mailer.ts";
import { listHeaders } from "../../delivery/message.ts";
import { openSmtpMailer } from "../../delivery/smtp.ts";
import { TEXTS } from "../_mail_texts.ts";
import { testMail } from "../_mails.ts";
import { makeCertificate } from "../_certificate.ts";
import { freePort } from "../_port.ts";
import { run, startProgram } from "../_process.ts";
import { until } from "../_waiting.ts";

const NOW = new Date("2026-11-21T10:00:00Z");
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

const SERVICES = `
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`;

/** Starts a Postfix of its own, which keeps the mail for ann@example.com, in a temporary folder. */
async function startPostfix() {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-postfix-" });
  const port = freePort();
  const maildir = join(folder, "mail");
  const etc = join(folder, "etc");
  for (const path of [etc, join(folder, "queue"), join(folder, "data"), maildir]) {
    await Deno.mkdir(path);
  }
  const { ca, cert, key } = await makeCertificate();
  const id = (await run("id", ["-u", "postfix"])).out.trim();
  const files: Record<string, string> = {
    "key.pem": key,
    "cert.pem": cert,
    "recipients": "ann@example.com inbox/\n",
    "access": "later@example.com 450 4.2.0 Try again\nclosing@example.com 421 4.3.2 Closing\n",
    "main.cf": `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = /dev/stdout
inet_interfaces = loopback-only
inet_protocols = ipv4
myhostname = localhost.example.com
mydestination =
mynetworks =
local_recipient_maps =
alias_maps =
virtual_mailbox_domains = example.com
virtual_mailbox_base = ${maildir}
virtual_mailbox_maps = texthash:${etc}/recipients
virtual_uid_maps = static:${id}
virtual_gid_maps = static:${id}
virtual_minimum_uid = 1
smtpd_tls_security_level = encrypt
smtpd_tls_cert_file = ${etc}/cert.pem
smtpd_tls_key_file = ${etc}/key.pem
smtpd_relay_restrictions = reject_unauth_destination
smtpd_recipient_restrictions = check_recipient_access texthash:${etc}/access
message_size_limit = 40000
smtpd_hard_error_limit = 7
`,
    "master.cf": `127.0.0.1:${port} inet n - n - - smtpd${SERVICES}`,
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(etc, name), text);
  }
  for (const name of ["data", "mail"]) await Deno.chown(join(folder, name), Number(id), null);
  await Deno.chmod(folder, 0o755);

  const { PATH = "" } = Deno.env.toObject();
  const server = startProgram("postfix", { args: ["-c", etc, "start-fg"], env: { PATH } });
  await server.waitFor("stdout", /daemon started/);
  return {
    port,
    /** The authority of its certificate for localhost, as PEM. */
    ca,
    /** Returns the paths of the messages that it delivered, once there are so many. */
    async delivered(count: number): Promise<readonly string[]> {
      const inbox = join(maildir, "inbox", "new");
      const list = () => Array.fromAsync(Deno.readDir(inbox), ({ name }) => join(inbox, name));
      await until(async () => (await list().catch(() => [])).length >= count);
      return await list();
    },
    async [Symbol.asyncDispose]() {
      await run("postfix", ["-c", etc, "stop"]);
      await server.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

describe("openSmtpMailer with Postfix", () => {
  let postfix: Awaited<ReturnType<typeof startPostfix>>;
  let mailer: Mailer;

  before(async () => {
    postfix = await startPostfix();
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
    const byId = (a: { messageId: string }, b: { messageId: string }) =>
      a.messageId < b.messageId ? -1 : 1;
    assertEquals(read.sort(byId), expected.sort(byId));
  });

  it("tells what Postfix refuses and defers, more of it than one session may have", async () => {
    const refused = "<…>: Recipient address rejected: User unknown in virtual mailbox table";
    for (let number = 0; number < 20; number++) {
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
