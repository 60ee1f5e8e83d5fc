import { readBrand } from "../model/brand.ts";
import { defaultOf } from "../model/options.ts";
import { publicPathOf } from "../model/public_site.ts";
import { createPace } from "../model/turns.ts";
import { readWebhookAllow } from "../model/webhooks/webhook_url.ts";
import { normalizeIssuer } from "../model/oidc/claims.ts";
import { providerName } from "../model/oidc/oidc_options.ts";
import type { Operation } from "./_http/operation.ts";
import type { RouteModule } from "./_http/router.ts";
import {
  at,
  type Branded,
  type BrandReader,
  createBranded,
  type ModuleOptions,
  siteOf,
} from "./branded.ts";
import { HANDLER_OPTIONS } from "./options.ts";
import { pageModules } from "./page_modules.ts";

/**
 * Returns the modules of the operations of a handler, in the order of the reference. Each is loaded
 * at the first request to it, so that a server starts sooner.
 */
export function routeModulesOf(
  options: ModuleOptions,
  brandNow: BrandReader = () => Promise.resolve(readBrand(options)),
): readonly RouteModule[] {
  const { basePath = "", publicUrl, studio } = options;
  const branded = createBranded(readBrand(options), brandNow);
  const modules: readonly RouteModule[] = [
    ...apiModules(options, branded),
    ...publicUrl === undefined ? [] : pageModules(options, branded),
    ...studio ? [signInModule(options, brandNow), studioModule(options, brandNow)] : [],
    at(["/", "/openapi.json", "/docs"], async () => {
      const { referenceOperations } = await import("./operator/reference.ts");
      return referenceOperations(loadAll, {
        basePath,
        publicPath: publicPathOf(options),
        brand: brandNow,
        hasChangelog: publicUrl !== undefined,
      });
    }),
  ];

  async function loadAll(): Promise<readonly Operation[]> {
    const operations: Operation[] = [];
    // Loading all modules in one turn would take too long.
    const pace = createPace();
    for (const { load } of modules) {
      operations.push(...await load());
      await pace();
    }
    return operations;
  }

  return modules;
}

function apiModules(options: ModuleOptions, branded: Branded): readonly RouteModule[] {
  const { publicUrl, worker } = options;
  const posts = "/api/v1/boards/:boardId/posts";
  const post = `${posts}/:postId`;
  const entries = "/api/v1/changelogs/entries";
  return [
    at(
      ["/api/v1/deliveries"],
      async () => (await import("./api/deliveries.ts")).deliveryOperations,
    ),
    at(["/api/v1/boards"], async () => (await import("./api/boards.ts")).boardOperations),
    at(
      [`${posts}/export`, `${posts}/import`],
      async () => (await import("./api/posts/files.ts")).postFileOperations,
    ),
    at(
      ["/api/v1/posts", posts],
      async () => (await import("./api/posts/listings.ts")).postListingOperations,
    ),
    at([posts], async () => (await import("./api/posts/posts.ts")).postOperations),
    branded([`${post}/votes`], async ({ timeZone }) => {
      const { voteOperations } = await import("./api/posts/votes.ts");
      return voteOperations(timeZone);
    }),
    at(
      [`${post}/reports`],
      async () => (await import("./api/posts/reports.ts")).reportOperations,
    ),
    at(
      [`${post}/merge`, `${post}/unmerge`, `${post}/domains`, "/api/v1/posts/votes"],
      async () => (await import("./api/posts/merges.ts")).mergeOperations,
    ),
    at(
      ["/api/v1/changelogs/subscribers/import"],
      async () => [(await import("./api/subscriber_import.ts")).subscriberImportOperation],
    ),
    at(
      ["/api/v1/changelogs/subscribe", "/api/v1/changelogs/subscribers"],
      async () => (await import("./api/subscribers.ts")).subscriptionOperations,
    ),
    branded(
      [`${entries}/preview`, `${entries}/markdown`, `${entries}/:entryId/preview-link`, "/preview"],
      async (brand) => (await import("./api/preview.ts")).previewOperations(siteOf(options, brand)),
    ),
    branded([`${entries}/export`, `${entries}/import`], async ({ timeZone }) => {
      const { entryImportOperations } = await import("./api/entry_import.ts");
      return entryImportOperations(timeZone);
    }),
    at([entries], async () => (await import("./api/entries.ts")).entryOperations),
    at(
      [entries],
      async () => (await import("./api/publication.ts")).publicationOperations,
    ),
    at(["/api/v1/changelogs/images"], async () => {
      const { imageOperations } = await import("./api/images.ts");
      return imageOperations(options.images ?? defaultOf(HANDLER_OPTIONS.images));
    }),
    at(
      ["/api/v1/changelogs/bounces", "/bounces"],
      async () => (await import("./api/bounces.ts")).bounceOperations(publicUrl),
    ),
    at(
      ["/api/v1/key", "/api/v1/keys"],
      async () => (await import("./api/keys.ts")).keyOperations,
    ),
    at(["/api/v1/team"], async () => {
      const { teamOperations } = await import("./api/team.ts");
      const { oidc } = options;
      return teamOperations({ publicUrl, issuer: oidc && normalizeIssuer(oidc.issuer) });
    }),
    at(
      ["/livez", "/readyz"],
      async () => (await import("./operator/health.ts")).healthOperations,
    ),
    at(
      ["/metrics", "/api/v1/stats"],
      async () => (await import("./operator/metrics.ts")).metricsOperations(publicUrl),
    ),
    at(["/api/v1/webhooks"], async () => {
      const { webhookOperations } = await import("./api/webhooks.ts");
      return webhookOperations(readWebhookAllow(options.webhookAllow), publicUrl);
    }),
    at(["/api/v1/settings"], async () => {
      const { settingsOperations } = await import("./api/settings.ts");
      return settingsOperations({ ...options, ...worker?.overrides });
    }),
    // The studio shows images, so these operations exist without a public URL, too.
    at(
      ["/changelog/images"],
      async () => [(await import("./public/changelog/files.ts")).shownImageOperation],
    ),
    branded(
      ["/changelog/_logo/:file"],
      async (brand) => [(await import("./public/changelog/logos.ts")).shownLogoOperation(brand)],
    ),
  ];
}

function signInModule(options: ModuleOptions, brand: BrandReader): RouteModule {
  const { publicUrl, oidc } = options;
  return at(["/studio/sign-in", "/studio/sign-out", "/studio/in", "/studio/oidc"], async () => {
    const { signInOperations } = await import("./operator/sign_in/operations.ts");
    return signInOperations({ brand, publicPath: publicPathOf(options), publicUrl, oidc });
  });
}

function studioModule({ publicUrl, oidc }: ModuleOptions, brand: BrandReader): RouteModule {
  return at(["/studio"], async () => {
    const { studioOperations } = await import("./operator/studio.ts");
    return studioOperations(brand, { publicUrl, provider: oidc && providerName(oidc) });
  });
}
