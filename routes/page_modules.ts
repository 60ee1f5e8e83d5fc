import type { Brand } from "../model/brand.ts";
import { remember } from "../model/lazy.ts";
import type { PublicSite } from "../model/public_site.ts";
import type { RouteModule } from "./_http/router.ts";
import { at, type Branded, type ModuleOptions, type Sited, siteOf } from "./branded.ts";
import type { Documents } from "./public/_page/documents.ts";
import type { Editions } from "./public/changelog/editions.ts";

/** Returns the modules of the pages, feeds and forms for readers. */
export function pageModules(options: ModuleOptions, branded: Branded): readonly RouteModule[] {
  const { publicUrl = "", signUp, worker } = options;
  const board = "/boards/:boardId";
  // All modules share one cache of documents, and one of the published entries.
  const documentsOf = remember(async (site: PublicSite) =>
    (await import("./public/_page/documents.ts")).createDocuments(site)
  );
  const editionsOf = remember(async (site: PublicSite) =>
    (await import("./public/changelog/editions.ts")).createEditions(
      site,
      await documentsOf(site),
    )
  );
  const siteWith = remember((brand: Brand) => Promise.resolve(siteOf(options, brand)!));
  const sited: Sited = (paths, make) =>
    branded(paths, async (brand) => await make(await siteWith(brand)));
  return [
    branded(
      ["/changelog/_logo", "/changelog/_logo-dark"],
      async (brand) => (await import("./public/changelog/logos.ts")).logoOperations(brand),
    ),
    at(["/changelog/widget.js", "/robots.txt"], async () => {
      const { robotsOperations, widgetOperation } = await import("./public/changelog/files.ts");
      return [widgetOperation(), ...robotsOperations(publicUrl)];
    }),
    sited(
      ["/changelog", "/changelog.atom", "/changelog.json", "/sitemap.xml"],
      async (site) =>
        (await import("./public/changelog/pages.ts")).changelogOperations(site, {
          documents: await documentsOf(site),
          editions: await editionsOf(site),
        }),
    ),
    ...worker?.askForProof !== undefined ? formModules(sited, { editionsOf, documentsOf }) : [],
    sited(
      ["/boards", "/roadmap"],
      async (site) =>
        (await import("./public/boards/pages.ts")).boardPageOperations(
          site,
          await documentsOf(site),
        ),
    ),
    at(
      ["/api/v1/people"],
      async () => (await import("./api/people.ts")).peopleOperations(publicUrl),
    ),
    sited(
      ["/open"],
      async (site) => [(await import("./public/people/open.ts")).openOperation(site)],
    ),
    sited(
      [`${board}/:postId/report`],
      async (site) => (await import("./public/boards/report.ts")).reportFormOperations(site),
    ),
    sited(
      ["/unsubscribe"],
      async (site) =>
        (await import("./public/people/unsubscribe.ts")).unsubscribeOperations(
          site,
          await editionsOf(site),
        ),
    ),
    ...signUp
      ? [
        sited(
          ["/subscribe"],
          async (site) => (await import("./public/people/subscribe.ts")).signUpOperations(site),
        ),
      ]
      : [],
  ];
}

/** Returns the modules of forms with an address. */
function formModules(
  sited: Sited,
  { editionsOf, documentsOf }: {
    readonly editionsOf: (site: PublicSite) => Promise<Editions>;
    readonly documentsOf: (site: PublicSite) => Promise<Documents>;
  },
): readonly RouteModule[] {
  return [
    sited(
      ["/confirm"],
      async (site) =>
        (await import("./public/people/confirm.ts")).confirmOperations(
          site,
          await editionsOf(site),
        ),
    ),
    sited(
      ["/me", "/forget-browser"],
      async (site) => (await import("./public/people/me.ts")).meOperations(site),
    ),
    // It comes before the pages, because no post has the identifier `new`.
    sited(
      ["/boards/:boardId/new"],
      async (site) =>
        (await import("./public/boards/new.ts")).ideaFormOperations(
          site,
          await documentsOf(site),
        ),
    ),
    sited(
      ["/boards/:boardId/:postId"],
      async (site) => [(await import("./public/boards/vote.ts")).voteFormOperation(site)],
    ),
  ];
}
