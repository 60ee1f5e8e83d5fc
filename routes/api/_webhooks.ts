import { grantsScope } from "../../model/keys/api_key.ts";
import type { Caller } from "../_http/credentials.ts";
import { Problem } from "../_http/problem.ts";

/** The path of all webhooks. */
export const PATH = "/api/v1/webhooks";
/** The path of one webhook. */
export const ONE = `${PATH}/:webhookId`;

/** The problem where there is no such webhook. */
export const NO_WEBHOOK: Problem = new Problem("webhook_not_found");
/** What it takes to be told of subscribers. */
export const PEOPLE_SCOPE = "subscriptions:read";

/** Tells whether a caller may read what is about subscribers. */
export function maySeePeople({ scopes }: Caller): boolean {
  return grantsScope(scopes, PEOPLE_SCOPE);
}
