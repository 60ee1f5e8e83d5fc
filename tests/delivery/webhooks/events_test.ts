import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { forEachRow } from "../../_support/rows.ts";
import { readJson, START } from "../../_support/service.ts";
import {
  createWebhookService,
  subscribe,
  WEBHOOKS,
  type WebhookService,
} from "../../_support/webhooks.ts";
import { openCipher } from "../../../services/privacy/sealed.ts";

const SUBSCRIBE = "/api/v1/changelogs/subscribe";
const SUBSCRIBER = "/api/v1/changelogs/subscribers/ann@example.com";
const ENTRIES = "/api/v1/changelogs/entries";
const HOUR_MS = 3_600_000;
const ANN = "ann@example.com";

type Step = (service: WebhookService) => unknown;

function after(durationMs: number): string {
  return new Date(Date.parse(START) + durationMs).toISOString();
}

/** Returns a step that sends a request, which must succeed. */
function request(method: string, path: string, json?: unknown): Step {
  return async ({ send }) => {
    const response = await send(method, path, { json });
    assertEquals(response.ok, true, await response.text());
  };
}

const STEPS = {
  "subscribe": request("PUT", SUBSCRIBE, { userEmail: ANN, subscribe: true }),
  "rename": request("PUT", SUBSCRIBE, { userEmail: ANN, userName: "Ann", subscribe: true }),
  "unsubscribe": request("PUT", SUBSCRIBE, { userEmail: ANN, subscribe: false }),
  "import": async ({ send }) => {
    const body = `userEmail,userName,subscribed\n${ANN},,true\n`;
    const headers = { "content-type": "text/csv" };
    const response = await send("POST", "changelogs/subscribers/import", { body, headers });
    assertEquals(JSON.parse(await response.text()).added, 1);
  },
  "use the link": async ({ storage, send }) => {
    const token = (await openCipher(storage, "unsubscribe")).encrypt(ANN);
    assertEquals((await send("POST", `/unsubscribe/${token}`, { key: null })).status, 200);
  },
  "erase": request("DELETE", SUBSCRIBER),
  "be refused": async ({ send }) => {
    const json = { userEmail: "nobody", subscribe: true };
    assertEquals((await send("PUT", SUBSCRIBE, { json })).status, 422);
    assertEquals((await send("DELETE", SUBSCRIBER)).status, 404);
    assertEquals((await send("DELETE", `${ENTRIES}/a`)).status, 404);
  },
  "create": request("POST", ENTRIES, { entryId: "a", title: "Dark mode", body: "Press **D**." }),
  "edit": request("PATCH", `${ENTRIES}/a`, { title: "Night mode" }),
  "publish": request("POST", `${ENTRIES}/a/publish`, { notify: false }),
  "plan": request("POST", `${ENTRIES}/a/publish`, { notify: false, at: after(HOUR_MS) }),
  "plan later": request("POST", `${ENTRIES}/a/publish`, { notify: false, at: after(2 * HOUR_MS) }),
  "unpublish": request("POST", `${ENTRIES}/a/unpublish`),
  "delete": request("DELETE", `${ENTRIES}/a`),
  "wait": ({ advance }) => advance(HOUR_MS),
} satisfies Record<string, Step>;

type StepName = keyof typeof STEPS;

/**
 * Steps and the messages that they cause. A message is shown by its type and the entry's title or
 * the source.
 */
const CHANGES: readonly (readonly [steps: readonly StepName[], told: readonly string[]])[] = [
  [["subscribe", "subscribe", "rename"], ["subscriber.subscribed api", "subscriber.updated api"]],
  [["unsubscribe", "unsubscribe"], ["subscriber.unsubscribed api"]],
  [["be refused"], []],
  [["import", "use the link", "use the link"], ["subscriber.unsubscribed link"]],
  [["import", "erase", "use the link"], ["subscriber.erased"]],
  [["create", "publish", "publish", "edit", "edit", "unpublish", "unpublish"], [
    ...["entry.published Dark mode", "entry.updated Night mode", "entry.unpublished Night mode"],
  ]],
  [["create", "publish", "delete"], ["entry.published Dark mode", "entry.unpublished Dark mode"]],
  [["create", "plan later", "plan", "edit", "wait"], ["entry.published Night mode"]],
  [["create", "plan", "unpublish", "wait"], []],
  // These steps happen after the entry's time and before webhooks were told.
  [["create", "plan", "wait", "edit"], ["entry.published Dark mode", "entry.updated Night mode"]],
  [["create", "plan", "wait", "delete"], [
    ...["entry.published Dark mode", "entry.unpublished Dark mode"],
  ]],
];

