/** A port that nothing listens on: tcpmux (RFC 1078) is on no machine of today. */
export const CLOSED_PORT = 1;

// These ports are below the range from which the system takes the ports of connections (32768 on
// Linux).
const [LOWEST_PORT, HIGHEST_PORT] = [20_000, 32_000];

/**
 * Returns a free port for a program that has to be told its port. No connection takes it before the
 * program listens, because the system does not choose ports of this range itself.
 */
export function freePort(): number {
  for (;;) {
    const port = LOWEST_PORT + Math.floor(Math.random() * (HIGHEST_PORT - LOWEST_PORT));
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
