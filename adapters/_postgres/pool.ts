import { tooSlow } from "../_shared/deadlines.ts";
import { type Client, type Connect, createClient } from "./client.ts";
import type { Servers } from "./servers.ts";

/** A limited number of connections, which several users share. */
export interface Pool {
  /**
   * Creates a user of the pool. A user holds one connection while any of its operations runs, and
   * sends all its concurrent operations over it. So a user whose statements wait for a lock delays
   * no other.
   */
  createUser(): Pick<Client, "use">;
  close(): Promise<void>;
}

/**
 * Creates a pool of at most `max` connections. It takes the most recently used idle one, so that
 * few stay open under a light load.
 */
export function createPool(connect: Connect, servers: Servers, max: number): Pool {
  const clients: Client[] = [];
  const idle: Client[] = [];
  const waiting: ((client: Client) => void)[] = [];

  function acquire(): Client | Promise<Client> {
    const client = idle.pop();
    if (client !== undefined) return client;
    if (clients.length === max) return new Promise((resolve) => waiting.push(resolve));
    const created = createClient(connect, servers);
    clients.push(created);
    return created;
  }

  function release(client: Client): void {
    const next = waiting.shift();
    if (next === undefined) idle.push(client);
    else next(client);
  }

  function createUser(): Pick<Client, "use"> {
    let held: Client | Promise<Client> | undefined;
    let operations = 0;
    return {
      async use(operation, timeoutMs) {
        operations++;
        held ??= acquire();
        try {
          const client = held instanceof Promise ? await within(held, timeoutMs) : held;
          return await client.use(operation, timeoutMs);
        } finally {
          operations--;
          if (operations === 0) {
            // All operations timed out while waiting: the connection returns to the pool as soon as
            // it comes.
            if (held instanceof Promise) held.then(release);
            else release(held);
            held = undefined;
          }
        }
      },
    };
  }

  return {
    createUser,
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

/** Waits for a connection; rejects with `unavailable` if none is free in time. */
async function within(acquiring: Promise<Client>, timeoutMs: number): Promise<Client> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), timeoutMs);
  });
  try {
    return await Promise.race([acquiring, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
