/**
 * Tells whether a page of this service sent a request. Browsers tell the sender in headers that
 * pages can't set (W3C Fetch Metadata; RFC 6454, section 7).
 */
export function isOwnOrigin({ url, headers }: Request, publicUrl: string | undefined): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  if (publicUrl !== undefined && new URL(publicUrl).origin === origin) return true;
  const host = headers.get("host") ?? (URL.canParse(url) ? new URL(url).host : "");
  return new URL(origin).host === host;
}
