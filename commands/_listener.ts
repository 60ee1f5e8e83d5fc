import type { Handler } from "../mod.ts";

/** An HTTP server that runs. */
export interface Listener {
  /** The address it really listens on. */
  readonly address: Deno.NetAddr;
  /** Takes no new connection and resolves when the requests under way are answered. */
  shutdown(): Promise<void>;
}

const REOPEN_DELAY_MS = 100;

/** Serves a handler on a TCP address; throws if that can't be had. */
export function listen(
  handler: Handler,
  { host, port }: { readonly host: string; readonly port: number },
): Listener {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopping = false;
  let server = serve(port);
  const address = server.addr;

  function serve(port: number): Deno.HttpServer<Deno.NetAddr> {
    const opened = Deno.serve({ hostname: host, port, onListen() {} }, handler);
    opened.finished.catch(reopenLater);
    return opened;
  }

  // `Deno.serve` ends when it can't take a connection, as when too many files are open; the ones
  // that took them all would otherwise have stopped the service for good.
  function reopenLater(): void {
    if (isStopping) return;
    timer = setTimeout(() => {
      try {
        server = serve(address.port);
      } catch {
        reopenLater();
      }
    }, REOPEN_DELAY_MS);
  }

  return {
    address,
    async shutdown() {
      isStopping = true;
      clearTimeout(timer);
      // A server that has ended by itself has nothing left to finish.
      await server.shutdown().catch(() => {});
    },
  };
}
