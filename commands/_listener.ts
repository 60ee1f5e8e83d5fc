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
  const server = Deno.serve({ hostname: host, port, onListen() {} }, async (request) => {
    const response = await handler(request);
    // Only a request that timed out leaves a connection that can't be used again.
    return response.status === 408 ? await closing(response) : response;
  });
  return { address: server.addr, shutdown: () => server.shutdown() };
}

/**
 * Makes the server close the connection after a response. `Deno.serve` keeps it open whatever
 * the `Connection` header says, unless a response ends before the length that it announced:
 * so a line break is announced after the content, and never sent.
 */
async function closing(response: Response): Promise<Response> {
  const content = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  headers.set("Content-Length", `${content.length + 1}`);
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(content);
    },
    pull(controller) {
      controller.close();
    },
  });
  return new Response(body, { status: response.status, headers });
}
