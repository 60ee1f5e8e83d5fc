// Blocks that the IANA special-purpose address registries (RFC 6890) call not globally reachable,
// and multicast. Exceptions within a block are ignored, because nobody serves webhooks there.
const NOT_PUBLIC_IPV4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // shared by a carrier's customers
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, and the metadata of clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
].map(toPrefix);
// Other IPv6 addresses are not on the Internet: loopback, IPv4-mapped, unique local, link-local …
const GLOBAL_UNICAST = toPrefix("2000::/3");
const NOT_PUBLIC_IPV6 = [
  "2001::/23", // protocol assignments: Teredo, benchmarks, ORCHID …
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "3fff::/20", // documentation
].map(toPrefix);
// In a network with NAT64 instead of IPv4, a resolver returns these for IPv4-only hosts (RFC 6052).
const NAT64 = toPrefix("64:ff9b::/96");

/**
 * Tells whether an IP address belongs to the public Internet. Returns `false` for any text but an
 * IPv4 address in dotted decimal, or an IPv6 address without a zone (RFC 4291).
 */
export function isPublicAddress(ip: string): boolean {
  const bits = toBits(ip);
  if (bits === undefined) return false;
  if (bits.length === 32) return isPublicIpv4(bits);
  if (bits.startsWith(NAT64)) return isPublicIpv4(bits.slice(NAT64.length));
  return bits.startsWith(GLOBAL_UNICAST) &&
    !NOT_PUBLIC_IPV6.some((prefix) => bits.startsWith(prefix));
}

function isPublicIpv4(bits: string): boolean {
  return !NOT_PUBLIC_IPV4.some((prefix) => bits.startsWith(prefix));
}

function toPrefix(block: string): string {
  const [ip, length] = block.split("/");
  return toBits(ip)!.slice(0, Number(length));
}

/** Returns an address as 32 or 128 binary digits. */
function toBits(ip: string): string | undefined {
  if (/^[\d.]+$/.test(ip)) {
    // The URL parser also accepts octal and short spellings, and changes them.
    if (normalize(ip) !== ip) return undefined;
    return ip.split(".").map((byte) => Number(byte).toString(2).padStart(8, "0")).join("");
  }
  const text = /^[\da-f:.]+$/i.test(ip) ? normalize(`[${ip}]`)?.slice(1, -1) : undefined;
  if (text === undefined) return undefined;
  const [head, tail] = text.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array<string>(zeros).fill("0"), ...tail ?? []]
    .map((group) => parseInt(group, 16).toString(2).padStart(16, "0")).join("");
}

function normalize(host: string): string | undefined {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;
}
