import type { Storage } from "../../adapters/storage.ts";
import { type Logo, parseLogo } from "../../model/brand.ts";
import { decodeBase64 } from "../../model/crypto/encoding.ts";
import { LOGOS, SETTINGS_OF_SITE } from "../../model/kinds.ts";
import { DEFAULT_SETTINGS, SITE_ID, type StoredSettings } from "../../model/settings/settings.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { type SettingsReader, sharedOf } from "../shared.ts";

const FRESH_MS = 1_000;
// Another process may replace a logo between the reads of the settings and of the logo.
const MAX_READS = 3;

export function settingsOf(storage: Storage): SettingsReader {
  return sharedOf(storage).settings ??= createReader(storage);
}

function createReader(
  storage: Storage,
  elapsed: () => number = () => performance.now(),
): SettingsReader {
  let known: StoredSettings | undefined;
  let readMs = -Infinity;
  let changes = 0;
  let reading: Promise<StoredSettings> | undefined;

  async function load(): Promise<StoredSettings> {
    const begunMs = elapsed();
    const before = changes;
    let read = known;
    try {
      read = await readSettings(storage, known);
    } catch (error) {
      if (read === undefined) throw error;
    }
    // A change during the read may be missing in it.
    if (before === changes) [known, readMs] = [read, begunMs];
    return read;
  }

  return {
    async read() {
      if (known !== undefined && elapsed() - readMs < FRESH_MS) return known;
      return await (reading ??= load().finally(() => reading = undefined));
    },
    forget() {
      changes++;
      readMs = -Infinity;
      reading = undefined;
    },
  };
}

/** Reads the settings and their logos; returns `known` if they are the same. */
async function readSettings(
  storage: Storage,
  known: StoredSettings | undefined,
): Promise<StoredSettings> {
  for (let reads = 1;; reads++) {
    const settings = await storage.get(SETTINGS_OF_SITE, SITE_ID) ?? DEFAULT_SETTINGS;
    if (JSON.stringify(settings) === JSON.stringify(known?.settings)) return known!;
    const { logoId, logoDarkId } = settings;
    const [logo, logoDark] = await Promise.all([
      readLogo(storage, logoId),
      readLogo(storage, logoDarkId),
    ]);
    const isWhole = (logo === undefined) === (logoId === null) &&
      (logoDark === undefined) === (logoDarkId === null);
    if (isWhole || reads === MAX_READS) return { settings, logo, logoDark };
  }
}

async function readLogo(storage: Storage, logoId: string | null): Promise<Logo | undefined> {
  const stored = logoId === null ? undefined : await storage.get(LOGOS, logoId);
  const logo = stored && parseLogo(decodeBase64(stored.data));
  return logo instanceof Refusal ? undefined : logo;
}
