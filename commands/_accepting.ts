import type { Server } from "node:http";
import { connect, type Socket } from "node:net";
import { createOutageWarning, type ListenOptions } from "./_listener.ts";

const LOOK_MS = 1_000;

/**
 * Keeps a server that listens open to new connections, and returns what ends that. When too many
 * files are open, Deno's `node:http` stops taking connections for good, and tells nobody. So once no
 * connections come any more, the server connects to itself, and listens anew if that fails.
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
  let probe: Socket | undefined;
  server.on("connection", () => accepted++);
  // A server that can't listen yet tries again at the next look.
  server.on("error", warnOfOutage);

  function look(): void {
    const isQuiet = accepted === lastSeen;
    lastSeen = accepted;
    const asked = probe;
    asked?.destroy();
    probe = undefined;
    if (!isQuiet) return;
    if (asked === undefined) probe = connect(port, host).on("error", warnOfOutage);
    else {
      warnOfOutage(new Error("the server's own did not come through"));
      server.close().listen(port, host);
    }
  }

  const timer = setInterval(look, lookMs);
  return () => {
    clearInterval(timer);
    probe?.destroy();
  };
}
