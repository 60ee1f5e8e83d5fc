import { createWebhookPoster, type WebhookPosterOptions } from "../webhooks/post_webhook.ts";

// Amazon's own, in a region such as eu-central-1.
const SNS_URL = /^https:\/\/sns\.[a-z]{2}(?:-[a-z]+)+-\d+\.amazonaws\.com\/\?[!-~]+$/;
const TIMEOUT_MS = 10_000;

/** Tells whether a URL is one by which Amazon SNS has a subscription confirmed. */
function isSnsUrl(url: string): boolean {
  return SNS_URL.test(url) && new URL(url).searchParams.get("Action") === "ConfirmSubscription";
}

/**
 * Confirms a subscription of Amazon SNS, over a connection that is checked as those to webhooks are.
 * Returns what went wrong, or `undefined`.
 */
export async function confirmSns(
  url: string,
  options: WebhookPosterOptions = {},
): Promise<string | undefined> {
  if (!isSnsUrl(url)) return "its URL is none of Amazon SNS";
  const poster = createWebhookPoster({ timeoutMs: TIMEOUT_MS, ...options });
  const outcome = await poster.get(url);
  if ("problem" in outcome) return outcome.problem;
  return outcome.status === 200 ? undefined : `Amazon SNS answered ${outcome.status}`;
}
