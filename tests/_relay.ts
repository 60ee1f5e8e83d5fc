/** A relay in front of a PostgreSQL server. */
export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** How many connections have been made to it. */
  readonly connections: number;
  /** Passes nothing on, on any connection, until it speaks again. */
  silence(): void;
  /** Passes on what came meanwhile, and whatever comes. */
  speak(): void;
  /** Closes all connections. */
  cut(): void;
  /** Takes no more connections. */
  refuse(): void;
}

/** Starts a relay to the server at an address like `127.0.0.1:5432/postgres`; the port may be missing. */
export function startRelay(address: string): Relay {
  const { hostname, port } = new URL(`postgres://${address}`);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const passing: Promise<unknown>[] = [];
  let connections = 0;
  let isListening = true;
  let gate = Promise.resolve();
  let openGate = () => {};

  async function pass(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(65_536);
    // A connection that is closed while it is read ends with an error.
    for (let count; (count = await from.read(buffer).catch(() => null)) !== null;) {
      const bytes = buffer.slice(0, count);
      await gate;
      await to.write(bytes).catch(() => {});
    }
    for (const connection of [from, to]) close(connection);
  }

  function close(connection: Deno.Conn): void {
    if (open.delete(connection)) connection.close();
  }

  const accepting = (async () => {
    for await (const client of listener) {
      connections++;
      const server = await Deno.connect({ hostname, port: Number(port || 5432) });
      open.add(client).add(server);
      passing.push(pass(client, server), pass(server, client));
    }
  })();

  const relay = {
    port: listener.addr.port,
    get connections() {
      return connections;
    },
    silence(): void {
      gate = new Promise((resolve) => openGate = resolve);
    },
    speak: () => openGate(),
    cut(): void {
      for (const connection of open) close(connection);
    },
    refuse(): void {
      if (isListening) listener.close();
      isListening = false;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      relay.refuse();
      relay.speak();
      await accepting;
      relay.cut();
      await Promise.all(passing);
    },
  };
  return relay;
}
