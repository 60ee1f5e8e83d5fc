import { readFileSync } from "node:fs";
import process from "node:process";
import { type Address, bracketAddresses, readAddresses } from "./addresses.ts";

/** A connection URL, and what the driver is given beside it. */
export interface ConnectionTarget {
  /** The URL that the driver understands, which names no server. */
  readonly url: string;
  /** The name of the database, decoded; absent where the URL has none. */
  readonly database?: string;
  /** The most connections. */
  readonly size: number;
  /** The servers, of which the driver would take apart IPv6 addresses and lists of folders. */
  readonly addresses: readonly Address[];
  /** Certificates and keys (PEM) that the URL named by file. */
  readonly ssl?: Readonly<Record<string, string>>;
}

/** Variables, by name. */
type Environment = Readonly<Record<string, string | undefined>>;

const TLS_FILES: Readonly<Record<string, string>> = {
  sslrootcert: "ca",
  sslcert: "cert",
  sslkey: "key",
};
const TLS_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
const TARGETS = ["primary", "read-write"];
// The scheme, in any case, and the user, the hosts, and the path, which names the database.
const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^/]*@)?)([^/]*)([^]*)/i;
// The driver ignores PGSSLMODE, and takes the values of the others for something else than in a URL.
const TLS_VARIABLES = ["PGSSLMODE", "PGSSL"];
const TARGET_VARIABLES = ["PGTARGETSESSIONATTRS", "PGTARGET_SESSION_ATTRS"];
const DEFAULT_SIZE = 10;
const DEFAULT_HOST = "localhost";
const DEFAULT_PORT = "5432";

/**
 * Takes out of a connection URL what the driver does not understand, or would send to the
 * server as settings: the hosts and ports, the files `sslrootcert`, `sslcert` and `sslkey`, which are
 * read, and the number of connections, `max`. Puts in the TLS mode and the kind of server that
 * variables ask for. Throws `TypeError` or `RangeError`.
 */
export function readTarget(
  text: string,
  environment: Environment = process.env,
): ConnectionTarget {
  const queryAt = text.indexOf("?");
  const parts = URL_PARTS.exec(queryAt < 0 ? text : text.slice(0, queryAt));
  if (parts === null) throw unreadableUrl();
  const [, start, hosts, rest] = parts;
  // The port of one host is that of the host of a parameter or variable, too, as with libpq.
  const [, names = hosts, port] = /^([^,:]*|\[[^\]]*\]):(\d*)$/.exec(hosts) ?? [];
  const parameters = new URLSearchParams(queryAt < 0 ? "" : text.slice(queryAt));
  const take = (name: string) => {
    const value = parameters.get(name) ?? undefined;
    parameters.delete(name);
    return value;
  };
  const others = take("host") ||
    (names === "" ? readVariable(["PGHOST"], environment) ?? DEFAULT_HOST : undefined);
  const ports = take("port") || port || undefined;
  const addresses = readAddresses(
    others === undefined ? decode(names) : bracketAddresses(others),
    () => ports ?? readVariable(["PGPORT"], environment) ?? DEFAULT_PORT,
  );
  const ssl: Record<string, string> = {};
  for (const [name, member] of Object.entries(TLS_FILES)) {
    const file = parameters.get(name);
    if (file === null || file === "system") continue;
    ssl[member] = readPem(name, file);
    parameters.delete(name);
  }
  const mode = parameters.get("sslmode") ??
    // What the driver itself calls it in a URL is left to the driver.
    (parameters.has("ssl") ? undefined : readVariable(TLS_VARIABLES, environment));
  if (mode !== undefined) {
    requireOneOf("sslmode", mode, TLS_MODES);
    parameters.set("sslmode", mode);
  }
  const max = take("max") ?? `${DEFAULT_SIZE}`;
  if (!/^[1-9]\d{0,3}$/.test(max)) {
    throw new RangeError(`Cannot use a pool of "${max}" connections: give 1 to 9999`);
  }
  const kind = parameters.get("target_session_attrs") ??
    readVariable(TARGET_VARIABLES, environment);
  if (kind !== undefined) {
    requireOneOf("target_session_attrs", kind, TARGETS);
    // For the driver a standby is read-write, as long as transactions are so by default.
    parameters.set("target_session_attrs", "primary");
  }
  const query = parameters.size === 0 ? "" : `?${parameters}`;
  return {
    // For the driver, a # would end the URL.
    url: `${start.replaceAll("#", "%23")}${DEFAULT_HOST}${rest}${query}`,
    size: Number(max),
    addresses,
    ...(rest.length > 1 && { database: decode(rest.slice(1)) }),
    ...(Object.keys(ssl).length === 0 ? {} : { ssl }),
  };
}

/** The error of a URL that can't be read; it quotes nothing of it, since it may hold a password. */
export function unreadableUrl(): TypeError {
  return new TypeError(
    "Cannot parse the connection URL: write postgres://USER:PASSWORD@HOST:PORT/DATABASE",
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unreadableUrl();
  }
}

function requireOneOf(name: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return;
  throw new TypeError(`Cannot use ${name} "${value}": there are ${known.join(", ")}`);
}

/** Returns the value of the first variable that has one. */
function readVariable(names: readonly string[], environment: Environment): string | undefined {
  for (const name of names) {
    try {
      const value = environment[name];
      if (value) return value;
    } catch (cause) {
      // What Deno says of it quotes its value.
      if ((cause as Error).name !== "InvalidData") throw cause;
      throw new TypeError(`${name} is not valid UTF-8`);
    }
  }
}

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new TypeError(`Cannot read the file that ${name} names, "${file}"`, { cause });
  }
}
