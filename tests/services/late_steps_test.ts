import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../mod.ts";
import { createDelivery } from "../../model/deliveries/delivery.ts";
import { failureIdOf } from "../../model/deliveries/delivery_failure.ts";
import { startDelivery } from "../../model/deliveries/delivery_steps.ts";
import { createDeferral } from "../../model/deliveries/mail_outcome.ts";
import {
  DEFERRALS,
  DELIVERIES,
  DELIVERY_FAILURES,
  SUBSCRIPTIONS,
  WEBHOOK_MESSAGES,
} from "../../model/kinds.ts";
import { createMessage } from "../../model/webhooks/webhook_message.ts";
import { PROOF_MAILS, type ProofMail } from "../../model/proof/pending.ts";
import { planRetries } from "../../services/deliveries/retry.ts";
import { beginMail } from "../../services/proof/outbox.ts";
import { insertRecord } from "../../services/records.ts";
import { getDue, MAX_DELIVERED } from "../../services/webhooks/queue.ts";
import { startMailing } from "../_support/mailing.ts";
import { sampleSubscription } from "../_support/samples.ts";
import { createService, START } from "../_support/service.ts";

const ANN = "ann@example.com";
const LATER = "2026-11-21T15:00:00.000Z";

describe("a retry", () => {
  it("counts nobody again who is put off already", async () => {
    const storage = openMemoryStorage();
    const started = startDelivery(createDelivery("a", START), 1, { now: START });
    const delivery = { ...started, failed: 1, deferred: 1, retriedTo: "" };
    await insertRecord(storage, DELIVERIES, delivery);
    await insertRecord(storage, SUBSCRIPTIONS, sampleSubscription(ANN));
    const mail = { entryId: "a", userEmail: ANN };
    const failure = { failureId: failureIdOf("a", ANN), ...mail, code: "5.2.1", text: "" };
    await insertRecord(storage, DELIVERY_FAILURES, {
      ...failure,
      failedAt: START,
      isReported: false,
    });
    await insertRecord(storage, DEFERRALS, createDeferral(mail, 1, LATER));
    await planRetries(storage, storage.transact, { delivery, now: START });
    const { failed, deferred } = (await storage.get(DELIVERIES, "a"))!;
    assertEquals([failed, deferred], [1, 1]);
  });
});

describe("the mail of a form", () => {
  it("that goes out late has its day from then on", async () => {
    const storage = openMemoryStorage();
    const mail: ProofMail = {
      itemId: null,
      ...{ mailboxId: "m", state: "due", mailedAt: START, dueAt: START, attempts: 2 },
      ...{ recipient: "sealed", boardId: null, waiting: [], expiresAt: LATER },
    } as const;
    await insertRecord(storage, PROOF_MAILS, mail);
    assertEquals(await beginMail(storage, mail, LATER), true);
    assertEquals((await storage.get(PROOF_MAILS, "m"))?.mailedAt, LATER);
  });
});

describe("a message to a webhook", () => {
  it("is due no more once another attempt has ended it", async () => {
    const service = createService();
    await service.call("POST", "webhooks", { url: "https://hooks.example/x" });
    await service.call("POST", "changelogs/entries", { entryId: "a", title: "A", body: "" });
    await service.call("POST", "changelogs/entries/a/publish", { notify: false });
    const [{ messageId }] = await service.storage.list(WEBHOOK_MESSAGES, { limit: 1 });
    assertEquals((await getDue(service.storage, messageId, LATER))?.messageId, messageId);
    const refs = { message: { kind: WEBHOOK_MESSAGES, key: messageId } };
    await service.storage.transact(refs, ({ message }) => ({
      answer: true,
      put: { message: { ...message!, nextAttemptAt: null } },
    }));
    assertEquals(await getDue(service.storage, messageId, LATER), undefined);
  });
});

describe("delivered messages", () => {
  it("are trimmed by the worker that sends others", async () => {
    const storage = openMemoryStorage();
    const event = { type: "test", at: START, data: {} } as const;
    for (let index = 0; index < MAX_DELIVERED + 5; index++) {
      const messageId = `msg_${`${index}`.padStart(5, "0")}`;
      const message = createMessage({ messageId, webhookId: "w" }, event, START);
      await insertRecord(storage, WEBHOOK_MESSAGES, {
        ...message,
        state: "delivered",
        nextAttemptAt: null,
      });
    }
    await using mailing = await startMailing({ storage });
    await mailing.service.call("POST", "webhooks", { url: "https://hooks.example/x" });
    await mailing.publish("a");
    for (let index = 0; index < 5; index++) await mailing.clock.tick(10_000);
    assertEquals(await storage.count!(WEBHOOK_MESSAGES, "delivered"), MAX_DELIVERED);
  });
});

describe("an erased person", () => {
  it("is not stored anew by an unsubscription in a list", async () => {
    const service = createService();
    await service.call("PUT", "changelogs/subscribe", { userEmail: ANN, subscribe: true });
    await service.send("DELETE", `/api/v1/changelogs/subscribers/${ANN}`);
    const response = await service.send("POST", "/api/v1/changelogs/subscribers/import", {
      body: `userEmail,subscribed\n${ANN},false\nben@example.com,false\n`,
      headers: { "content-type": "text/csv" },
    });
    await response.text();
    const stored = await service.storage.list(SUBSCRIPTIONS, { limit: 9 });
    assertEquals(stored.map(({ userEmail }) => userEmail), ["ben@example.com"]);
  });
});
