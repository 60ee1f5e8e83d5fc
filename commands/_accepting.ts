import type { Server } from "node:http";
import { connect, Server as NetServer, type Socket } from "node:net";
import { createOutageWarning, type ListenOptions } from "./_listener.ts";

const LOOK_MS = 1_000;
const PATIENCE_LOOKS = 3;
// With so many requests between two looks, some seconds may pass until a connection is taken.
const BUSY_REQUESTS = 1_000;
const BUSY_PATIENCE_LOOKS = 30;

/**
 * Keeps a server that listens open to new connections, and returns what ends that. When too many
 * files are open, Deno's `node:http` stops taking connections for good, and tells nobody. So once no
 * connections come any more, the server connects to itself, and listens anew if that fails. Connections
 * that it has taken stay.
 */
export function keepAccepting(
  server: Server,
  options: ListenOptions,
  lookMs = LOOK_MS,
): () => void {
  const { host, port } = options;
  const warnOfOutage = createOutageWarning(options);
  let accepted = 0;
  let lastSeen = 0;
  let requests = 0;
  let probe: Socket | undefined;
  let waited = 0;
  server.on("connection", () => accepted++);
  server.on("request", () => requests++);
  // A server that can't listen yet tries again at the next look.
  server.on("error", warnOfOutage);

  function endProbe(): void {
    probe?.destroy();
    probe = undefined;
    waited = 0;
  }

  function look(): void {
    const isQuiet = accepted === lastSeen;
    lastSeen = accepted;
    const patience = requests < BUSY_REQUESTS ? PATIENCE_LOOKS : BUSY_PATIENCE_LOOKS;
    requests = 0;
    if (!isQuiet) return endProbe();
    if (probe === undefined) {
      probe = connect(port, host).on("error", warnOfOutage);
      return;
    }
    if (!probe.destroyed && ++waited < patience) return;
    endProbe();
    warnOfOutage(new Error("the server's own did not come through"));
    // That of node:http would close connections between two requests as well.
    NetServer.prototype.close.call(server);
    server.listen(port, host);
  }

  const timer = setInterval(look, lookMs);
  return () => {
    clearInterval(timer);
    endProbe();
  };
}
