import type { WebhookOutcome } from "../../model/webhooks/webhook_retry.ts";
import { createWebhookPoster, type WebhookPosterOptions } from "../webhooks/post_webhook.ts";

// The hosts of Amazon SNS, with a region such as eu-central-1.
const SNS_URL = /^https:\/\/sns\.[a-z]{2}(?:-[a-z]+)+-\d+\.amazonaws\.com\/\?[!-~]+$/;
const TIMEOUT_MS = 10_000;

/** Tells whether a URL can confirm a subscription of Amazon SNS. */
function isSnsUrl(url: string): boolean {
  return SNS_URL.test(url) && new URL(url).searchParams.get("Action") === "ConfirmSubscription";
}

/**
 * Confirms a subscription of Amazon SNS, with the same checks on the connection as for webhooks.
 * Returns a problem, or `undefined` on success.
 */
export async function confirmSns(
  url: string,
  options: WebhookPosterOptions = {},
): Promise<string | undefined> {
  if (!isSnsUrl(url)) return "its URL is none of Amazon SNS";
  const poster = createWebhookPoster({ timeoutMs: TIMEOUT_MS, ...options });
  return problemOf(await poster.get(url));
}

/** Returns why a confirmation failed; `undefined` if it did not. */
export function problemOf(outcome: WebhookOutcome): string | undefined {
  if ("problem" in outcome) return outcome.problem;
  return outcome.status === 200 ? undefined : `Amazon SNS answered ${outcome.status}`;
}
