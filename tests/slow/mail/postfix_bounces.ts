import { assertEquals, assertMatch } from "@std/assert";
import { it } from "@std/testing/bdd";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Subscription } from "../../../model/subscriptions/subscription.ts";
import { freePort } from "../../_support/port.ts";
import { run, runByShell, SERVER, startCommand, startProgram } from "../../_support/process.ts";
import { waitUntilServing } from "../../_support/process.ts";
import { startSmtpServer } from "../../_support/smtp_server.ts";

const SERVICES = `
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
smtp unix - - n - - smtp
local unix - n n - - local
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;
/** The replies of another server to a recipient or, for `spam`, to the content. */
const REFUSALS: Readonly<Record<string, readonly [code: number, text: string]>> = {
  nobody: [550, "5.1.1 User unknown"],
  full: [552, "5.2.2 The mailbox is full"],
  spam: [554, "5.7.1 This looks like spam"],
  later: [450, "4.2.0 Greylisted"],
};
const USER = "nobody";

/** Starts a server for mail that refuses some people. */
function startRemote() {
  const refuse = (name: string) => {
    const [responseCode, text] = REFUSALS[name];
    return Object.assign(new Error(text), { responseCode });
  };
  const nameOf = (address: string) => address.split("@")[0];
  return startSmtpServer({
    hideSTARTTLS: true,
    disabledCommands: ["AUTH"],
    onRcptTo({ address }, _session, done) {
      const name = nameOf(address);
      done(name in REFUSALS && name !== "spam" ? refuse(name) : null);
    },
    onData(stream, { envelope }, done) {
      stream.resume();
      const isSpam = nameOf(envelope.rcptTo[0].address) === "spam";
      stream.once("end", () => done(isSpam ? refuse("spam") : null));
    },
  });
}

/** Makes a folder in which another user can run the command, like an alias of Postfix. */
async function prepareCommand(folder: string, { url, key }: { url: string; key: string }) {
  const cache = join(folder, "deno", "npm", "registry.npmjs.org");
  await Deno.mkdir(cache, { recursive: true });
  const { denoDir } = JSON.parse((await run(Deno.execPath(), ["info", "--json"])).out);
  for (const name of ["deno-std", "postgres"]) {
    await run("cp", ["-r", join(denoDir, "npm", "registry.npmjs.org", name), cache]);
  }
  const script = join(folder, "boardcast");
  await Deno.writeTextFile(
    script,
    `#!/bin/sh
export DENO_DIR=${folder}/deno HOME=${folder} NO_COLOR=1
export BOARDCAST_SERVER=${url} BOARDCAST_KEY=${key}
exec ${Deno.execPath()} run -A --quiet --cached-only --no-lock ${SERVER} "$@"
`,
  );
  await Deno.chmod(script, 0o755);
  await run("chown", ["-R", USER, join(folder, "deno"), script]);
  return script;
}

/** Starts a Postfix that relays mail to a server and pipes reports of failures to an alias. */
async function startPostfix(
  folder: string,
  { port, relayPort, command }: { port: number; relayPort: number; command: string },
) {
  const etc = join(folder, "etc");
  for (const name of ["etc", "queue", "data"]) await Deno.mkdir(join(folder, name));
  const files: Record<string, string> = {
    "aliases": `bounces: "|${command} bounces read --alias"\n`,
    "main.cf": `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = /dev/stdout
