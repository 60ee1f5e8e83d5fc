const AUTHORITY = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
const UNKNOWN_HOST = "localhost:8000";

/**
 * Returns the URL under which a reader reaches this server, for them to paste: the host that
 * their request names, the scheme from `X-Forwarded-Proto` where a proxy says that it took the
 * request over TLS, and the base path.
 *
 * Both are whatever the client sent. That is sound for text that goes back to that client alone,
 * in a response that nobody keeps; what does not look like a host is not used at all.
 */
export function readBaseUrl(
  request: Pick<Request, "url" | "headers">,
  basePath: string,
): string {
  const [, scheme = "", authority = ""] = /^(https?):\/\/([^/?#]*)/.exec(request.url) ?? [];
  // Some frameworks make the URL of what they listen on.
  const named = [request.headers.get("host") ?? "", authority];
  const host = named.find((text) => AUTHORITY.test(text)) ?? UNKNOWN_HOST;
  const forwarded = request.headers.get("x-forwarded-proto")?.split(",", 1)[0].trim().toLowerCase();
  const isHttps = forwarded === "https" || (forwarded !== "http" && scheme === "https");
  return `${isHttps ? "https" : "http"}://${host}${basePath}`;
}
