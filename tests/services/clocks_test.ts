import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { API_KEYS, IMAGE_PARTS, IMAGE_UPLOADS, WEBHOOK_MESSAGES } from "../../model/kinds.ts";
import { addMs } from "../../model/values/time.ts";
import { createMessage, type WebhookMessage } from "../../model/webhooks/webhook_message.ts";
import { openMemoryStorage } from "../../mod.ts";
import { admitForm } from "../../services/proof/admission.ts";
import { listDueMessages } from "../../services/webhooks/queue.ts";
import { removeLeftovers } from "../../services/images/images.ts";
import { hasExpired, removeExpired } from "../../services/removals.ts";
import { put } from "../_contract/calls.ts";
import { createService, START } from "../_support/service.ts";
import { until } from "../_support/waiting.ts";

const NOW = "2026-11-21T10:00:00.000Z";
const AHEAD = "2027-11-21T10:00:00.000Z";
const YEAR_MS = Date.parse(AHEAD) - Date.parse(NOW);
const ANN = "ann@example.com";
const SIGN_UP = { type: "sign-up", userName: null } as const;

describe("what a clock that was a year ahead has left", () => {
  it("keeps nobody from signing up until then", async () => {
    const storage = openMemoryStorage();
    const rate = { requests: 2, windowSeconds: 3_600 };
    const sign = (userEmail: string, at: string) =>
      admitForm(storage, { userEmail, item: SIGN_UP, boardId: null }, { rate, at });
    assertEquals(await sign(ANN, AHEAD), "mailed");
    assertEquals(await sign(ANN, AHEAD), "withheld");
    assertEquals(await sign(ANN, NOW), "mailed");
    assertEquals(await sign(ANN, NOW), "withheld");
  });

  it("leaves the number of sign-ups in an hour what it is", async () => {
    const storage = openMemoryStorage();
    const rate = { requests: 1, windowSeconds: 3_600 };
    const sign = (userEmail: string, at: string) =>
      admitForm(storage, { userEmail, item: SIGN_UP, boardId: null }, { rate, at });
    assertEquals(await sign(ANN, AHEAD), "mailed");
    assertEquals(await sign("bob@example.com", AHEAD), "dropped");
    assertEquals(await sign("bob@example.com", NOW), "mailed");
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
    const due = await listDueMessages(storage, webhookId, { now: NOW, limit: 100 });
    assertEquals(due.map(({ messageId }) => messageId), ["msg_ahead"]);
  });

  it("hides no later entry from readers that ask by date", async () => {
    const service = createService({ publicUrl: "https://updates.example" });
    const publish = async (entryId: string) => {
      await service.call("POST", "changelogs/entries", { entryId, title: entryId, body: "A" });
      await service.call("POST", `changelogs/entries/${entryId}/publish`, { notify: false });
    };
    const get = (path: string, since: string) => {
      const headers = { "if-modified-since": since };
      return service.send("GET", path, { key: null, headers });
    };
    service.advance(YEAR_MS);
    await publish("ahead");
    const paths = ["/changelog", "/changelog.atom", "/changelog.json", "/sitemap.xml"];
    const dateOf = async (path: string) => (await get(path, "")).headers.get("last-modified")!;
    const ahead = await Promise.all(paths.map(dateOf));
    service.advance(-YEAR_MS);
    const dates = await Promise.all(paths.map(dateOf));
    assertEquals(dates.filter((date) => Date.parse(date) > Date.parse(START)), []);
    const statuses = async (known: readonly string[]) => {
      const responses = await Promise.all(paths.map((path, at) => get(path, known[at])));
      return responses.map(({ status }) => status);
    };
    assertEquals(await statuses(ahead), paths.map(() => 200));
    assertEquals(await statuses(dates), paths.map(() => 304));
    service.advance(60_000);
    await publish("later");
    assertEquals(await statuses(dates), paths.map(() => 200));
  });

  it("does not stand as the last use of a key for a year", async () => {
    const { storage, send, createKey, advance } = createService();
    const key = await createKey(["boards:read"]);
    const lastUse = async () => (await storage.list(API_KEYS, { limit: 1 }))[0].lastUsedAt;
    advance(YEAR_MS);
    await send("GET", "boards", { key });
    await until(async () => await lastUse() === AHEAD);
    advance(-YEAR_MS);
    await send("GET", "boards", { key });
    await until(async () => await lastUse() === NOW);
  });

  it("keeps neither a message that was delivered, nor the parts of an upload, for two years", async () => {
    const storage = openMemoryStorage();
    const event = { type: "entry.published", at: AHEAD, data: {} } as const;
    const later = addMs(AHEAD, YEAR_MS);
    for (const state of ["delivered", "waiting"] as const) {
      const message = createMessage({ messageId: `msg_${state}`, webhookId: "a" }, event, later);
      await put(storage, WEBHOOK_MESSAGES, { ...message, state });
    }
    await put(storage, IMAGE_UPLOADS, { uploadId: "u", parts: 1, expiresAt: later });
    await put(storage, IMAGE_PARTS, { partId: "u/0000", data: "" });
    assertEquals(await hasExpired(storage, [WEBHOOK_MESSAGES], NOW), false);
    await removeExpired(storage, {
      kinds: [WEBHOOK_MESSAGES],
      transact: storage.transact,
    }, NOW);
    await removeLeftovers(storage, NOW);
    const messages = await storage.list(WEBHOOK_MESSAGES, { limit: 10 });
    assertEquals(messages.map(({ messageId }) => messageId), ["msg_waiting"]);
    assertEquals(await storage.list(IMAGE_PARTS, { limit: 10 }), []);
  });
});
