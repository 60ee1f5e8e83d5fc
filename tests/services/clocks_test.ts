import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { WEBHOOK_MESSAGES } from "../../model/kinds.ts";
import { addMs } from "../../model/values/time.ts";
import { createMessage, type WebhookMessage } from "../../model/webhooks/webhook_message.ts";
import { openMemoryStorage } from "../../mod.ts";
import { admitSignUp } from "../../services/subscriptions/sign_ups.ts";
import { listDue } from "../../services/webhooks/queue.ts";
import { put } from "../_contract/calls.ts";

const NOW = "2026-11-21T10:00:00.000Z";
const AHEAD = "2027-11-21T10:00:00.000Z";
const ANN = "ann@example.com";

describe("what a clock that was a year ahead has left", () => {
  it("keeps nobody from signing up until then", async () => {
    const storage = openMemoryStorage();
    const rate = { requests: 2, windowSeconds: 3_600 };
    assertEquals(await admitSignUp(storage, ANN, { rate, at: AHEAD }), true);
    assertEquals(await admitSignUp(storage, ANN, { rate, at: AHEAD }), false);
    assertEquals(await admitSignUp(storage, ANN, { rate, at: NOW }), true);
    assertEquals(await admitSignUp(storage, ANN, { rate, at: NOW }), false);
  });

  it("leaves the number of sign-ups in an hour what it is", async () => {
    const storage = openMemoryStorage();
    const rate = { requests: 1, windowSeconds: 3_600 };
    assertEquals(await admitSignUp(storage, ANN, { rate, at: AHEAD }), true);
    assertEquals(await admitSignUp(storage, "bob@example.com", { rate, at: AHEAD }), false);
    assertEquals(await admitSignUp(storage, "bob@example.com", { rate, at: NOW }), true);
  });

  it("has a message sent, though a hundred others are planned before it", async () => {
    const storage = openMemoryStorage();
    const webhookId = "a".repeat(16);
    async function plan(messageId: string, changes: Partial<WebhookMessage>): Promise<void> {
      const event = { type: "entry.published", at: NOW, data: {} } as const;
      const message = createMessage({ messageId, webhookId }, event, NOW);
      await put(storage, WEBHOOK_MESSAGES, { ...message, ...changes });
    }
    const attempt = { status: 500, error: null, durationMs: 1 };
    for (let i = 0; i < 100; i++) {
      const lastAttempts = [{ ...attempt, at: NOW }];
      await plan(`msg_${i}`, { attempts: 1, lastAttempts, nextAttemptAt: addMs(NOW, 60_000) });
    }
    const lastAttempts = [{ ...attempt, at: AHEAD }];
    await plan("msg_ahead", { attempts: 1, lastAttempts, nextAttemptAt: addMs(AHEAD, 60_000) });
    const due = await listDue(storage, webhookId, { now: NOW, limit: 100 });
    assertEquals(due.map(({ messageId }) => messageId), ["msg_ahead"]);
  });
});