inet_interfaces = loopback-only
inet_protocols = ipv4
myhostname = mx.acme.example
mydestination = bounces.acme.example
mynetworks = 127.0.0.0/8
local_recipient_maps =
alias_maps = hash:${etc}/aliases
alias_database = hash:${etc}/aliases
default_privs = ${USER}
relayhost = [127.0.0.1]:${relayPort}
smtp_tls_security_level = none
smtpd_tls_security_level = none
smtpd_relay_restrictions = permit_mynetworks, reject
maximal_queue_lifetime = 0
bounce_queue_lifetime = 0
biff = no
`,
    "master.cf": `127.0.0.1:${port} inet n - n - - smtpd${SERVICES}`,
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(etc, name), text);
  }
  const id = (await run("id", ["-u", "postfix"])).out.trim();
  await Deno.chown(join(folder, "data"), Number(id), null);
  await run("postalias", ["-c", etc, `hash:${etc}/aliases`]);
  const { PATH = "" } = Deno.env.toObject();
  const server = startProgram("postfix", { args: ["-c", etc, "start-fg"], env: { PATH } });
  await server.waitFor("stdout", /daemon started/);
  return {
    async [Symbol.asyncDispose]() {
      await run("postfix", ["-c", etc, "stop"]);
      await server.status;
    },
  };
}

it("bounces read takes the reports of Postfix as an alias, and unsubscribes unknown recipients", async () => {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-bounces-" });
  await Deno.chmod(folder, 0o755);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const remote = stack.use(await startRemote());
  // Both ports are chosen first, because each program has to know the other's.
  const [port, mailPort] = [freePort(), freePort()];
  const key = "operators-own-key-0123456789";
  const server = stack.use(
    await waitUntilServing(
      startCommand([
        ...["serve", "--storage", "memory", "--port", `${port}`, "--log", "json"],
        ...["--public-url", `http://127.0.0.1:${port}`, "--mail-rate", "off"],
        ...["--mail", `smtp://127.0.0.1:${mailPort}?tls=off`],
        ...["--mail-from", "Acme <news@acme.example>"],
        ...["--mail-bounces-to", "bounces@bounces.acme.example"],
      ], { BOARDCAST_API_KEY: key }),
      key,
    ),
  );
  const command = await prepareCommand(folder, server);
  stack.use(await startPostfix(folder, { port: mailPort, relayPort: remote.port, command }));
  const call = (method: string, path: string, body?: unknown) =>
    fetch(`${server.url}/api/v1/changelogs/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    }).then((response) => response.json());
  const people = [...Object.keys(REFUSALS), "ann"];
  for (const name of people) {
    await call("PUT", "subscribe", { userEmail: `${name}@example.com`, subscribe: true });
  }
  await call("POST", "entries", { entryId: "a", title: "A", body: "B" });
  await call("POST", "entries/a/publish", { notify: true });
  await server.waitFor("stderr", /(?:"route":"\/bounces\/:secret"[^\n]*"status":200[^]*){4}/);

  const states = await Promise.all(people.map(async (name) => {
    const { subscribed, source }: Subscription = await call(
      "GET",
      `subscribers/${name}@example.com`,
    );
    return `${name} ${subscribed} ${source}`;
  }));
  assertEquals(states, [
    "nobody false bounce",
    ...["full", "spam", "later", "ann"].map((name) => `${name} true api`),
  ]);
  const metrics = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${key}` },
  }).then((response) => response.text());
  assertMatch(metrics, /boardcast_bounces_total\{outcome="counted"\} 3\n/);
  assertEquals(remote.received, []);
});

it("bounces read reads a pipe, and ends as a relay needs it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-bounces-" });
  const mail = fileURLToPath(new URL("./report.eml", import.meta.url));
  const at = `--storage file:${folder}/data`;
  try {
    const { out, err } = await runByShell(`
      (boardcast call subscribe userEmail=nobody@example.com subscribe=true ${at}) >/dev/null
      (cat ${mail} | boardcast bounces read ${at})
      (boardcast call getSubscriber userEmail=nobody@example.com ${at})
      (echo 'Subject: Hello' | boardcast bounces read ${at}) || echo "status $?"
      (echo 'Subject: Hello' | boardcast bounces read --alias ${at}) && echo "status $?"
      (boardcast bounces read --alias --storage file:/nowhere/at/all < ${mail}) || echo "status $?"
    `);
    // The report returns no mail of ours.
    assertMatch(err, /^0 unsubscribed, 0 counted, 1 ignored$/m);
    assertMatch(out, /"subscribed":true,"source":"api"/);
    assertMatch(out, /status 1\nstatus 0\nstatus 75\n$/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
