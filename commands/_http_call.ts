import type { Environment } from "./_options.ts";

/** A call of the HTTP API. */
export interface HttpCall {
  /** The method. */
  readonly method: string;
  /** The path under `/api/v1`, percent-encoded. */
  readonly path: string;
  /** The fields of the form; those that are `undefined` are left out. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
  /** What the call does differently. */
  readonly note?: string;
}

// What a server takes at most (docs/http-api.md).
const MAX_BODY_BYTES = 16 * 1024;

/** Writes a call as a `curl` command, for the server that the environment describes. */
export function formatCurl(call: HttpCall, environment: Environment): string {
  const words = ["curl", "-X", call.method];
  words.push(quote(baseUrl(environment) + call.path), "-H", '"Authorization: Bearer $KEY"');
  const fields = Object.entries(call.fields ?? {})
    .flatMap(([name, value]) => value === undefined ? [] : [[name, value]]);
  if (`${new URLSearchParams(fields)}`.length <= MAX_BODY_BYTES) {
    for (const [name, value] of fields) words.push("--data-urlencode", quote(`${name}=${value}`));
  } else {
    // A form makes three characters of each byte that is not ASCII. In JSON, null clears.
    const values = fields.map(([name, value]) => [name, value || null]);
    words.push("-H", quote("Content-Type: application/json"));
    words.push("--data", quote(JSON.stringify(Object.fromEntries(values))));
  }
  return words.join(" ");
}

function baseUrl(environment: Environment): string {
  const host = environment("BOARDCAST_HOST") || "127.0.0.1";
  const port = environment("BOARDCAST_PORT") || "8000";
  const basePath = (environment("BOARDCAST_BASE_PATH") ?? "").replace(/\/$/, "");
  // Of a server on any free port, the operator knows it from its log.
  return `${reachableOrigin(host, /^[1-9]\d*$/.test(port) ? port : "PORT")}${basePath}/api/v1`;
}

/** Returns where this machine reaches a server: one on every address at the loopback one. */
export function reachableOrigin(host: string, port: string): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${formatAuthority(name, port)}`;
}

/** Writes host and port as a URL has them: an IPv6 address in brackets. */
export function formatAuthority(host: string, port: string): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Quotes a word for a POSIX shell, where that is needed. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
