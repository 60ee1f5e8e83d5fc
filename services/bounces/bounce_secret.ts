import type { Storage } from "../../adapters/storage.ts";
import { SETTINGS } from "../../model/kinds.ts";
import { equalSecrets } from "../../model/crypto/key_secret.ts";
import { randomText } from "../../model/crypto/random.ts";
import { getSetting } from "../settings.ts";

const SECRET = { kind: SETTINGS, key: "bounceSecret" } as const;
const SECRET_LENGTH = 32;

/** Returns the secret in the path to which reports are posted; the first that asks creates it. */
export function getBounceSecret(storage: Storage): Promise<string> {
  return getSetting(storage, SECRET.key, createSecret);
}

/** Replaces the secret, which is refused from then on; returns the new one. */
export async function rotateBounceSecret(storage: Storage): Promise<string> {
  const value = createSecret();
  return await storage.transact({ secret: SECRET }, () => ({
    answer: value,
    put: { secret: { settingId: SECRET.key, value } },
  }));
}

/**
 * Tells whether a text is the secret, in a time that does not depend on how much of it is right.
 */
export async function isBounceSecret(storage: Storage, text: string): Promise<boolean> {
  const { value = "" } = await storage.get(SECRET.kind, SECRET.key) ?? {};
  return value !== "" && equalSecrets(text, value);
}

function createSecret(): string {
  return randomText(SECRET_LENGTH);
}