describe("a webhook", () => {
  it("is told of each change once, and of nothing that did not happen", async () => {
    await forEachRow(CHANGES, async ([steps, expected]) => {
      const service = createWebhookService();
      await service.create();
      for (const step of steps) await STEPS[step](service);
      const told = (await service.deliver()).map(({ message: { type, data } }) => {
        const { title, source } = data as { title?: string; source?: string };
        return [type, title ?? source].join(" ").trim();
      });
      assertEquals(told.sort(), [...expected].sort());
      // No message follows later.
      service.advance(24 * HOUR_MS);
      assertEquals(await service.deliver(), []);
    });
  });

  it("is told what the API shows, and of a planned entry at its time", async () => {
    const service = createWebhookService();
    const { send, deliver, advance } = service;
    await service.create();
    for (const step of ["create", "plan", "subscribe"] as const) await STEPS[step](service);
    advance(HOUR_MS - 1);
    const messages = (await deliver()).map(({ message }) => message);
    assertEquals(messages.length, 1);
    advance(HOUR_MS + 1);
    messages.push(...(await deliver()).map(({ message }) => message));
    // Only answers of the API name the delivery.
    const { deliveryId: _id, ...entry } = await readJson<Record<string, unknown>>(
      await send("GET", `${ENTRIES}/a`),
    );
    const { history: _, ...subscriber } = await readJson<{ history: unknown }>(
      await send("GET", SUBSCRIBER),
    );
    for (const step of ["erase", "delete"] as const) await STEPS[step](service);
    messages.push(...(await deliver()).map(({ message }) => message));
    const at = after(2 * HOUR_MS);
    const unpublished = { state: "draft", publishedAt: null, publishedBy: null };
    const draft = { ...entry, ...unpublished, updatedAt: at };
    const byType = (a: { type: string }, b: { type: string }) => a.type < b.type ? -1 : 1;
    assertEquals(messages.sort(byType), [
      { type: "entry.published", timestamp: after(HOUR_MS), data: entry },
      { type: "entry.unpublished", timestamp: at, data: draft },
      { type: "subscriber.erased", timestamp: at, data: { userEmail: ANN } },
      { type: "subscriber.subscribed", timestamp: START, data: subscriber },
    ]);
  });

  it("is told of an entry when 20 are told and its text is as long as it may be", async () => {
    const service = createWebhookService();
    for (let i = 0; i < 20; i++) await service.create({ types: "entry.published" });
    // Each line break takes three bytes in a message, so that 20 messages exceed 700 KiB.
    const json = { entryId: "a", title: "All", body: '\n"'.repeat(16_000).trim() };
    assertEquals((await service.send("POST", ENTRIES, { json })).status, 201);
    await STEPS.publish(service);
    const told = await service.deliver();
    const bodies = told.map(({ message }) => (message.data as { body: string }).body);
    assertEquals(bodies, Array.from({ length: 20 }, () => json.body));
  });

  it("is told of the types that it wants, as long as it is enabled and there", async () => {
    const service = createWebhookService();
    const { webhookId } = await service.create({ types: "subscriber.unsubscribed" });
    const path = `${WEBHOOKS}/${webhookId}`;
    const change = (json: unknown) => service.send("PATCH", path, { json });
    async function changeTwice(): Promise<void> {
      for (const isSubscribed of [true, false]) await subscribe(service, ANN, isSubscribed);
    }
    const told = async () => (await service.deliver()).map(({ message }) => message.type);
    await changeTwice();
    assertEquals(await told(), ["subscriber.unsubscribed"]);
    await change({ types: "subscriber.subscribed" });
    await changeTwice();
    // Messages stored before the webhook was disabled wait.
    await change({ enabled: false });
    await changeTwice();
    assertEquals(await told(), []);
    await change({ enabled: true });
    assertEquals(await told(), ["subscriber.subscribed"]);
    await service.send("DELETE", path);
    await changeTwice();
    assertEquals(await told(), []);
  });

  it("is told of nothing more once its endpoint is gone", async () => {
    const service = createWebhookService(() => ({ status: 410 }));
    const { webhookId } = await service.create();
    await subscribe(service, ANN);
    await service.deliver();
    assertEquals((await service.messages(webhookId)).length, 1);
    await subscribe(service, "bob@example.com");
    assertEquals((await service.messages(webhookId)).length, 1);
  });

  it("is sent nothing more about a person who is erased, except that they are", async () => {
    const service = createWebhookService(({ url }) => ({
      status: url.endsWith("down") ? 503 : 200,
    }));
    const up = await service.create({ url: "https://example.com/up" });
    const down = await service.create({ url: "https://example.com/down" });
    for (let i = 0; i < 120; i++) await subscribe(service, ANN, i % 2 === 1);
    await subscribe(service, "bob@example.com");
    await service.deliver();
    await STEPS.erase(service);
    for (const { webhookId } of [up, down]) {
      const types = (await service.messages(webhookId)).map(({ type }) => type);
      assertEquals(types.sort(), ["subscriber.erased", "subscriber.subscribed"]);
    }
    // The message about the erasure is removed, too, once it is delivered.
    const told = (await service.deliver()).filter(({ text }) => text.includes(ANN));
    assertEquals(new Set(told.map(({ message }) => message.type)), new Set(["subscriber.erased"]));
    assertEquals((await service.messages(up.webhookId)).length, 1);
  });
});
