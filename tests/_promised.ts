import type { Scope } from "../model/api_key.ts";

/**
 * Every operation, with the scope that it needs; `null` where it needs no key. This is promised to
 * callers, and so written down once more.
 */
export const PROMISED: readonly (readonly [method: string, path: string, scope: Scope | null])[] = [
  ["GET", "/api/v1/boards/{boardId}", "boards:read"],
  ["PATCH", "/api/v1/boards/{boardId}", "boards:write"],
  ["DELETE", "/api/v1/boards/{boardId}", "boards:write"],
  ["GET", "/api/v1/boards", "boards:read"],
  ["POST", "/api/v1/boards", "boards:write"],
  ["PUT", "/api/v1/changelogs/subscribe", "subscriptions:write"],
  ["POST", "/api/v1/changelogs/subscribers/import", "subscriptions:write"],
  ["GET", "/api/v1/changelogs/subscribers", "subscriptions:read"],
  ["GET", "/api/v1/changelogs/subscribers/{userEmail}", "subscriptions:read"],
  ["DELETE", "/api/v1/changelogs/subscribers/{userEmail}", "subscriptions:write"],
  ["POST", "/api/v1/changelogs/entries", "entries:write"],
  ["GET", "/api/v1/changelogs/entries", "entries:read"],
  ["GET", "/api/v1/changelogs/entries/{entryId}", "entries:read"],
  ["PATCH", "/api/v1/changelogs/entries/{entryId}", "entries:write"],
  ["DELETE", "/api/v1/changelogs/entries/{entryId}", "entries:write"],
  ["POST", "/api/v1/changelogs/entries/{entryId}/publish", "entries:write"],
  ["POST", "/api/v1/changelogs/entries/{entryId}/unpublish", "entries:write"],
  ["GET", "/api/v1/changelogs/entries/{entryId}/delivery", "entries:read"],
  ["POST", "/api/v1/changelogs/entries/{entryId}/delivery/pause", "entries:write"],
  ["POST", "/api/v1/changelogs/entries/{entryId}/delivery/resume", "entries:write"],
  ["POST", "/api/v1/changelogs/entries/{entryId}/delivery/cancel", "entries:write"],
  ["POST", "/api/v1/changelogs/entries/{entryId}/test", "entries:write"],
  ["GET", "/api/v1/webhooks", "webhooks:write"],
  ["POST", "/api/v1/webhooks", "webhooks:write"],
  ["GET", "/api/v1/webhooks/{webhookId}", "webhooks:write"],
  ["PATCH", "/api/v1/webhooks/{webhookId}", "webhooks:write"],
  ["DELETE", "/api/v1/webhooks/{webhookId}", "webhooks:write"],
  ["POST", "/api/v1/webhooks/{webhookId}/rotate", "webhooks:write"],
  ["POST", "/api/v1/webhooks/{webhookId}/test", "webhooks:write"],
  ["GET", "/api/v1/webhooks/{webhookId}/messages", "webhooks:write"],
  ["POST", "/api/v1/webhooks/{webhookId}/messages/{messageId}/retry", "webhooks:write"],
  ["GET", "/api/v1/keys", "keys:write"],
  ["POST", "/api/v1/keys", "keys:write"],
  ["POST", "/api/v1/keys/{keyId}/rotate", "keys:write"],
  ["DELETE", "/api/v1/keys/{keyId}", "keys:write"],
  ["GET", "/livez", null],
  ["GET", "/readyz", null],
  ["GET", "/", null],
  ["GET", "/openapi.json", null],
  ["GET", "/docs", null],
];

/** The operations that are there with a public URL alone, and need no key. */
export const PROMISED_PUBLIC: readonly (readonly [method: string, path: string, scope: null])[] = [
  ["GET", "/changelog", null],
  ["GET", "/changelog/{entryId}", null],
  ["GET", "/changelog.atom", null],
  ["GET", "/changelog.json", null],
  ["GET", "/unsubscribe/{token}", null],
  ["POST", "/unsubscribe/{token}", null],
];
