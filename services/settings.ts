import type { Storage } from "../adapters/storage.ts";
import { SETTINGS } from "../model/kinds.ts";

/** Returns the value of a setting; the first call creates it, for all processes on the storage. */
export async function getSetting(
  storage: Storage,
  settingId: string,
  create: () => string,
): Promise<string> {
  const known = await storage.get(SETTINGS, settingId);
  if (known !== undefined) return known.value;
  const refs = { setting: { kind: SETTINGS, key: settingId } };
  const created = { settingId, value: create() };
  return await storage.transact(refs, ({ setting }) => ({
    answer: (setting ?? created).value,
    put: { setting: setting ?? created },
  }));
}
