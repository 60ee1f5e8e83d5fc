import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../mod.ts";
import { WEBHOOK_MESSAGES } from "../../model/kinds.ts";
import { fillRecord } from "../../model/resource.ts";
import { WEBHOOK, type Webhook } from "../../model/webhooks/webhook.ts";
import { createMessage } from "../../model/webhooks/webhook_message.ts";
import { readWebhookList, storeOf } from "../../services/store.ts";
import { MAX_DELIVERED, removeDelivered } from "../../services/webhooks/queue.ts";
import { createWebhook } from "../../services/webhooks/webhooks.ts";
import { putAll } from "../_contract/calls.ts";
import { minute } from "../_support/samples.ts";
import { START } from "../_support/service.ts";

const HOOK = fillRecord<Webhook>(WEBHOOK, {
  ...{
    webhookId: "w",
    url: "https://example.com",
    secret: "whsec_a",
    types: ["subscriber.updated"],
  },
  ...{ createdAt: START, updatedAt: START },
});

describe("the list of webhooks", () => {
  it("has a new webhook when it is read while that is being stored", async () => {
    const memory = openMemoryStorage();
    const storage: Storage = {
      ...memory,
      async transact(refs, decide) {
        // Another change reads the list before this one is made.
        await readWebhookList(store);
        return await memory.transact(refs, decide);
      },
    };
    const store = storeOf(storage);
    await createWebhook(store, HOOK);
    assertEquals((await readWebhookList(store)).list?.count, 1);
  });

  it("is read again when a change of it fails", async () => {
    const memory = openMemoryStorage();
    let isBroken = false;
    const storage: Storage = {
      ...memory,
      async transact(refs, decide) {
        const answer = await memory.transact(refs, decide);
        await readWebhookList(store);
        if (isBroken) throw new Error("the answer was lost");
        return answer;
      },
    };
    const store = storeOf(storage);
    await createWebhook(store, HOOK);
    isBroken = true;
    await createWebhook(store, { ...HOOK, webhookId: "x" }).catch(() => {});
    assertEquals((await readWebhookList(store)).list?.count, 2);
  });
});

describe("delivered messages", () => {
  it("are kept up to a number, the newest ones, and those that wait with them", async () => {
    const storage = openMemoryStorage();
    const event = { type: "test", at: START, data: {} } as const;
    const messages = Array.from({ length: MAX_DELIVERED + 70 }, (_, i) => {
      const messageId = `msg_${String(i).padStart(5, "0")}`;
      const message = createMessage({ messageId, webhookId: "w" }, event, START);
      return { ...message, state: "delivered", expiresAt: minute(i) } as const;
    });
    const waiting = createMessage({ messageId: "msg_waiting", webhookId: "w" }, event, START);
    await putAll(storage, WEBHOOK_MESSAGES, [...messages, waiting]);
    await removeDelivered(storage, storage.transact);
    const query = { index: "delivered", limit: 1 };
    const [first] = await storage.list(WEBHOOK_MESSAGES, query);
    assertEquals(first.messageId, "msg_00070");
    assertEquals(await storage.count!(WEBHOOK_MESSAGES, "delivered"), MAX_DELIVERED);
    assertEquals(await storage.get(WEBHOOK_MESSAGES, "msg_waiting"), waiting);
  });
});
