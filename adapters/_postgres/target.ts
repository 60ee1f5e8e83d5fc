import { readFileSync } from "node:fs";
import process from "node:process";

/** A connection URL, and what the driver is given beside it. */
export interface ConnectionTarget {
  /** The URL that the driver understands. */
  readonly url: string;
  /** The most connections. */
  readonly size: number;
  /** The address of an IPv6 host, which the driver would take apart at its colons. */
  readonly host?: string;
  /** Its port. */
  readonly port?: number;
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
const IPV6_HOST = /^[^:]+:\/\/(?:[^@/]*@)?\[([0-9A-Fa-f:.]+)\](?::(\d{1,5}))?(?:\/|$)/;
// The driver ignores PGSSLMODE, and takes the values of the others for something else than in a URL.
const TLS_VARIABLES = ["PGSSLMODE", "PGSSL"];
const TARGET_VARIABLES = ["PGTARGETSESSIONATTRS", "PGTARGET_SESSION_ATTRS"];
const DEFAULT_SIZE = 10;

/**
 * Takes out of a connection URL what the driver does not understand, or would send to the
 * server as settings: the files `sslrootcert`, `sslcert` and `sslkey`, which are read, the
 * number of connections, `max`, and an IPv6 host. Puts in the TLS mode and the kind of server that
 * variables ask for.
 */
export function readTarget(
  text: string,
  environment: Environment = process.env,
): ConnectionTarget {
  const queryAt = text.indexOf("?");
  const address = queryAt < 0 ? text : text.slice(0, queryAt);
  const parameters = new URLSearchParams(queryAt < 0 ? "" : text.slice(queryAt));
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
    if (!TLS_MODES.includes(mode)) {
      throw new TypeError(`Cannot use sslmode "${mode}": there are ${TLS_MODES.join(", ")}`);
    }
    parameters.set("sslmode", mode);
  }
  const max = parameters.get("max") ?? `${DEFAULT_SIZE}`;
  if (!/^[1-9]\d{0,3}$/.test(max)) {
    throw new RangeError(`Cannot use a pool of "${max}" connections: give 1 to 9999`);
  }
  parameters.delete("max");
  const kind = parameters.get("target_session_attrs") ??
    readVariable(TARGET_VARIABLES, environment);
  if (kind !== undefined) {
    // For the driver a standby is read-write, as long as transactions are so by default.
    parameters.set("target_session_attrs", kind === "read-write" ? "primary" : kind);
  }
  const url = parameters.size === 0 ? address : `${address}?${parameters}`;
  const [, host, port = "5432"] = IPV6_HOST.exec(address) ?? [];
  return {
    url,
    size: Number(max),
    ...(host === undefined ? {} : { host, port: Number(port) }),
    ...(Object.keys(ssl).length === 0 ? {} : { ssl }),
  };
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
