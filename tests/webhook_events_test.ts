import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openLinkSealer } from "../services/unsubscribe_links.ts";
import { readJson, START } from "./_service.ts";
import { createWebhookService, subscribe, WEBHOOKS, type WebhookService } from "./_webhooks.ts";

const ENTRIES = "/api/v1/changelogs/entries";
const SUBSCRIBERS = "/api/v1/changelogs/subscribers";
const HOUR_MS = 3_600_000;
const ANN = "ann@example.com";

function after(durationMs: number): string {
  return new Date(Date.parse(START) + durationMs).toISOString();
}

async function createEntry({ send }: WebhookService, entryId = "a"): Promise<void> {
  const json = { entryId, title: "Dark mode", body: "Press **D**." };
  await readJson(await send("POST", ENTRIES, { json }), 201);
}

async function publish({ send }: WebhookService, at?: string): Promise<void> {
  const json = { notify: false, ...at !== undefined && { at } };
  await readJson(await send("POST", `${ENTRIES}/a/publish`, { json }));
}

async function unpublish({ send }: WebhookService): Promise<void> {
  await readJson(await send("POST", `${ENTRIES}/a/unpublish`));
}

async function edit({ send }: WebhookService, title: string): Promise<void> {
  await readJson(await send("PATCH", `${ENTRIES}/a`, { json: { title } }));
}

async function remove({ send }: WebhookService, path: string): Promise<void> {
  assertEquals((await send("DELETE", path)).status, 204);
}

async function importRow({ send }: WebhookService, subscribed: boolean): Promise<void> {
  const body = `userEmail,userName,subscribed\n${ANN},,${subscribed}\n`;
  const headers = { "content-type": "text/csv" };
  const response = await send("POST", `${SUBSCRIBERS}/import`, { body, headers });
  assertEquals(response.status, 200);
  await response.text();
}

async function useLink({ storage, send }: WebhookService): Promise<void> {
  const token = await (await openLinkSealer(storage)).seal(ANN);
  const response = await send("POST", `/unsubscribe/${token}`, { key: null });
  assertEquals(response.status, 200);
  await response.text();
}

/** What is done, and what a webhook is told of it: the type, and the title of an entry or the source. */
const CHANGES: Readonly<
  Record<string, readonly [(s: WebhookService) => Promise<void>, readonly string[]]>
> = {
  "an address is subscribed twice, renamed, and unsubscribed twice": [async (service) => {
    await subscribe(service, ANN);
    await subscribe(service, ANN);
    const json = { userEmail: ANN, userName: "Ann", subscribe: true };
    await readJson(await service.send("PUT", "/api/v1/changelogs/subscribe", { json }));
    await subscribe(service, ANN, false);
    await subscribe(service, ANN, false);
  }, ["subscriber.subscribed api", "subscriber.unsubscribed api"]],
  "an address never seen is unsubscribed": [
    (service) => subscribe(service, ANN, false),
    ["subscriber.unsubscribed api"],
  ],
  "a change is refused": [async ({ send }) => {
    const json = { userEmail: "nobody", subscribe: true };
    assertEquals((await send("PUT", "/api/v1/changelogs/subscribe", { json })).status, 422);
    assertEquals((await send("DELETE", `${SUBSCRIBERS}/${ANN}`)).status, 404);
    assertEquals((await send("DELETE", `${ENTRIES}/a`)).status, 404);
  }, []],
  "a file is imported": [async (service) => {
    await importRow(service, true);
    await importRow(service, false);
  }, []],
  "the link of a mail is used twice": [async (service) => {
    await importRow(service, true);
    await useLink(service);
    await useLink(service);
  }, ["subscriber.unsubscribed link"]],
  "an address is erased": [async (service) => {
    await importRow(service, true);
    await remove(service, `${SUBSCRIBERS}/${ANN}`);
    await useLink(service);
  }, ["subscriber.erased"]],
  "a draft is created, edited and deleted": [async (service) => {
    await createEntry(service);
    await edit(service, "Night mode");
    await remove(service, `${ENTRIES}/a`);
  }, []],
  "an entry is published, edited, and unpublished, each twice": [async (service) => {
    await createEntry(service);
    await publish(service);
    await publish(service);
    await edit(service, "Night mode");
    await edit(service, "Night mode");
    await unpublish(service);
    await unpublish(service);
  }, ["entry.published Dark mode", "entry.updated Night mode", "entry.unpublished Night mode"]],
  "a published entry is deleted": [async (service) => {
    await createEntry(service);
    await publish(service);
    await remove(service, `${ENTRIES}/a`);
  }, ["entry.published Dark mode", "entry.unpublished Dark mode"]],
  "a scheduled entry becomes public": [async (service) => {
    await createEntry(service);
    await publish(service, after(2 * HOUR_MS));
    await publish(service, after(HOUR_MS));
    await edit(service, "Night mode");
    assertEquals(await service.deliver(), []);
    service.advance(HOUR_MS - 1);
    assertEquals(await service.deliver(), []);
    service.advance(1);
  }, ["entry.published Night mode"]],
  "a scheduled entry is published at once": [async (service) => {
    await createEntry(service);
    await publish(service, after(HOUR_MS));
    await publish(service);
    service.advance(2 * HOUR_MS);
  }, ["entry.published Dark mode"]],
  "a scheduled entry is unpublished before its time": [async (service) => {
    await createEntry(service);
    await publish(service, after(HOUR_MS));
    await unpublish(service);
    service.advance(2 * HOUR_MS);
  }, []],
  "a scheduled entry is deleted before its time": [async (service) => {
    await createEntry(service);
    await publish(service, after(HOUR_MS));
    await remove(service, `${ENTRIES}/a`);
    service.advance(2 * HOUR_MS);
  }, []],
  "a scheduled entry is edited after its time, before anybody was told": [async (service) => {
    await createEntry(service);
    await publish(service, after(HOUR_MS));
    service.advance(HOUR_MS);
    await edit(service, "Night mode");
  }, ["entry.published Dark mode", "entry.updated Night mode"]],
  "a scheduled entry is deleted after its time, before anybody was told": [async (service) => {
    await createEntry(service);
    await publish(service, after(HOUR_MS));
    service.advance(HOUR_MS);
    await remove(service, `${ENTRIES}/a`);
  }, ["entry.published Dark mode", "entry.unpublished Dark mode"]],
};

