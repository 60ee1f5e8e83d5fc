import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { addMs } from "../model/time.ts";
import {
  decideRetry,
  parseRetryAfter,
  type RetryDecision,
  type WebhookAttempt,
} from "../model/webhook_retry.ts";

const NOW = "2026-11-21T10:00:00.000Z";
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DELAYS_MS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
  .map((seconds) => seconds * SECOND_MS);
const DOWN = { problem: "the connection failed" };

function judge(attempt: Partial<WebhookAttempt>, random = 0.5): RetryDecision {
  const whole = { attempts: 1, at: NOW, failingSince: null, outcome: DOWN, ...attempt };
  return decideRetry(whole, () => random);
}

describe("decideRetry", () => {
  for (const status of [200, 202, 204, 299]) {
    it(`delivers and forgets failures when the status is ${status}`, () => {
      const verdict = judge({
        attempts: 3,
        failingSince: addMs(NOW, -9 * DAY_MS),
        outcome: { status },
      });
      const delivered = {
        state: "delivered",
        nextAttemptAt: null,
        failingSince: null,
        disable: false,
      };
      assertEquals(verdict, delivered);
    });
  }

  for (
    const outcome of [
      DOWN,
      ...[199, 301, 302, 304, 400, 404, 429, 500].map((status) => ({ status })),
    ]
  ) {
    it(`tries again when the outcome is ${JSON.stringify(outcome)}`, () => {
      const nextAttemptAt = "2026-11-21T10:00:05.000Z";
      const verdict = { state: "waiting", nextAttemptAt, failingSince: NOW, disable: false };
      assertEquals(judge({ outcome }), verdict);
    });
  }

  it("follows the schedule, 10 % sooner or later, and gives up after the tenth attempt", () => {
    for (const [random, factor] of [[0, 0.9], [0.5, 1], [1, 1.1]]) {
      const due = Array.from({ length: 10 }, (_, index) => judge({ attempts: index + 1 }, random));
      assertEquals(
        due.map(({ nextAttemptAt }) => nextAttemptAt),
        [...DELAYS_MS.map((delayMs) => addMs(NOW, delayMs * factor)), null],
      );
      assertEquals(due.map(({ state }) => state), [...Array(9).fill("waiting"), "failed"]);
    }
  });

  const retryAfters: readonly [attempts: number, retryAfterMs: number, pauseMs: number][] = [
    [1, 0, 5 * SECOND_MS],
    [1, 90 * SECOND_MS, 90 * SECOND_MS],
    [6, 90 * SECOND_MS, 10 * HOUR_MS],
    [1, DAY_MS, DAY_MS],
    [1, 30 * DAY_MS, DAY_MS],
    [1, Infinity, DAY_MS],
  ];
  for (const [attempts, retryAfterMs, pauseMs] of retryAfters) {
    it(`waits ${pauseMs} ms after attempt ${attempts} when asked for ${retryAfterMs} ms`, () => {
      const { nextAttemptAt } = judge({ attempts, outcome: { status: 503, retryAfterMs } });
      assertEquals(nextAttemptAt, addMs(NOW, pauseMs));
    });
  }

  it("fails the message and disables the endpoint at once when the status is 410", () => {
    const failed = { state: "failed", nextAttemptAt: null, failingSince: NOW, disable: true };
    assertEquals(judge({ outcome: { status: 410, retryAfterMs: 1 } }), failed);
  });

  it("disables the endpoint once it has failed for 5 days, whatever attempt it is", () => {
    for (const attempts of [1, 10]) {
      const verdicts = [-1, 0, 1].map((ms) =>
        judge({ attempts, failingSince: addMs(NOW, -5 * DAY_MS - ms) })
      );
      assertEquals(verdicts.map(({ disable }) => disable), [false, true, true]);
      assertEquals(verdicts[0].failingSince, addMs(NOW, -5 * DAY_MS + 1));
    }
  });
});

describe("parseRetryAfter", () => {
  const values: readonly [string, number | undefined][] = [
    ["0", 0],
    ["120", 120_000],
    ["Sat, 21 Nov 2026 10:01:00 GMT", 60_000],
    ["Sat, 21 Nov 2026 09:00:00 GMT", 0],
    ["", undefined],
    ["-1", undefined],
    ["1.5", undefined],
    ["1e3", undefined],
    ["soon", undefined],
    ["2026-11-21T10:01:00Z", undefined],
    ["Sat, 99 Nov 2026 10:01:00 GMT", undefined],
  ];
  for (const [text, ms] of values) {
    it(`reads ${JSON.stringify(text)} as ${ms}`, () => {
      assertEquals(parseRetryAfter(text, Date.parse(NOW)), ms);
    });
  }
});
