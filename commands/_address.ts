/** Returns where this machine reaches a server: one on every address at the loopback one. */
export function reachableOrigin(host: string, port: number): string {
  return `http://${formatAuthority(/^(?:0\.0\.0\.0|::)$/.test(host) ? "127.0.0.1" : host, port)}`;
}

/** Writes host and port as a URL has them: an IPv6 address in brackets. */
export function formatAuthority(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
