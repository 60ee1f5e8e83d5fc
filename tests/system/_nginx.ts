import { assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { makeCertificate } from "../_certificate.ts";
import { freePort } from "../_port.ts";
import { run } from "../_process.ts";
import { until } from "../_waiting.ts";

/** An nginx that runs the configuration under packaging/. */
export interface Proxy {
  /** Makes a request over TLS that trusts its certificate. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Opens a TLS connection. */
  connect(alpnProtocols: string[]): Promise<Deno.TlsConn>;
  /** Stops it, removes its files, and returns all that it logged. */
  stop(): Promise<string>;
}

/**
 * Starts nginx with the configuration as it is, but for what a test machine lacks: ports,
 * names, folders, and a certificate that is made here.
 */
export async function startProxy(upstreamPort: number): Promise<Proxy> {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-nginx-" });
  const port = freePort();
  const { ca, cert, key } = await makeCertificate();
  const files = {
    "boardcast.crt": cert,
    "boardcast.key": key,
    "boardcast.conf": await adapt({
      "listen 443 ssl": `listen 127.0.0.1:${port} ssl`,
      "server 127.0.0.1:8000": `server 127.0.0.1:${upstreamPort}`,
      "/etc/nginx/tls/": `${folder}/`,
      "/var/log/nginx/": `${folder}/`,
      "server_name boardcast.example": "server_name localhost",
    }),
    "nginx.conf": frame(folder),
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(folder, name), text);
  }
  const args = ["-p", folder, "-c", "nginx.conf", "-e", "stderr"];
  await run("nginx", ["-t", "-q", ...args]);
  const child = new Deno.Command("nginx", { args, stdout: "null", stderr: "null" }).spawn();
  const client = Deno.createHttpClient({ caCerts: [ca] });
  await until(async () => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
    connection?.close();
    return connection !== undefined;
  });
  return {
    fetch: (path, init) => fetch(`https://localhost:${port}${path}`, { ...init, client }),
    connect: (alpnProtocols) =>
      Deno.connectTls({ hostname: "localhost", port, caCerts: [ca], alpnProtocols }),
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

async function adapt(replacements: Readonly<Record<string, string>>): Promise<string> {
  let text = await Deno.readTextFile(new URL("../../packaging/nginx.conf", import.meta.url));
  for (const [from, to] of Object.entries(replacements)) {
    assertStringIncludes(text, from);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** What a distribution's nginx.conf has around the files in conf.d. */
function frame(folder: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`);
  return `daemon off; master_process off; pid ${folder}/pid; events { worker_connections 512; }
    http { ${temporary.join(" ")} include ${folder}/boardcast.conf; }\n`;
}
