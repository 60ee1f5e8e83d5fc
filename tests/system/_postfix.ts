import { join } from "node:path";
import { makeCertificate } from "../_certificate.ts";
import { until } from "../_waiting.ts";
import { freePort } from "../_port.ts";
import { run, startProgram } from "../_process.ts";

/** A Postfix of its own, which keeps what it delivers for example.com. */
export interface Postfix extends AsyncDisposable {
  readonly port: number;
  /** The authority of its certificate for localhost, as PEM. */
  readonly ca: string;
  /** Returns the paths of the messages that it delivered, once there are so many. */
  delivered(count: number): Promise<readonly string[]>;
}

/** How a Postfix differs from others. */
export interface PostfixOptions {
  /** The addresses whose mail it keeps. */
  readonly recipients: readonly string[];
  /** What it answers to other recipients, by their address. */
  readonly access: Readonly<Record<string, string>>;
  /** More of `main.cf`. */
  readonly settings: string;
}

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

/** Starts it with all of its files in a temporary folder. */
export async function startPostfix(
  { recipients, access, settings }: PostfixOptions,
): Promise<Postfix> {
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
    "recipients": recipients.map((address) => `${address} inbox/\n`).join(""),
    "access": Object.entries(access).map(([address, answer]) => `${address} ${answer}\n`).join(""),
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
${settings}
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
    ca,
    async delivered(count) {
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
