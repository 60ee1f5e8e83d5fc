import type { Handler } from "../mod.ts";

/** An HTTP server that runs. */
export interface Listener {
  /** The address it really listens on. */
  readonly address: Deno.NetAddr;
  /**
   * Resolves when the requests under way are answered. New connections are refused as soon as
   * the requests that were under way at the call are answered.
   */
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
      // Deno 2.9 cuts off the bodies that are still arriving when a server shuts down.
      await Promise.all(underWay);
      await server.shutdown();
    },
  };
}
