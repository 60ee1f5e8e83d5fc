import type { Scope } from "../../model/keys/api_key.ts";

type Operation = readonly [method: string, path: string, scope: Scope | "any" | null];

/** Every operation under /api/v1/. This list repeats the names, because callers rely on them. */
const BY_SCOPE: Partial<Record<Scope, readonly string[]>> = {
  "boards:read": ["GET boards", "GET boards/{boardId}"],
  "boards:write": ["POST boards", "PATCH boards/{boardId}", "DELETE boards/{boardId}"],
  "posts:read": [
    ...["GET posts", "GET boards/{boardId}/posts", "GET boards/{boardId}/posts/similar"],
    ...["GET boards/{boardId}/posts/{postId}", "GET boards/{boardId}/posts/{postId}/votes"],
    "GET boards/{boardId}/posts/{postId}/votes/summary",
    "GET boards/{boardId}/posts/export",
  ],
  "posts:write": ["POST boards/{boardId}/posts", "PUT boards/{boardId}/posts/{postId}/votes"],
  "posts:publish": [
    "PATCH boards/{boardId}/posts/{postId}",
    "DELETE boards/{boardId}/posts/{postId}",
    "GET boards/{boardId}/posts/{postId}/reports",
    "DELETE boards/{boardId}/posts/{postId}/reports",
    "POST boards/{boardId}/posts/{postId}/merge",
    "POST boards/{boardId}/posts/{postId}/unmerge",
    "PUT boards/{boardId}/posts/{postId}/domains/{domain}",
    "DELETE posts/votes",
    "POST boards/{boardId}/posts/import",
  ],
  "subscriptions:read": ["GET changelogs/subscribers", "GET changelogs/subscribers/{userEmail}"],
  "subscriptions:write": [
    ...["PUT changelogs/subscribe", "POST changelogs/subscribers/import"],
    ...["PATCH changelogs/subscribers/{userEmail}", "DELETE changelogs/subscribers/{userEmail}"],
  ],
  "entries:read": [
    ...["GET changelogs/entries", "GET changelogs/entries/{entryId}"],
    ...["POST changelogs/entries/preview", "GET settings"],
    ...["GET deliveries", "GET deliveries/{deliveryId}", "GET deliveries/{deliveryId}/failures"],
    ...[
      "GET changelogs/entries/export",
      "GET changelogs/images",
      "GET changelogs/images/{imageId}",
    ],
  ],
  "entries:write": [
    "POST changelogs/entries/import",
    ...["POST changelogs/entries", "PATCH changelogs/entries/{entryId}"],
    "DELETE changelogs/entries/{entryId}",
    "POST changelogs/entries/{entryId}/test",
    "POST changelogs/entries/markdown",
    ...["POST changelogs/images", "DELETE changelogs/images/{imageId}"],
  ],
  "entries:publish": [
    "publish",
    "unpublish",
  ]
    .map((action) => `POST changelogs/entries/{entryId}/${action}`),
  "webhooks:write": [
    ...["GET webhooks", "POST webhooks", "GET webhooks/{webhookId}", "PATCH webhooks/{webhookId}"],
    ...["DELETE webhooks/{webhookId}", "POST webhooks/{webhookId}/rotate"],
    ...["POST webhooks/{webhookId}/test", "GET webhooks/{webhookId}/messages"],
    "POST webhooks/{webhookId}/messages/{messageId}/retry",
    "POST webhooks/{webhookId}/replay",
    ...["GET changelogs/bounces", "POST changelogs/bounces/rotate"],
  ],
  "settings:write": [
    ...["PATCH settings", "PUT settings/logo", "DELETE settings/logo"],
    ...["PUT settings/logo-dark", "DELETE settings/logo-dark"],
  ],
  "keys:write": [
    ...["GET keys", "POST keys", "POST keys/{keyId}/rotate", "DELETE keys/{keyId}"],
    ...["GET team", "POST team", "GET team/{memberId}", "PATCH team/{memberId}"],
    ...["DELETE team/{memberId}", "POST team/{memberId}/invite", "POST team/{memberId}/sign-out"],
  ],
  "metrics:read": ["GET stats"],
};

export const PROMISED: readonly Operation[] = [
  ...Object.entries(BY_SCOPE).flatMap(([scope, operations]) =>
    operations.map((text) => {
      const [method, path] = text.split(" ");
      return [method, `/api/v1/${path}`, scope as Scope] as const;
    })
  ),
  ["GET", "/metrics", "metrics:read"],
  ["GET", "/api/v1/key", "any"],
  ["GET", "/api/v1/team/me", "any"],
  ["PATCH", "/api/v1/team/me", "any"],
  ...["pause", "resume", "cancel", "retry"]
    .map((action) => ["POST", `/api/v1/deliveries/{deliveryId}/${action}`, "any"] as const),
  ...["/livez", "/readyz", "/openapi.json", "/docs"].map((path) => ["GET", path, null] as const),
  ["POST", "/bounces/{secret}", null],
  ["GET", "/changelog/images/{imageId}", null],
];

/** The operations that exist only with a public URL, besides pages. */
const PUBLIC_DATA: readonly Operation[] = [
  ["POST", "/api/v1/changelogs/entries/{entryId}/preview-link", "entries:write"],
  ...["/changelog.atom", "/changelog.json", "/changelog/_logo", "/changelog/_logo-dark"].map(get),
  ...["/sitemap.xml", "/robots.txt", "/changelog/widget.js", "/boards/{boardId}.atom"].map(get),
  ["POST", "/api/v1/people/link", "posts:write"],
  ["POST", "/api/v1/people/rotate", "keys:write"],
];

/** Pages and their forms, which the reference does not describe. */
export const PROMISED_PAGES: readonly Operation[] = [
  ...["/preview/{token}", "/changelog", "/changelog/{entryId}", "/roadmap", "/boards"].map(get),
  ...["/boards/{boardId}", "/open/{token}"].map(get),
  ...[
    "/boards/{boardId}/new",
    "/boards/{boardId}/{postId}",
    "/boards/{boardId}/{postId}/report",
    "/me",
    // Somebody who reloads the page of an answer comes back to where they pressed.
    "/me/withdraw",
    "/me/stop",
    "/me/forget",
    "/forget-browser",
    "/confirm/{token}/never",
    "/confirm/{token}/remember",
    "/subscribe",
    "/confirm/{token}",
    "/unsubscribe/{token}",
    "/unsubscribe/{token}/choices",
  ].flatMap((path) => ["GET", "POST"].map((method): Operation => [method, path, null])),
];

/** The operations that exist only with a public URL. */
export const PROMISED_PUBLIC: readonly Operation[] = [...PUBLIC_DATA, ...PROMISED_PAGES];

function get(path: string): Operation {
  return ["GET", path, null];
}
