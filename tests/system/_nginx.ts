import { assertEquals } from "@std/assert";
import { join } from "node:path";

/** An nginx that runs the configuration under packaging/. */
export interface Proxy {
  /** Makes a request over TLS that trusts its certificate. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Opens a TLS connection. */
  connect(alpnProtocols: string[]): Promise<Deno.TlsConn>;
  /** Stops it, removes its files, and returns all that it logged. */
  stop(): Promise<string>;
}

const CONFIGURATION = new URL("../../packaging/nginx.conf", import.meta.url);

/**
 * Starts nginx with the configuration as it is, but for what a test machine lacks: ports,
 * names, folders, and a certificate that is made here.
 */
export async function startProxy(upstreamPort: string): Promise<Proxy> {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-nginx-" });
  const port = findFreePort();
  await makeCertificate(folder);
  await Deno.writeTextFile(join(folder, "boardcast.conf"), await adapt(folder, port, upstreamPort));
  await Deno.writeTextFile(join(folder, "nginx.conf"), frame(folder));
  await run("nginx", ["-t", "-q", "-p", folder, "-c", "nginx.conf", "-e", "stderr"]);
  const child = new Deno.Command("nginx", {
    args: ["-p", folder, "-c", "nginx.conf", "-e", "stderr"],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const caCerts = [await Deno.readTextFile(join(folder, "boardcast.crt"))];
  const client = Deno.createHttpClient({ caCerts });
  await waitForPort(port);

  return {
    fetch: (path, init) => fetch(`https://localhost:${port}${path}`, { ...init, client }),
    connect: (alpnProtocols) =>
      Deno.connectTls({ hostname: "localhost", port, caCerts, alpnProtocols }),
    async stop() {
      client.close();
      child.kill("SIGTERM");
      await child.status;
      const logs = ["boardcast.log", "boardcast_error.log"];
      const texts = await Promise.all(logs.map((name) => Deno.readTextFile(join(folder, name))));
      await Deno.remove(folder, { recursive: true });
      return texts.join("");
    },
  };
}

async function adapt(folder: string, port: number, upstreamPort: string): Promise<string> {
  let text = await Deno.readTextFile(CONFIGURATION);
  const replacements = [
    ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`],
    ["server 127.0.0.1:8000", `server 127.0.0.1:${upstreamPort}`],
    ["/etc/nginx/tls/", `${folder}/`],
    ["/var/log/nginx/", `${folder}/`],
    ["server_name boardcast.example", "server_name localhost"],
  ];
  for (const [from, to] of replacements) {
    assertEquals(text.includes(from), true, `The configuration lacks "${from}"`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** What a distribution's nginx.conf has around the files in conf.d. */
function frame(folder: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`);
  return `daemon off; master_process off; pid ${folder}/pid; events {}
    http { ${temporary.join(" ")} include ${folder}/boardcast.conf; }\n`;
}

async function makeCertificate(folder: string): Promise<void> {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const notAuthority = ["-addext", "basicConstraints=critical,CA:FALSE"];
  const files = ["-keyout", join(folder, "boardcast.key"), "-out", join(folder, "boardcast.crt")];
  await run("openssl", ["req", "-x509", "-days", "2", ...key, ...name, ...notAuthority, ...files]);
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await new Deno.Command(program, { args: [...args] }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
}

function findFreePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function waitForPort(port: number): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (true) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
