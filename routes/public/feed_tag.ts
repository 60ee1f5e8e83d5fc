import { getSetting } from "../../services/records.ts";
import type { Context } from "../_http/operation.ts";
import type { PublicSite } from "./pages/site.ts";

/**
 * Returns the start of identifiers in feeds: a `tag:` URI (RFC 4151) with the host and the day of
 * the first request. Storage keeps it, so that it survives a change of the host.
 */
export function feedTagOf(
  { publicUrl }: PublicSite,
  { storage, now }: Pick<Context, "storage" | "now">,
): Promise<string> {
  const { hostname } = new URL(publicUrl);
  const authority = /^[a-z0-9.-]+$/.test(hostname) ? hostname : "localhost";
  return getSetting(storage, "feedTag", () => `tag:${authority},${now.text.slice(0, 10)}:`);
}
