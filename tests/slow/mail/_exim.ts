import { join } from "node:path";
import { freePort } from "../../_support/port.ts";
import { run, startProgram } from "../../_support/process.ts";

// Debian can't install Exim beside Postfix, so it is extracted, and runs as a user that the test
// adds.
const PACKAGES = ["exim4-daemon-light", "exim4-base", "libidn12", "libnss-wrapper"];
const USER = "Debian-exim:x:65533:65533::/nonexistent:/bin/false";

/** Extracts Debian's packages into a folder. */
async function extract(folder: string): Promise<string> {
  const root = join(folder, "root");
  await run("sh", [
    "-c",
    `cd ${folder} && { apt-get download -qq ${PACKAGES.join(" ")} 2>/dev/null ||
      { apt-get update -qq && apt-get download -qq ${PACKAGES.join(" ")}; }; } &&
      for package in *.deb; do dpkg -x "$package" ${root}; done`,
  ]);
  return root;
}

/**
 * Starts Exim in a temporary folder. While it is faulty, lines of its ACL for recipients refuse
 * mail; then it accepts all mail.
 */
export async function startExim(acl: string) {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-exim-" });
  const root = await extract(folder);
  const port = freePort();
  const faulty = join(folder, "faulty");
  for (const name of ["spool", "log"]) await Deno.mkdir(join(folder, name));
  const files = {
    faulty: "",
    passwd: `${await Deno.readTextFile("/etc/passwd")}${USER}\n`,
    group: `${await Deno.readTextFile("/etc/group")}Debian-exim:x:65533:\n`,
    conf: `
primary_hostname = mx.acme.example
exim_user = nobody
exim_group = nogroup
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/%slog
pid_file_path = ${folder}/pid
domainlist local_domains = acme.example
acl_smtp_rcpt = acl_check_rcpt
acl_smtp_data = acl_check_data
daemon_smtp_ports = ${port}
local_interfaces = 127.0.0.1
tls_advertise_hosts =
keep_environment =
host_lookup =
begin acl
acl_check_rcpt:
  accept condition = \${if exists{${faulty}}{no}{yes}}
${acl}
  accept
acl_check_data:
  accept
begin routers
all:
  driver = accept
  transport = discard
begin transports
discard:
  driver = appendfile
  file = /dev/null
  user = nobody
begin retry
* * F,2h,15m
`,
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(folder, name), text);
  }
  await Deno.chmod(folder, 0o755);
  await run("chown", ["-R", "nobody", join(folder, "spool"), join(folder, "log")]);
  const [library] = (await run("find", [root, "-name", "libnss_wrapper.so"])).out.split("\n");
  const server = startProgram(join(root, "usr", "sbin", "exim4"), {
    args: ["-C", join(folder, "conf"), "-bdf"],
    env: {
      LD_PRELOAD: library,
      LD_LIBRARY_PATH: join(library, ".."),
      NSS_WRAPPER_PASSWD: join(folder, "passwd"),
      NSS_WRAPPER_GROUP: join(folder, "group"),
    },
  });
  await untilListening(port);
  return {
    url: `smtp://127.0.0.1:${port}?tls=off`,
    /** Makes it accept all mail. */
    mend: () => Deno.remove(faulty),
    async [Symbol.asyncDispose]() {
      server.signal("SIGTERM");
      await server.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function untilListening(port: number): Promise<void> {
  for (let attempts = 0; attempts < 100; attempts++) {
    try {
      (await Deno.connect({ port })).close();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error("Exim does not listen");
}
