const AUTHORITY = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
const UNKNOWN_HOST = "localhost:8000";

/**
 * Returns the URL under which a reader reaches this server: the host that their request names, the
 * scheme that `X-Forwarded-Proto` or the request tells, and the base path.
 *
 * A client may send any of them. The response goes back to that client alone and is not cached; what
 * does not look like a host is not used at all.
 */
export function readBaseUrl(
  request: Pick<Request, "url" | "headers">,
  basePath: string,
): string {
  const [, scheme = "", authority = ""] = /^(https?):\/\/([^/?#]*)/.exec(request.url) ?? [];
  // Some frameworks build the URL from the address that they listen on.
  const named = [request.headers.get("host") ?? "", authority];
  const host = named.find((text) => AUTHORITY.test(text)) ?? UNKNOWN_HOST;
  const forwarded = request.headers.get("x-forwarded-proto")?.split(",", 1)[0].trim().toLowerCase();
  const isHttps = forwarded === "https" || (forwarded !== "http" && scheme === "https");
  return `${isHttps ? "https" : "http"}://${host}${basePath}`;
}
