import type { Handler } from "../mod.ts";

/** An HTTP server that runs. */
export interface Listener {
  /** The address it really listens on. */
  readonly address: Deno.NetAddr;
  /** Takes no new connection and resolves when the requests under way are answered. */
  shutdown(): Promise<void>;
}

/** Serves a handler on a TCP address; rejects if that can't be had. */
export function listen(
  handler: Handler,
  { host, port }: { readonly host: string; readonly port: number },
): Listener {
  const server = Deno.serve({ hostname: host, port, onListen() {} }, handler);
  return { address: server.addr, shutdown: () => server.shutdown() };
}
