import { optionError } from "../../../model/options.ts";
import type { TokenSource } from "./oauth.ts";

/** A relay with its credentials. */
export interface SmtpRelay {
  /** A host name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** When encryption starts: with the connection, after STARTTLS, or never. */
  readonly tls: "implicit" | "starttls" | "off";
  /** The credentials; absent for no login. */
  readonly login?: { readonly user: string; readonly password: string } | TokenLogin;
}

/** A login with OAuth 2 tokens. */
export interface TokenLogin extends TokenSource {
  readonly user: string;
}

// RFC 8314, section 3.3.
const DEFAULT_PORTS = new Map([["smtp:", 587], ["smtps:", 465]]);
const HOST = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*|\[.*\])$/;

/** Credentials that are not in the URL of a relay. */
export interface SmtpCredentials {
  readonly password?: string | undefined;
  readonly tokens?: TokenSource | undefined;
}

/**
 * Reads the URL of a relay: `smtp://USER:PASSWORD@HOST:PORT?tls=off`, or the same with `smtps`. The
 * password may be given separately, or replaced by tokens. Throws a `TypeError` that quotes no
 * secret.
 */
export function parseSmtpUrl(text: string, credentials: SmtpCredentials = {}): SmtpRelay {
  // The URL parser would drop line breaks and tabs.
  const url = /\s/.test(text) || !URL.canParse(text) ? undefined : new URL(text);
  const defaultPort = DEFAULT_PORTS.get(url?.protocol ?? "");
  if (url === undefined || defaultPort === undefined) throw unreadable();
  const { hostname, port, pathname, search, hash } = url;
  // After an unescaped question mark in a password, the parser takes the rest as a query.
  const isWhole = pathname.length < 2 && hash === "" && !search.includes("@");
  if (!HOST.test(hostname) || !isWhole || port === "0") throw unreadable();
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || defaultPort),
    tls: readTls(url),
    ...readLogin(url, credentials),
  };
}

function readTls({ protocol, searchParams }: URL): SmtpRelay["tls"] {
  for (const name of searchParams.keys()) {
    if (name !== "tls") {
      throw optionError("url", `there is no parameter "${name}", only tls`);
    }
  }
  const values = searchParams.getAll("tls");
  if (values.length === 0) return protocol === "smtps:" ? "implicit" : "starttls";
  if (values.join() !== "off") {
    throw optionError("url", "leave the parameter tls out, or give off");
  }
  if (protocol === "smtps:") throw optionError("url", "write smtp to turn TLS off, not smtps");
  return "off";
}

function readLogin(
  url: URL,
  { password: apart, tokens }: SmtpCredentials,
): Pick<SmtpRelay, "login"> {
  const user = decode(url.username);
  if (tokens !== undefined) {
    if (apart !== undefined || url.password !== "") {
      throw optionError("password", "leave it out where tokens are used");
    }
    if (user === "") throw optionError("url", "tokens need a user, as in smtp://USER@HOST");
    return { login: { user, ...tokens } };
  }
  if (apart !== undefined && url.password !== "") {
    throw optionError("password", "there is another one in the URL");
  }
  const password = apart ?? decode(url.password);
  if (user === "" && password === "") return {};
  if (user === "" || password === "") {
    throw user === ""
      ? optionError("url", "a password needs a user, as in smtp://USER@HOST")
      : optionError("password", "the user in the URL needs one");
  }
  // RFC 4616, section 2.
  if (`${user}${password}`.includes("\0")) {
    throw optionError("url", "there must be no NUL in the user or the password");
  }
  return { login: { user, password } };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unreadable();
  }
}

function unreadable(): Error {
  return optionError(
    "url",
    "write smtp://USER:PASSWORD@HOST:PORT or the same with smtps, and percent-encode what is " +
      "special in the user and password",
  );
}
