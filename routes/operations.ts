import { readBrand } from "../model/brand.ts";
import { defaultOf } from "../model/options.ts";
import type { PublicSite } from "../model/public_site.ts";
import { createPace } from "../model/turns.ts";
import { readWebhookAllow } from "../model/webhooks/webhook_url.ts";
import { lazy } from "../model/lazy.ts";
import { normalizeIssuer } from "../model/oidc/claims.ts";
import { providerName } from "../model/oidc/oidc_options.ts";
import type { Operation } from "./_http/operation.ts";
import type { RouteModule } from "./_http/router.ts";
import type { Editions } from "./public/changelog/editions.ts";
import { HANDLER_OPTIONS, type HandlerOptions } from "./options.ts";

type Settings = Omit<HandlerOptions, "storage">;

/** Returns the settings that public pages share; `undefined` if there are no public pages. */
export function siteOf(options: Settings): PublicSite | undefined {
  const { publicUrl, signUp: hasSignUp, worker, voteRetentionMs } = options;
  const hasForms = worker?.askForProof !== undefined;
  return publicUrl === undefined
    ? undefined
    : { publicUrl, hasSignUp, hasForms, voteRetentionMs, ...readBrand(options) };
}

/**
 * Returns the modules of the operations of a handler, in the order of the reference. Each is loaded
 * at the first request to it, so that a server starts sooner.
 */
export function routeModulesOf(options: Settings): readonly RouteModule[] {
  const { basePath = "", studio } = options;
  const site = siteOf(options);
  const modules: readonly RouteModule[] = [
    ...apiModules(options, site),
    ...site === undefined ? [] : publicModules(site),
    ...studio ? [signInModule(options), studioModule(options)] : [],
    at(["/", "/openapi.json", "/docs"], async () => {
      const { referenceOperations } = await import("./operator/reference.ts");
      return referenceOperations(loadAll, {
        basePath,
        brand: readBrand(options),
        hasChangelog: site !== undefined,
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

/** Describes a module. Its paths include all that begin with the given ones. */
function at(
  paths: readonly string[],
  load: () => Promise<readonly Operation[]>,
): RouteModule {
  return { paths, load: lazy(load) };
}

function apiModules(options: Settings, site: PublicSite | undefined): readonly RouteModule[] {
  const { publicUrl } = options;
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
    at([`${post}/votes`], async () => {
      const { voteOperations } = await import("./api/posts/votes.ts");
      return voteOperations(readBrand(options).timeZone);
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
    at(
      [`${entries}/preview`, `${entries}/markdown`, `${entries}/:entryId/preview-link`, "/preview"],
      async () => (await import("./api/preview.ts")).previewOperations(site),
    ),
    at([`${entries}/export`, `${entries}/import`], async () => {
      const { entryImportOperations } = await import("./api/entry_import.ts");
      return entryImportOperations(readBrand(options).timeZone);
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
      async () => (await import("./api/bounces.ts")).bounceOperations(site),
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
    // The studio shows images, so this operation exists without a public URL, too.
    at(
      ["/changelog/images"],
      async () => [(await import("./public/changelog/files.ts")).shownImageOperation],
    ),
  ];
}

function publicModules(site: PublicSite): readonly RouteModule[] {
  const board = "/boards/:boardId";
  // All modules share one cache of the published entries.
  const editions = lazy(async () =>
    (await import("./public/changelog/editions.ts")).createEditions(site)
  );
  return [
    at(
      ["/changelog/_logo", "/changelog/_logo-dark", "/changelog/widget.js", "/robots.txt"],
      async () => {
        const { logoOperations, robotsOperations, widgetOperation } = await import(
          "./public/changelog/files.ts"
        );
        return [...logoOperations(site), widgetOperation(), ...robotsOperations(site)];
      },
    ),
    at(
      ["/changelog", "/changelog.atom", "/changelog.json", "/sitemap.xml"],
      async () =>
        (await import("./public/changelog/pages.ts")).changelogOperations(site, await editions()),
    ),
    ...site.hasForms ? formModules(site, editions) : [],
    at(
      ["/boards", "/roadmap"],
      async () => (await import("./public/boards/pages.ts")).boardPageOperations(site),
    ),
    at(
      ["/api/v1/people"],
      async () => (await import("./api/people.ts")).peopleOperations(site),
    ),
    at(["/open"], async () => [(await import("./public/people/open.ts")).openOperation(site)]),
    at(
      [`${board}/:postId/report`],
      async () => (await import("./public/boards/report.ts")).reportFormOperations(site),
    ),
    at(
      ["/unsubscribe"],
      async () =>
        (await import("./public/people/unsubscribe.ts")).unsubscribeOperations(
          site,
          await editions(),
        ),
    ),
    ...site.hasSignUp
      ? [
        at(
          ["/subscribe"],
          async () => (await import("./public/people/subscribe.ts")).signUpOperations(site),
        ),
      ]
      : [],
  ];
}

/** Returns the modules of forms with an address. */
function formModules(
  site: PublicSite,
  editions: () => Promise<Editions>,
): readonly RouteModule[] {
  return [
    at(
      ["/confirm"],
      async () =>
        (await import("./public/people/confirm.ts")).confirmOperations(site, await editions()),
    ),
    at(
      ["/me", "/forget-browser"],
      async () => (await import("./public/people/me.ts")).meOperations(site),
    ),
    // It comes before the pages, because no post has the identifier `new`.
    at(
      ["/boards/:boardId/new"],
      async () => (await import("./public/boards/new.ts")).ideaFormOperations(site),
    ),
    at(
      ["/boards/:boardId/:postId"],
      async () => [(await import("./public/boards/vote.ts")).voteFormOperation(site)],
    ),
  ];
}

function signInModule(options: Settings): RouteModule {
  const { basePath = "", publicUrl, oidc } = options;
  return at(["/studio/sign-in", "/studio/sign-out", "/studio/in", "/studio/oidc"], async () => {
    const { signInOperations } = await import("./operator/sign_in/operations.ts");
    return signInOperations({ brand: readBrand(options), basePath, publicUrl, oidc });
  });
}

function studioModule(options: Settings): RouteModule {
  const { publicUrl } = options;
  return at(["/studio"], async () => {
    const { studioOperations } = await import("./operator/studio.ts");
    return studioOperations({
      brand: readBrand(options),
      publicUrl,
      provider: options.oidc && providerName(options.oidc),
    });
  });
}
