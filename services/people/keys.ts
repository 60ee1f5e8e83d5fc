import type { Storage } from "../../adapters/storage.ts";
import { generateSecretKey } from "../../model/crypto/cipher.ts";
import { SETTINGS } from "../../model/kinds.ts";
import { LINK_KEY } from "../proof/links.ts";
import { APP_LINK_KEY } from "./app_links.ts";
import { BROWSER_KEY } from "./browser.ts";

/** Replaces the keys behind cookies and links that prove an address, and so ends all of them. */
export async function rotatePeopleKeys(storage: Storage): Promise<void> {
  const refs = Object.fromEntries(
    [LINK_KEY, BROWSER_KEY, APP_LINK_KEY].map((key) => [key, { kind: SETTINGS, key }]),
  );
  const put = Object.fromEntries(
    Object.keys(refs).map((settingId) => [settingId, { settingId, value: generateSecretKey() }]),
  );
  await storage.transact(refs, () => ({ answer: undefined, put }));
}
