import { AUTHORIZATION } from "./_contenders.ts";
import type { ServerProcess } from "./_process.ts";

/** A receiver of messages to a webhook, which answers each at once. */
export interface Receiver extends AsyncDisposable {
  /** The host and port, as `--webhook-allow` takes them. */
  readonly address: string;
}

/** Starts a receiver, and stops it at the end of the scope. */
export function startReceiver(): Receiver {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(null, { status: 204 }),
  );
  return {
    address: `127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Creates a webhook that sends all events to a receiver. */
export async function createWebhook(
  { port }: ServerProcess,
  { address }: Receiver,
): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/webhooks`, {
    method: "POST",
    headers: AUTHORIZATION,
    body: new URLSearchParams({ url: `http://${address}/` }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`Cannot create the webhook: ${text}`);
}
