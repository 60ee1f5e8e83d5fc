import type { Storage } from "../../adapters/storage.ts";
import { generateSecretKey } from "../../model/crypto/cipher.ts";
import { SETTINGS } from "../../model/kinds.ts";
import { LINK_KEY, ROTATED_AT } from "../proof/links.ts";
import { APP_LINK_KEY } from "./app_links.ts";
import { BROWSER_KEY } from "./browser.ts";

/**
 * Replaces the keys behind cookies and links that prove an address, and so ends all of them, at a
 * time (RFC 3339, UTC, milliseconds).
 */
export async function rotatePeopleKeys(storage: Storage, at: string): Promise<void> {
  const values: Record<string, string> = { [ROTATED_AT]: at };
  for (const key of [LINK_KEY, BROWSER_KEY, APP_LINK_KEY]) values[key] = generateSecretKey();
  const refs = Object.fromEntries(
    Object.keys(values).map((key) => [key, { kind: SETTINGS, key }]),
  );
  const put = Object.fromEntries(
    Object.entries(values).map(([settingId, value]) => [settingId, { settingId, value }]),
  );
  await storage.transact(refs, () => ({ answer: undefined, put }));
}
