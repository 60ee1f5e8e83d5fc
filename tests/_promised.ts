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
  ["GET", "/api/v1/changelogs/subscribers", "subscriptions:read"],
  ["GET", "/api/v1/changelogs/subscribers/{userEmail}", "subscriptions:read"],
  ["DELETE", "/api/v1/changelogs/subscribers/{userEmail}", "subscriptions:write"],
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
  ["GET", "/openapi.json", null],
  ["GET", "/docs", null],
];
