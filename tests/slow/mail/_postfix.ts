import { join } from "node:path";
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

/** Changes to the settings of a Postfix that accepts mail for ann@example.com. */
interface PostfixSettings {
  /** Lines of main.cf. */
  readonly main?: string;
}

/** Starts Postfix in a temporary folder; it accepts mail for ann@example.com. */
export async function startPostfix({ main = "" }: PostfixSettings = {}) {
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
${main}`,
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
