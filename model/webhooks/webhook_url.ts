import { parseHttpUrl } from "../values/http_url.ts";
import { isPublicAddress } from "./public_address.ts";
import { type FlaggedOption, optionError } from "../options.ts";
import { Refusal } from "../values/refusal.ts";
import { quote } from "../values/text.ts";

const PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };
const AUTHORITY = /^https?:\/\/([^/?#]*)/i;

/**
 * Accepts the URL of a webhook: https, up to 2,000 characters of RFC 3986, no user and no
 * fragment, and a public IP address or a domain name as its host; whoever connects has to check
 * what the name resolves to. Any host is accepted, and http too, if `allow` contains its host and
 * port (as {@linkcode parseWebhookAllow} returns them). Refuses with `too_long` or `invalid_value`.
 */
export function parseWebhookUrl(text: string, allow: readonly string[]): string | Refusal {
  const refusal = parseHttpUrl(text);
  if (refusal instanceof Refusal) return refusal;
  const url = new URL(text);
  const [, authority] = AUTHORITY.exec(text)!;
  if (authority.includes("@")) return refuse("must not contain a user name or a password");
  if (text.includes("#")) return refuse("must not contain a fragment");
  if (url.port === "0") return refuse("must not have the port 0");
  if (isAllowed(url, allow)) return text;
  if (url.protocol !== "https:") return refuse("must start with https://");
  if (!isPublicHost(authority.replace(/:\d*$/, ""))) {
    return refuse("must have a host that is public: a domain name, or a public IP address");
  }
  return text;
}

/** Tells whether `allow` contains the host and port of a URL. */
export function isAllowed({ hostname, port, protocol }: URL, allow: readonly string[]): boolean {
  return allow.includes(`${hostname}:${port || PORTS[protocol]}`);
}

/**
 * Accepts a host and port that webhooks may use although they are not public, such as
 * `localhost:9000`.
 */
export function parseWebhookAllow(text: string): string | Refusal {
  const [, host, port] = /^([\w.-]+|\[[\da-f:.]+\]):(\d+)$/i.exec(text) ?? [];
  const url = `http://${host}:${port}/`;
  return Number(port) > 0 && URL.canParse(url)
    ? `${new URL(url).hostname}:${Number(port)}`
    : refuse("is not HOST:PORT, like localhost:9000");
}

/** The declaration of the option `webhookAllow`. */
export const WEBHOOK_ALLOW_OPTION: FlaggedOption<readonly string[]> = {
  flag: "webhook-allow HOST:PORT",
  schema: {
    description: "A host and port that webhooks may use, by http too, though it is not public; " +
      "repeat it for more (in the variable, separate them with commas).",
    type: "array",
  },
  check: (hosts) => readWebhookAllow(hosts as readonly string[]),
};

/**
 * Returns the hosts and ports of the option `webhookAllow`, as {@linkcode parseWebhookAllow} does.
 * Throws a `TypeError` if the option is not a list of them.
 */
export function readWebhookAllow(texts: readonly string[] = []): readonly string[] {
  if (!Array.isArray(texts)) throw optionError("webhookAllow", "give an array of texts");
  return texts.map((text) => {
    const allowed = parseWebhookAllow(`${text}`);
    if (!(allowed instanceof Refusal)) return allowed;
    throw optionError("webhookAllow", `${quote(`${text}`)} ${allowed.detail}`);
  });
}

/**
 * Tells whether a host is public. A host that the URL parser rewrites is not: `127.1` and
 * `0x7f.0.0.1` are disguised addresses.
 */
function isPublicHost(host: string): boolean {
  if (host.startsWith("[")) return isPublicAddress(host.slice(1, -1));
  const { hostname } = new URL(`https://${host}`);
  if (hostname !== host.toLowerCase()) return false;
  // A host whose last label is a number is an address.
  return /\.\d+$/.test(hostname)
    ? isPublicAddress(hostname)
    : /^(?:[^.]+\.)+(?!localhost$)[^.]+$/.test(hostname);
}

function refuse(detail: string): Refusal {
  return new Refusal("invalid_value", detail);
}
