import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { addMs } from "../../model/values/time.ts";
import {
  decideRetry,
  type RetryDecision,
  type WebhookAttempt,
} from "../../model/webhooks/webhook_retry.ts";
import { signWebhook } from "../../model/webhooks/webhook_signature.ts";
import { forEachRow } from "../_support/rows.ts";

const NOW = "2026-11-21T10:00:00.000Z";
const DAY_MS = 86_400_000;
const DELAYS_MS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
  .map((seconds) => seconds * 1_000);
const DOWN = { problem: "the connection failed" };

function judge(attempt: Partial<WebhookAttempt>, random = 0.5): RetryDecision {
  const whole = { attempts: 1, at: NOW, failingSince: null, outcome: DOWN, ...attempt };
  return decideRetry(whole, () => random);
}

describe("an attempt at a webhook", () => {
  it("has delivered the message with any 2xx, and is followed by others otherwise", async () => {
    const delivered = { state: "delivered", nextAttemptAt: null, failingSince: null };
    const nextAttemptAt = "2026-11-21T10:00:05.000Z";
    const waiting = { state: "waiting", nextAttemptAt, failingSince: addMs(NOW, -DAY_MS) };
    await forEachRow([
      ...[200, 204, 299].map((status) => [{ status }, delivered] as const),
      ...[199, 301, 304, 400, 429, 500].map((status) => [{ status }, waiting] as const),
      [DOWN, waiting],
    ], ([outcome, expected]) => {
      const decision = judge({ outcome, failingSince: addMs(NOW, -DAY_MS) });
      assertEquals<unknown>({ disable: undefined, ...decision }, {
        disable: undefined,
        ...expected,
      });
    });
  });

  it("is followed by nine more on the schedule, each 10 % sooner or later", async () => {
    await forEachRow([[0, 0.9], [0.5, 1], [1, 1.1]], ([random, factor]) => {
      const due = Array.from({ length: 10 }, (_, index) => judge({ attempts: index + 1 }, random));
      assertEquals(
        due.map(({ nextAttemptAt }) => nextAttemptAt),
        [...DELAYS_MS.map((delayMs) => addMs(NOW, delayMs * factor)), null],
      );
      assertEquals(due.map(({ state }) => state), [...Array(9).fill("waiting"), "failed"]);
    });
  });

  it("is followed by one no sooner than Retry-After asks, up to a day", async () => {
    await forEachRow([
      [1, 90_000, 90_000],
      [6, 90_000, 36_000_000],
      [1, 30 * DAY_MS, DAY_MS],
    ], ([attempts, retryAfterMs, pauseMs]) => {
      const { nextAttemptAt } = judge({ attempts, outcome: { status: 503, retryAfterMs } });
      assertEquals(nextAttemptAt, addMs(NOW, pauseMs));
    });
  });

  it("is the last, and disables the webhook, when the status is 410", () => {
    const failed = { state: "failed", nextAttemptAt: null, failingSince: NOW };
    const { disable, ...decision } = judge({ outcome: { status: 410, retryAfterMs: 1 } });
    assertEquals([decision, disable], [failed, "The endpoint answered 410: it is gone"]);
  });

  it("disables the webhook after 5 days of failure alone", () => {
    const decisions = [-1, 0].map((ms) => judge({ failingSince: addMs(NOW, -5 * DAY_MS - ms) }));
    assertEquals(decisions.map(({ disable }) => disable !== undefined), [false, true]);
  });
});

describe("the signature of a message", () => {
  it("is the one published for a known secret", async () => {
    const message = {
      id: "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
      timestampSeconds: 1_649_367_553,
      body: new TextEncoder().encode('{"email":"test@example.com","username":"test_user"}'),
    };
    const published = "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=";
    assertEquals(await signWebhook(["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"], message), published);
  });
});
