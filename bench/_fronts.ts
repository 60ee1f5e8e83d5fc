import { startProxy } from "../tests/system/_nginx.ts";
import { boardcast } from "./_contenders.ts";
import { figuresOf } from "./_process.ts";
import type { Target } from "./_wrk.ts";

/** A server as clients meet it. The figures are those of the process that takes connections. */
export interface Front extends Target, AsyncDisposable {
  /** The certificate of a server that speaks TLS, as PEM. */
  readonly certificate?: string;
}

/** A way to serve. */
export interface FrontKind {
  readonly name: string;
  start(): Promise<Front>;
}

const MANY = "16384";

/** The listeners by themselves, and nginx in front, each with few and with many connections. */
export const FRONTS: readonly FrontKind[] = [
  { name: "deno", start: () => open([]) },
  { name: "node, 900", start: () => open(["--listener", "node"]) },
  {
    name: "node, 16,384",
    start: () => open(["--listener", "node", "--max-connections", MANY]),
  },
  { name: "nginx, 768", start: () => behindNginx(768) },
  { name: "nginx, 16,384", start: () => behindNginx(Number(MANY)) },
];

function open(args: readonly string[]): Promise<Front> {
  return boardcast("Boardcast", { args }).start();
}

// Honest clients come from another address than the attack, as nginx counts by address.
async function behindNginx(connections: number): Promise<Front> {
  const server = await boardcast().start();
  const proxy = await startProxy(server.port, { connections, ipv6: true });
  return {
    ...figuresOf(proxy.pid),
    scheme: "https",
    host: "[::1]",
    port: proxy.port,
    certificate: proxy.certificate,
    async [Symbol.asyncDispose]() {
      await proxy.stop();
      await server.stop();
    },
  };
}
