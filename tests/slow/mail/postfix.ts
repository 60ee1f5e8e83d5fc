import { assertEquals, assertRejects } from "@std/assert";
import { join } from "node:path";
import { it } from "@std/testing/bdd";
import { MailerError } from "../../../delivery/mail/mailer.ts";
import { openSmtpMailer } from "../../../delivery/mail/smtp.ts";
import { testMail } from "../../_support/mails.ts";
import { makeCertificate } from "../../_support/certificate.ts";
import { freePort } from "../../_support/port.ts";
import { run, startProgram } from "../../_support/process.ts";

const SERVICES = `
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
discard unix - - n - - discard
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`;

/** Starts a Postfix of its own in a temporary folder; it takes mail for ann@example.com. */
async function startPostfix() {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-postfix-" });
  const port = freePort();
  const etc = join(folder, "etc");
  for (const name of ["etc", "queue", "data"]) await Deno.mkdir(join(folder, name));
  const { ca, cert, key } = await makeCertificate();
  const id = (await run("id", ["-u", "postfix"])).out.trim();
  const files: Record<string, string> = {
    "key.pem": key,
    "cert.pem": cert,
    "recipients": "ann@example.com yes\n",
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
virtual_transport = discard
virtual_mailbox_maps = texthash:${etc}/recipients
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
  await Deno.chown(join(folder, "data"), Number(id), null);
  await Deno.chmod(folder, 0o755);

  const { PATH = "" } = Deno.env.toObject();
  const server = startProgram("postfix", { args: ["-c", etc, "start-fg"], env: { PATH } });
  await server.waitFor("stdout", /daemon started/);
  return {
    port,
    /** The authority of its certificate for localhost, as PEM. */
    ca,
    async [Symbol.asyncDispose]() {
      await run("postfix", ["-c", etc, "stop"]);
      await server.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

it("openSmtpMailer tells what Postfix takes, refuses and defers, over several sessions", async () => {
  await using postfix = await startPostfix();
  const { port, ca } = postfix;
  const mailer = openSmtpMailer(`smtp://localhost:${port}`, { tls: { ca } });
  const refused = "<…>: Recipient address rejected: User unknown in virtual mailbox table";
  // More than Postfix takes in one session.
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
  const hard = { subject: "Dänk mode", text: `.\n..\n${"ä".repeat(500)}\n.` };
  assertEquals(await mailer.send(testMail(hard)), { state: "sent" });
  await mailer.close();
});
