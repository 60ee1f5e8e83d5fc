import type { Handler } from "../mod.ts";
import { within } from "./_deadline.ts";

const BODY_GRACE_MS = 1_000;

/** An HTTP server that runs. */
export interface Listener {
  /** The address it really listens on. */
  readonly address: Deno.NetAddr;
  /** Takes no new connection, and resolves when the requests under way are answered. */
  shutdown(): Promise<void>;
}

/** Serves a handler on a TCP address; rejects if that can't be had. */
export function listen(
  handler: Handler,
  { host, port }: { readonly host: string; readonly port: number },
): Listener {
  const underWay = new Set<Promise<Response>>();
  const server = Deno.serve({ hostname: host, port, onListen() {} }, (request) => {
    const response = handler(request);
    underWay.add(response);
    response.then(() => underWay.delete(response));
    return response;
  });
  return {
    address: server.addr,
    async shutdown() {
      // Deno 2.9 cuts off the bodies that are still arriving when a server shuts down. Honest
      // ones need no longer than this, and until then new connections are still taken.
      await within(BODY_GRACE_MS, Promise.all(underWay));
      await server.shutdown();
    },
  };
}
