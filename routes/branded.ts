import type { Storage } from "../adapters/storage.ts";
import { type Brand, type BrandOptions, readBrand } from "../model/brand.ts";
import { lazy, remember } from "../model/lazy.ts";
import type { PublicSite } from "../model/public_site.ts";
import { effectiveOptions, type StoredSettings } from "../model/settings/settings.ts";
import { settingsOf } from "../services/settings/reader.ts";
import type { Operation } from "./_http/operation.ts";
import type { RouteModule } from "./_http/router.ts";
import type { HandlerOptions } from "./options.ts";
import type { Documents } from "./public/_page/documents.ts";
import type { Snapshots } from "./public/changelog/snapshots.ts";

/** The options of a handler besides its storage. */
export type ModuleOptions = Omit<HandlerOptions, "storage">;

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

/** The input of all operations: options, and what the handler shares. */
export interface RouteContext extends ModuleOptions {
  readonly brandNow: BrandReader;
  /** Loads all operations of the handler. */
  readonly loadAll: () => Promise<readonly Operation[]>;
}

/** The input of operations that show the brand; they are made again when it changes. */
export interface BrandContext extends RouteContext {
  readonly brand: Brand;
}

/** The input of operations of the public site; all share its caches. */
export interface SiteContext extends BrandContext {
  readonly site: PublicSite;
  readonly documents: () => Promise<Documents>;
  readonly snapshots: () => Promise<Snapshots>;
}

/** A file of operations. */
interface RouteFile<C> {
  readonly operations: (context: C) => readonly Operation[] | Promise<readonly Operation[]>;
}

/** Describes a module. Its paths include all that begin with the given ones. */
type DescribeModule<C> = (
  paths: readonly string[],
  load: () => Promise<RouteFile<C>>,
) => RouteModule;

/** Creates the functions that describe the modules of a handler, by what they derive from. */
export function createModules(context: RouteContext): {
  readonly at: DescribeModule<RouteContext>;
  readonly branded: DescribeModule<BrandContext>;
  readonly sited: DescribeModule<SiteContext>;
} {
  const firstBrand = readBrand(context);
  const siteContextOf = remember((brand: Brand) => Promise.resolve(createSiteContext(brand)));

  function createSiteContext(brand: Brand): SiteContext {
    const site = siteOf(context, brand)!;
    const documents = lazy(async () =>
      (await import("./public/_page/documents.ts")).createDocuments(site)
    );
    const snapshots = lazy(async () =>
      (await import("./public/changelog/snapshots.ts")).createSnapshots(site, await documents())
    );
    return { ...context, brand, site, documents, snapshots };
  }

  function showing<C>(contextOf: (brand: Brand) => Promise<C>): DescribeModule<C> {
    return (paths, load) => {
      const operationsOf = remember(async (brand: Brand) =>
        await (await load()).operations(await contextOf(brand))
      );
      // Operations for different brands differ in their replies only.
      const loadAny = async () =>
        (await operationsOf(firstBrand)).map((operation, place): Operation => ({
          ...operation,
          async run(request) {
            const operations = await operationsOf(await context.brandNow());
            return await operations[place].run(request);
          },
        }));
      return { paths, load: lazy(loadAny) };
    };
  }

  return {
    at: (paths, load) => ({
      paths,
      load: lazy(async () => await (await load()).operations(context)),
    }),
    branded: showing((brand) => Promise.resolve({ ...context, brand })),
    sited: showing(siteContextOf),
  };
}
