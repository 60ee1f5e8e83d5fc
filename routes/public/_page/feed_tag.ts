import type { Storage } from "../../../adapters/storage.ts";
import { getSetting } from "../../../services/records.ts";
import type { PublicSite } from "./site.ts";

/**
 * Returns the start of identifiers in feeds: a `tag:` URI (RFC 4151) with the host and the day of
 * the first request. Storage keeps it, so that it survives a change of the host.
 */
export function feedTagOf(
  { publicUrl }: Pick<PublicSite, "publicUrl">,
  { storage, now }: { readonly storage: Storage; readonly now: string },
): Promise<string> {
  const { hostname } = new URL(publicUrl);
  const authority = /^[a-z0-9.-]+$/.test(hostname) ? hostname : "localhost";
  return getSetting(storage, "feedTag", () => `tag:${authority},${now.slice(0, 10)}:`);
}
