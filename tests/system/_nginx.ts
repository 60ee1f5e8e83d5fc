import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { freePort } from "../_port.ts";
import { run } from "../_process.ts";

/** An nginx that runs the configuration under packaging/. */
export interface Proxy {
  readonly pid: number;
  readonly port: number;
  /** The certificate that it shows, as PEM, for the name localhost. */
  readonly certificate: string;
  /** Makes a request over TLS that trusts its certificate. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Opens a TLS connection. */
  connect(alpnProtocols: string[]): Promise<Deno.TlsConn>;
  /** Stops it, removes its files, and returns all that it logged. */
  stop(): Promise<string>;
}

/** Options of {@linkcode startProxy}. */
export interface ProxyOptions {
  /** The value of `worker_connections`. Default: 512, which is the one of nginx. */
  readonly connections?: number;
  /** Whether it listens on [::1] too. Default: no. */
  readonly ipv6?: boolean;
}

const CONFIGURATION = new URL("../../packaging/nginx.conf", import.meta.url);

/**
 * Starts nginx with the configuration as it is, but for what a test machine lacks: ports,
 * names, folders, and a certificate that is made here.
 */
export async function startProxy(
  upstreamPort: number,
  { connections = 512, ipv6 = false }: ProxyOptions = {},
): Promise<Proxy> {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-nginx-" });
  const port = freePort();
  await makeCertificate(folder);
  const listen = `${ipv6 ? `[::1]:${port} ssl http2; listen ` : ""}127.0.0.1:${port}`;
  const adapted = await adapt(folder, listen, upstreamPort);
  await Deno.writeTextFile(join(folder, "boardcast.conf"), adapted);
  await Deno.writeTextFile(join(folder, "nginx.conf"), frame(folder, connections));
  await run("nginx", ["-t", "-q", "-p", folder, "-c", "nginx.conf", "-e", "stderr"]);
  const child = new Deno.Command("nginx", {
    args: ["-p", folder, "-c", "nginx.conf", "-e", "stderr"],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const certificate = await Deno.readTextFile(join(folder, "boardcast.crt"));
  const caCerts = [certificate];
  const client = Deno.createHttpClient({ caCerts });
  await waitForPort(port);

  return {
    pid: child.pid,
    port,
    certificate,
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

async function adapt(folder: string, listen: string, upstreamPort: number): Promise<string> {
  let text = await Deno.readTextFile(CONFIGURATION);
  const replacements = [
    ["listen 443 ssl", `listen ${listen} ssl`],
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
function frame(folder: string, connections: number): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`);
  return `daemon off; master_process off; pid ${folder}/pid; events { worker_connections ${connections}; }
    http { ${temporary.join(" ")} include ${folder}/boardcast.conf; }\n`;
}

async function makeCertificate(folder: string): Promise<void> {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const notAuthority = ["-addext", "basicConstraints=critical,CA:FALSE"];
  const files = ["-keyout", join(folder, "boardcast.key"), "-out", join(folder, "boardcast.crt")];
  await run("openssl", ["req", "-x509", "-days", "2", ...key, ...name, ...notAuthority, ...files]);
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
