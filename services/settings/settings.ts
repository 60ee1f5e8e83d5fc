import type { Storage } from "../../adapters/storage.ts";
import type { Logo } from "../../model/brand.ts";
import { encodeBase64 } from "../../model/crypto/encoding.ts";
import { LOGOS, SETTINGS_OF_SITE } from "../../model/kinds.ts";
import { applyChange } from "../../model/resource.ts";
import {
  DEFAULT_SETTINGS,
  type LogoField,
  SITE_ID,
  type SiteSettings,
} from "../../model/settings/settings.ts";
import { change, type ChangeTools, type Reading } from "../change.ts";
import type { IsExpected } from "../conditional.ts";
import { settingsOf } from "./reader.ts";

/** A change of the settings. */
export interface SettingsUpdate {
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  readonly isExpected: IsExpected<SiteSettings>;
}

export async function getSettings(storage: Storage): Promise<SiteSettings> {
  return await storage.get(SETTINGS_OF_SITE, SITE_ID) ?? DEFAULT_SETTINGS;
}

/** Changes fields of the settings if they are as expected; returns the changed settings. */
export function updateSettings(
  storage: Storage,
  fields: Partial<SiteSettings>,
  update: SettingsUpdate,
): Promise<SiteSettings | "precondition_failed"> {
  // deno-lint-ignore require-yield
  return changeSettings(storage, update, function* () {
    return fields;
  });
}

/** Stores a logo in place of the former one, or removes that. */
export function updateLogo(
  storage: Storage,
  { field, logo }: { readonly field: LogoField; readonly logo: Logo | undefined },
  update: SettingsUpdate,
): Promise<SiteSettings | "precondition_failed"> {
  const idField = `${field}Id` as const;
  const logoId = logo === undefined ? null : `${field}-${logo.name}`;
  return changeSettings(storage, update, function* ({ read, put, remove }, current) {
    const former = current[idField];
    yield* read(LOGOS, former);
    if (former !== null) remove(LOGOS, former);
    yield* read(LOGOS, logoId);
    if (logo !== undefined && logoId !== null) {
      put(LOGOS, { logoId, data: encodeBase64(logo.bytes) });
    }
    return { [idField]: logoId };
  });
}

async function changeSettings(
  storage: Storage,
  { at, isExpected }: SettingsUpdate,
  choose: (tools: ChangeTools, current: SiteSettings) => Reading<Partial<SiteSettings>>,
): Promise<SiteSettings | "precondition_failed"> {
  const changed = await change<SiteSettings | "precondition_failed">(storage, function* (tools) {
    const current = (yield* tools.read(SETTINGS_OF_SITE, SITE_ID)) ?? DEFAULT_SETTINGS;
    if (!isExpected(current)) return "precondition_failed";
    const next = applyChange(current, yield* choose(tools, current), at);
    if (next !== current) tools.put(SETTINGS_OF_SITE, next);
    return next;
  });
  settingsOf(storage).forget();
  return changed;
}
