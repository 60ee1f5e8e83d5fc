/**
 * Boardcast: feedback boards and changelog subscriptions behind a handler of web-standard
 * requests. {@linkcode createHandler} creates the handler on top of a storage: the one in memory
 * from this module, or those of `@boardcast/boardcast/file`, `@boardcast/boardcast/postgres` and
 * `@boardcast/boardcast/kv`.
 *
 * @example Call a handler with storage in memory
 * ```ts
 * import { createHandler, openMemoryStorage } from "@boardcast/boardcast";
 * import { assertEquals } from "@std/assert";
 *
 * const handler = createHandler({ storage: openMemoryStorage() });
 * const response = await handler(new Request("http://localhost/livez"));
 * assertEquals(response.status, 200);
 * assertEquals(await response.json(), { status: "ok" });
 * ```
 *
 * @module
 */
export { openMemoryStorage } from "./adapters/memory.ts";
export * from "./adapters/decisions.ts";
export * from "./adapters/positions.ts";
export * from "./adapters/records.ts";
export * from "./adapters/storage.ts";
export * from "./delivery/mail/mailer.ts";
export {
  createWorker,
  type FormMailRate,
  type ProofRequest,
  type RequestedItem,
  type Worker,
  type WorkerEvent,
  type WorkerOptions,
} from "./delivery/worker.ts";
export { type ApiKey, type Scope, SCOPES } from "./model/keys/api_key.ts";
export {
  type Board,
  BOARD_VISIBILITIES,
  type BoardVisibility,
  type Moderation,
  MODERATIONS,
} from "./model/board.ts";
export type { BrandOptions } from "./model/brand.ts";
export type { Entry } from "./model/entries/entry.ts";
export { type Language, LANGUAGES } from "./model/locales/language.ts";
export { API_KEYS, BOARDS, KINDS, SETTINGS, SUBSCRIPTIONS } from "./model/kinds.ts";
export type { Setting } from "./model/kinds.ts";
export { JOINING_ROLES, type JoiningRole, type OidcOptions } from "./model/oidc/oidc_options.ts";
export type { PendingIdea, PendingSignUp, PendingVote } from "./model/proof/pending.ts";
export type { WeeklySchedule } from "./model/deliveries/week.ts";
export { type Choices, type Pace, type Paced, PACES } from "./model/subscriptions/choices.ts";
export type { Subscription, SubscriptionSource } from "./model/subscriptions/subscription.ts";
export { SUBSCRIPTION_SOURCES } from "./model/subscriptions/subscription.ts";
export { createHandler, type Handler } from "./routes/mod.ts";
export type { HandlerWorker, LogEvent } from "./routes/_http/embedding.ts";
export type { HandlerOptions } from "./routes/options.ts";
export type { RateLimit } from "./routes/_http/rate_limit.ts";
