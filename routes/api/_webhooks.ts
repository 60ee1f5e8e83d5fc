import { grantsScope } from "../../model/keys/api_key.ts";
import { WEBHOOK } from "../../model/webhooks/webhook.ts";
import type { Caller } from "../_http/credentials.ts";
import { Problem } from "../_http/problem.ts";

/** The path of all webhooks. */
export const PATH = "/api/v1/webhooks";
/** The path of one webhook. */
export const ONE = `${PATH}/:webhookId`;

/** What the declarations of operations on webhooks have in common. */
export const OF_ALL = { tag: "Webhooks", scope: "webhooks:write" } as const;
/** What the declarations of operations on one webhook have in common. */
export const OF_ONE = {
  ...OF_ALL,
  params: { webhookId: WEBHOOK.fields.webhookId },
  problems: ["webhook_not_found"],
} as const;

/** The problem where there is no such webhook. */
export const NO_WEBHOOK: Problem = new Problem("webhook_not_found");
/** What it takes to be told of subscribers. */
export const PEOPLE_SCOPE = "subscriptions:read";

/** Tells whether a caller may read what is about subscribers. */
export function maySeePeople({ scopes }: Caller): boolean {
  return grantsScope(scopes, PEOPLE_SCOPE);
}
