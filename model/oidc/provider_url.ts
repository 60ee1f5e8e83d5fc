import { isLoopback, parseHttpUrl } from "../values/http_url.ts";
import { Refusal } from "../values/refusal.ts";

/**
 * Accepts the URL of an issuer or of one of its endpoints: https, or http on a loopback address,
 * without a user and a fragment.
 */
export function parseProviderUrl(text: string): string | Refusal {
  const parsed = parseHttpUrl(text);
  if (parsed instanceof Refusal) return parsed;
  const { protocol, hostname, username, password } = new URL(text);
  if (protocol !== "https:" && !isLoopback(hostname)) {
    return refuse("must start with https://; http is for loopback addresses only");
  }
  return username + password === "" && !text.includes("#")
    ? text
    : refuse("must not have a user or a fragment");
}

function refuse(detail: string): Refusal {
  return new Refusal("invalid_value", detail);
}
