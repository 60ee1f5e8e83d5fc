import type { Storage } from "../adapters/storage.ts";
import { type Brand, type BrandOptions, readBrand } from "../model/brand.ts";
import { lazy, remember } from "../model/lazy.ts";
import type { PublicSite } from "../model/public_site.ts";
import { effectiveOptions, type StoredSettings } from "../model/settings/settings.ts";
import { settingsOf } from "../services/settings/reader.ts";
import type { Operation } from "./_http/operation.ts";
import type { RouteModule } from "./_http/router.ts";
import type { HandlerOptions } from "./options.ts";

/** The options of a handler besides its storage. */
export type ModuleOptions = Omit<HandlerOptions, "storage">;

/** Describes a module whose operations show the brand, and are made again when that changes. */
export type Branded = Showing<Brand>;
/** Describes a module whose operations are those of the public site. */
export type Sited = Showing<PublicSite>;
type Showing<T> = (
  paths: readonly string[],
  make: (shown: T) => Promise<readonly Operation[]>,
) => RouteModule;

/** Returns what public pages share; `undefined` if there are none. */
export function siteOf(options: ModuleOptions, brand: Brand): PublicSite | undefined {
  const { publicUrl, signUp: hasSignUp, worker, voteRetentionMs } = options;
  const hasForms = worker?.askForProof !== undefined;
  return publicUrl === undefined
    ? undefined
    : { publicUrl, hasSignUp, hasForms, voteRetentionMs, ...brand };
}

/** The brand that pages show until somebody changes it. */
export type ShownBrand = Brand & Pick<PublicSite, "changedAt" | "sinceMs">;

/** Reads the brand at the time of a request: the same object until it changes. */
export type BrandReader = () => Promise<ShownBrand>;

/**
 * Creates the reader of the brand: that of the options, and of the settings in storage for all
 * else. `nowMs` is the clock of conditions of requests.
 */
export function createBrandReader(
  storage: Storage,
  options: BrandOptions,
  nowMs: () => number,
): BrandReader {
  let shown: { readonly stored: StoredSettings; readonly brand: ShownBrand } | undefined;
  return async () => {
    const stored = await settingsOf(storage).read();
    if (shown?.stored !== stored) {
      const brand = readBrand(effectiveOptions(options, stored));
      const sinceMs = shown === undefined ? undefined : nowMs();
      shown = { stored, brand: { ...brand, changedAt: stored.settings.updatedAt, sinceMs } };
    }
    return shown.brand;
  };
}

/** Describes a module. Its paths include all that begin with the given ones. */
export function at(
  paths: readonly string[],
  load: () => Promise<readonly Operation[]>,
): RouteModule {
  return { paths, load: lazy(load) };
}

/** Creates the function that describes modules whose operations show the current brand. */
export function createBranded(first: Brand, brandNow: BrandReader): Branded {
  return (paths, make) => {
    const operationsOf = remember(make);
    // Operations for different brands differ in their replies only.
    return at(paths, async () =>
      (await operationsOf(first)).map((operation, place): Operation => ({
        ...operation,
        async run(context) {
          const operations = await operationsOf(await brandNow());
          return await operations[place].run(context);
        },
      })));
  };
}
