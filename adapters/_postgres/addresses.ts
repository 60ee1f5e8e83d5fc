import { isIPv6 } from "node:net";

/** Where a server listens. */
export interface Address {
  /** A name, an IP address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  /** The path of the Unix socket. */
  readonly path?: string;
}

// An IPv6 address stands in brackets, since a port may follow it.
const HOST = /^(?:\[([^[\]]+)\]|(\/[^:]+|[^\s/:[\]]+))(?::(\d*))?$/;

/**
 * Reads hosts that are separated by commas, with or without ports, as libpq does (PostgreSQL,
 * section 34.1.1.3). Ports that they lack come from a list that has one for all, or one for each.
 * Throws `TypeError`.
 */
export function readAddresses(hosts: string, defaultPorts: () => string): readonly Address[] {
  const names = hosts.split(",");
  return names.map((name, index) => {
    const [, address, other, port] = HOST.exec(name) ?? [];
    const host = address ?? other;
    if (host === undefined || (address !== undefined && !isIPv6(address))) {
      throw new TypeError(
        "Cannot parse the hosts to connect to: write HOST:PORT,HOST:PORT, and IPv6 addresses in " +
          "brackets",
      );
    }
    const number = readPort(port || pick(defaultPorts(), index, names.length));
    if (!host.startsWith("/")) return { host, port: number };
    return { host, port: number, path: `${host}/.s.PGSQL.${number}` };
  });
}

/** Puts IPv6 addresses into brackets, which hosts that stand outside of a URL may lack. */
export function bracketAddresses(hosts: string): string {
  return hosts.split(",").map((name) => isIPv6(name) ? `[${name}]` : name).join(",");
}

function pick(list: string, index: number, count: number): string {
  const items = list.split(",");
  if (items.length === 1) return list;
  if (items.length === count) return items[index];
  throw new TypeError(`Cannot use ${items.length} ports for ${count} hosts: give one, or as many`);
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new TypeError(
    "Cannot connect to a port, of the URL or PGPORT, that is not a whole number from 1 to 65535",
  );
}
