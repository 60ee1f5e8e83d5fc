import { readFileSync } from "node:fs";

/** A connection URL whose parameters the driver and the server understand. */
export interface ReadUrl {
  readonly url: string;
  /** Options of the driver that stand for the other parameters. */
  readonly options: {
    readonly host?: string;
    readonly port?: number;
    readonly user?: string;
    readonly password?: string;
    readonly database?: string;
    readonly ssl?: "require" | "verify-full" | TlsOptions;
  };
  /** Settings of the session that stand for the other parameters. */
  readonly connection: Readonly<Record<string, string>>;
  /** The names of the parameters that are left in `url`. */
  readonly names: readonly string[];
}

/** Options of `tls.connect`. */
interface TlsOptions {
  ca?: string;
  cert?: string;
  key?: string;
  checkServerIdentity?: () => undefined;
  rejectUnauthorized?: boolean;
}

/** Parameters of libpq that the driver takes as options. */
const OPTIONS: Readonly<Record<string, string>> = {
  host: "host",
  hostaddr: "host",
  port: "port",
  user: "user",
  password: "password",
  dbname: "database",
};
/** Files of libpq that `tls.connect` takes as texts. */
const FILES = { sslrootcert: "ca", sslcert: "cert", sslkey: "key" } as const;
const TLS_MODES = ["require", "verify-ca", "verify-full"];
/** Parameters of libpq, Prisma and hosts of PostgreSQL that change nothing here. */
const PASSED_OVER = new Set(
  [
    "channel_binding client_encoding connect_timeout fallback_application_name gssdelegation",
    "gssencmode gsslib keepalives keepalives_count keepalives_idle keepalives_interval krbsrvname",
    "load_balance_hosts max_protocol_version min_protocol_version passfile replication require_auth",
    "requirepeer requiressl service servicefile sslcertmode sslcompression sslcrl sslcrldir",
    "sslkeylogfile sslpassword sslsni ssl_max_protocol_version ssl_min_protocol_version",
    "tcp_user_timeout connection_limit pgbouncer pool_timeout single_use_connections socket_timeout",
    "sslidentity statement_cache_size supa workaround",
  ].flatMap((names) => names.split(" ")),
);

/**
 * Reads the parameters of a connection URL as libpq, Prisma and hosts of PostgreSQL write them.
 * Those that it does not know stay in the URL, and become settings of the session. Throws a
 * `TypeError` for a file that can't be read.
 */
export function readUrl(text: string): ReadUrl {
  const at = text.indexOf("?");
  if (at < 0) return { url: text, options: {}, connection: {}, names: [] };
  const given = new URLSearchParams(text.slice(at + 1));
  const options: Record<string, string | number | TlsOptions> = {};
  const connection: Record<string, string> = {};
  const kept = new URLSearchParams();
  const tls: TlsOptions = {};
  const mode = given.get("sslmode") ?? "";
  for (const [name, value] of given) {
    if (Object.hasOwn(OPTIONS, name)) options[OPTIONS[name]] = name === "port" ? +value : value;
    else if (name === "schema") connection.search_path = value;
    else if (name === "sslaccept" || (name === "sslrootcert" && value === "system")) {
      if (value !== "accept_invalid_certs") options.ssl = "verify-full";
    } else if (Object.hasOwn(FILES, name)) {
      tls[FILES[name as keyof typeof FILES]] = readFile(name, value);
    } else if (!PASSED_OVER.has(name)) kept.append(name, value);
  }
  if (Object.keys(tls).length > 0 && TLS_MODES.includes(mode)) {
    // As in libpq, a known authority is checked in each of these modes, its host in one of them.
    if (tls.ca !== undefined && mode !== "verify-full") tls.checkServerIdentity = () => undefined;
    if (tls.ca === undefined && mode === "require") tls.rejectUnauthorized = false;
    options.ssl = tls;
  }
  const query = kept.size > 0 ? `?${kept}` : "";
  return { url: text.slice(0, at) + query, options, connection, names: [...kept.keys()] };
}

/**
 * Returns the parameter of the URL that the server does not know, given its error; `undefined` for
 * another error. PgBouncer words it in its own way.
 */
export function unknownParameter(error: unknown, names: readonly string[]): string | undefined {
  const pattern =
    /(?:unrecognized configuration parameter|unsupported startup parameter:?) "?([\w.]+)/;
  const [, name] = pattern.exec(error instanceof Error ? error.message : "") ?? [];
  return name !== undefined && names.includes(name) ? name : undefined;
}

function readFile(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new TypeError(
      `Cannot read the file of the parameter ${name}: ${(error as NodeJS.ErrnoException).code}`,
    );
  }
}