describe("a webhook", () => {
  for (const [change, [make, expected]] of Object.entries(CHANGES)) {
    it(`is told ${expected.length} times when ${change}`, async () => {
      const service = createWebhookService();
      await service.create();
      await make(service);
      await service.deliver();
      const told = service.posts.map(({ message: { type, data } }) => {
        const { title, source } = data as { title?: string; source?: string };
        return [type, title ?? source].join(" ").trim();
      });
      assertEquals(told.sort(), [...expected].sort());
      // Nothing is told later.
      service.advance(24 * HOUR_MS);
      assertEquals(await service.deliver(), []);
    });
  }

  it("is told what the API shows", async () => {
    const service = createWebhookService();
    await service.create();
    await createEntry(service);
    await publish(service, after(HOUR_MS));
    await subscribe(service, ANN);
    service.advance(2 * HOUR_MS);
    await service.deliver();
    const messages = service.posts.map(({ message }) => message);
    const entry = await readJson(await service.send("GET", `${ENTRIES}/a`));
    const subscriber = await readJson(await service.send("GET", `${SUBSCRIBERS}/${ANN}`));
    await remove(service, `${SUBSCRIBERS}/${ANN}`);
    await remove(service, `${ENTRIES}/a`);
    messages.push(...(await service.deliver()).map(({ message }) => message));
    const at = after(2 * HOUR_MS);
    const draft = { ...entry, state: "draft", publishedAt: null, updatedAt: at };
    const expected = [
      { type: "subscriber.subscribed", timestamp: START, data: subscriber },
      { type: "entry.published", timestamp: after(HOUR_MS), data: entry },
      { type: "subscriber.erased", timestamp: at, data: { userEmail: ANN } },
      { type: "entry.unpublished", timestamp: at, data: draft },
    ];
    const byType = (a: { type: string }, b: { type: string }) => a.type < b.type ? -1 : 1;
    assertEquals(messages.sort(byType), expected.sort(byType));
  });

  it("is told of the types that it wants, as long as it is enabled and there", async () => {
    const service = createWebhookService();
    const { webhookId } = await service.create({ types: "subscriber.unsubscribed" });
    const path = `${WEBHOOKS}/${webhookId}`;
    const posts = async () => (await service.deliver()).map(({ message }) => message.type);
    await subscribe(service, ANN);
    await subscribe(service, ANN, false);
    assertEquals(await posts(), ["subscriber.unsubscribed"]);
    await service.send("PATCH", path, { json: { types: "subscriber.subscribed" } });
    await subscribe(service, ANN);
    await subscribe(service, ANN, false);
    assertEquals(await posts(), ["subscriber.subscribed"]);
    await subscribe(service, ANN);
    await service.send("PATCH", path, { json: { enabled: false } });
    await subscribe(service, ANN, false);
    await subscribe(service, ANN);
    assertEquals(await posts(), []);
    // What was stored before waits.
    await service.send("PATCH", path, { json: { enabled: true } });
    assertEquals(await posts(), ["subscriber.subscribed"]);
    await subscribe(service, ANN, false);
    await subscribe(service, ANN);
    await service.send("DELETE", path);
    await subscribe(service, ANN, false);
    assertEquals(await posts(), []);
  });

  it("made in another process is told of what happens a second later", async () => {
    const service = createWebhookService();
    await subscribe(service, ANN);
    // Another process has other memories of the same records.
    const other = createWebhookService(undefined, { ...service.storage });
    await other.create();
    service.advance(1_000);
    await subscribe(service, ANN, false);
    assertEquals((await service.deliver()).length, 1);
  });

  it("is sent nothing more about a person who is erased but that", async () => {
    const service = createWebhookService(({ url }) => ({
      status: url.endsWith("down") ? 503 : 200,
    }));
    const up = await service.create({ url: "https://example.com/up" });
    const down = await service.create({ url: "https://example.com/down" });
    for (let i = 0; i < 120; i++) await subscribe(service, ANN, i % 2 === 1);
    await subscribe(service, "bob@example.com");
    await service.deliver();
    await remove(service, `${SUBSCRIBERS}/${ANN}`);
    for (const { webhookId } of [up, down]) {
      const types = (await service.messages(webhookId)).map(({ type }) => type);
      assertEquals(types.sort(), ["subscriber.erased", "subscriber.subscribed"]);
    }
    // It goes once it was delivered, or has failed for good.
    await service.deliver();
    assertEquals((await service.messages(up.webhookId)).length, 1);
    for (let day = 0; day < 5; day++) {
      for (let hour = 0; hour < 24; hour++) {
        service.advance(HOUR_MS);
        await service.deliver();
      }
    }
    const [left, ...more] = await service.messages(down.webhookId);
    assertEquals([left.type, left.state, more], ["subscriber.subscribed", "failed", []]);
    const told = service.posts.filter(({ text }) => text.includes(ANN)).slice(-10);
    for (const { text } of told) assertStringIncludes(text, "subscriber.erased");
  });
});
