import { readBrand } from "../model/brand.ts";
import { createYielder } from "../model/turns.ts";
import type { Operation } from "./_http/operation.ts";
import type { RouteModule } from "./_http/router.ts";
import { type BrandReader, createModules, type ModuleOptions } from "./branded.ts";

const POSTS = "/api/v1/boards/:boardId/posts";
const POST = `${POSTS}/:postId`;
const ENTRIES = "/api/v1/changelogs/entries";

/**
 * Returns the modules of the operations of a handler, in the order of the reference. Each is loaded
 * at the first request to it: loading all at the start would take half as long again.
 */
export function routeModulesOf(
  options: ModuleOptions,
  brandNow: BrandReader = () => Promise.resolve(readBrand(options)),
): readonly RouteModule[] {
  const { publicUrl, signUp, studio, worker } = options;
  const { at, branded, sited } = createModules({ ...options, brandNow, loadAll });
  const hasForms = worker?.askForProof !== undefined;
  const modules: readonly RouteModule[] = [
    at(["/api/v1/deliveries"], () => import("./api/deliveries.ts")),
    at(["/api/v1/boards"], () => import("./api/boards.ts")),
    at([`${POSTS}/export`, `${POSTS}/import`], () => import("./api/posts/files.ts")),
    at(["/api/v1/posts", POSTS], () => import("./api/posts/listings.ts")),
    at([POSTS], () => import("./api/posts/posts.ts")),
    branded([`${POST}/votes`], () => import("./api/posts/votes.ts")),
    at([`${POST}/reports`], () => import("./api/posts/reports.ts")),
    at(
      [`${POST}/merge`, `${POST}/unmerge`, `${POST}/domains`, "/api/v1/posts/votes"],
      () => import("./api/posts/merges.ts"),
    ),
    at(["/api/v1/changelogs/subscribers/import"], () => import("./api/subscriber_import.ts")),
    at(
      ["/api/v1/changelogs/subscribe", "/api/v1/changelogs/subscribers"],
      () => import("./api/subscribers.ts"),
    ),
    branded(
      [`${ENTRIES}/preview`, `${ENTRIES}/markdown`, `${ENTRIES}/:entryId/preview-link`, "/preview"],
      () => import("./api/preview.ts"),
    ),
    branded([`${ENTRIES}/export`, `${ENTRIES}/import`], () => import("./api/entry_import.ts")),
    at([ENTRIES], () => import("./api/entries.ts")),
    at([ENTRIES], () => import("./api/publication.ts")),
    at(["/api/v1/changelogs/images"], () => import("./api/images.ts")),
    at(["/api/v1/changelogs/bounces", "/bounces"], () => import("./api/bounces.ts")),
    at(["/api/v1/key", "/api/v1/keys"], () => import("./api/keys.ts")),
    at(["/api/v1/team"], () => import("./api/team.ts")),
    at(["/livez", "/readyz"], () => import("./operator/health.ts")),
    at(["/metrics", "/api/v1/stats"], () => import("./operator/metrics.ts")),
    at(["/api/v1/webhooks"], () => import("./api/webhooks.ts")),
    at(["/api/v1/settings"], () => import("./api/settings.ts")),
    branded(
      ["/changelog/_logo", "/changelog/_logo-dark"],
      () => import("./public/changelog/logos.ts"),
    ),
    at(
      ["/changelog/images", "/changelog/widget.js", "/robots.txt"],
      () => import("./public/changelog/files.ts"),
    ),
    ...publicUrl === undefined ? [] : [
      sited(
        ["/changelog", "/changelog.atom", "/changelog.json", "/sitemap.xml"],
        () => import("./public/changelog/pages.ts"),
      ),
      ...hasForms
        ? [
          sited(["/confirm"], () => import("./public/people/confirm.ts")),
          sited(["/me", "/forget-browser"], () => import("./public/people/me.ts")),
          // It comes before the pages, because no post has the identifier `new`.
          sited(["/boards/:boardId/new"], () => import("./public/boards/new.ts")),
          sited(["/boards/:boardId/:postId"], () => import("./public/boards/vote.ts")),
        ]
        : [],
      sited(["/boards", "/roadmap"], () => import("./public/boards/pages.ts")),
      at(["/api/v1/people"], () => import("./api/people.ts")),
      sited(["/open"], () => import("./public/people/open.ts")),
      sited(["/boards/:boardId/:postId/report"], () => import("./public/boards/report.ts")),
      sited(["/unsubscribe"], () => import("./public/people/unsubscribe.ts")),
      ...signUp ? [sited(["/subscribe"], () => import("./public/people/subscribe.ts"))] : [],
    ],
    ...studio
      ? [
        at(
          ["/studio/sign-in", "/studio/sign-out", "/studio/in", "/studio/oidc"],
          () => import("./operator/sign_in/operations.ts"),
        ),
        at(["/studio"], () => import("./operator/studio.ts")),
      ]
      : [],
    at(["/", "/openapi.json", "/docs"], () => import("./operator/reference.ts")),
  ];

  async function loadAll(): Promise<readonly Operation[]> {
    const operations: Operation[] = [];
    // Loading all modules in one turn would take too long.
    const yieldIfBusy = createYielder();
    for (const { load } of modules) {
      operations.push(...await load());
      await yieldIfBusy();
    }
    return operations;
  }

  return modules;
}
