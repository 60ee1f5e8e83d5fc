import { assert, assertEquals, assertObjectMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ENTRIES as ENTRY_KIND } from "../../../model/kinds.ts";
import { putAll } from "../../_contract/calls.ts";
import { openMemoryStorage, type Storage } from "../../../mod.ts";
import type { Scope } from "../../../model/keys/api_key.ts";
import type { Stats } from "../../../model/stats.ts";
import { createPost } from "../../../services/posts/create.ts";
import { countAudience } from "../../../services/deliveries/recipients.ts";
import { changeDelivery } from "../../../services/deliveries/deliveries.ts";
import {
  describeRate,
  holdDelivery,
  obstructDelivery,
  startDelivery,
} from "../../../model/deliveries/delivery_steps.ts";
import { WEBHOOKS } from "../../../model/kinds.ts";
import { replaceRecord } from "../../../services/records.ts";
import { startForms, VOTE_PATH } from "../../_support/board_forms.ts";
import { until } from "../../_support/waiting.ts";
import { assertProblem, createService, START, type TestService } from "../../_support/service.ts";

const ENTRIES = "changelogs/entries";
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const stats = ({ call }: Pick<TestService, "call">) =>
  call<Stats & Record<string, unknown>>("GET", "stats");

async function codes(service: TestService): Promise<readonly string[]> {
  return (await stats(service)).attention.map(({ code }) => code);
}

async function publish({ call }: TestService, entryId: string, json: unknown): Promise<void> {
  await call("POST", ENTRIES, { entryId, title: entryId, body: "" });
  await call("POST", `${ENTRIES}/${entryId}/publish`, json);
}

/** Changes the one delivery of a storage as a worker would. */
async function work(storage: Storage, change: Parameters<typeof changeDelivery>[2]): Promise<void> {
  const delivery = { entryId: "a", startedAt: null } as Parameters<typeof changeDelivery>[1];
  await changeDelivery((refs, decide) => storage.transact(refs, decide), delivery, change);
}

describe("GET /stats", () => {
  it("counts subscribers and entries by state", async () => {
    const service = createService();
    for (const [name, subscribe] of [["ann", true], ["ben", true], ["cem", false]]) {
      const userEmail = `${name}@example.com`;
      await service.call("PUT", "changelogs/subscribe", { userEmail, subscribe });
    }
    await service.call("POST", ENTRIES, { entryId: "draft", title: "Draft", body: "" });
    await publish(service, "now", { notify: false });
    await publish(service, "later", { notify: false, at: "2026-12-24T00:00:00Z" });
    const found = await stats(service);
    assertEquals(found.subscribers, { subscribed: 2, unsubscribed: 1 });
    assertEquals(found.entries, { draft: 1, scheduled: 1, published: 1 });
    assertEquals([found.at, found.attention], [START, []]);
    assertEquals([found.publicUrl, found.relay], [null, { configured: true, problem: null }]);
    const { publicUrl } = await stats(createService({ publicUrl: "https://example.com" }));
    assertEquals(publicUrl, "https://example.com");
  });

  it("counts posts that are open, wait for approval, or went unanswered for 60 days", async () => {
    const service = createService();
    const { call, advance, storage } = service;
    await call("POST", "boards", { boardId: "ideas", name: "Ideas", visibility: "public" });
    const path = "boards/ideas/posts";
    for (
      const [postId, votes] of [["many", 11], ["few", 10], ["told", 11], ["late", 11]] as const
    ) {
      if (postId === "late") advance(DAY_MS);
      await call("POST", path, { postId, title: `Post ${postId}` });
      for (let n = 0; n < votes; n++) {
        await call("PUT", `${path}/${postId}/votes`, { userEmail: `p${n}@b.io`, vote: true });
      }
    }
    await call("PATCH", `${path}/told`, { answer: "Soon." });
    await call("POST", path, { postId: "done", title: "Post done" });
    await call("PATCH", `${path}/done`, { status: "shipped" });
    await createPost(storage, {
      ...{ boardId: "ideas", title: "Held wish", body: null, source: "form", keyId: null },
      ...{ at: START, author: { userEmail: "z@b.io", userName: null, notify: false } },
    });
    assertEquals((await stats(service)).posts, { open: 5, held: 1, reported: 0, unanswered: 0 });
    advance(59 * DAY_MS + 1);
    assertEquals((await stats(service)).posts, { open: 5, held: 1, reported: 0, unanswered: 1 });
  });

  it("counts all entries when more are scheduled than one listing has", async () => {
    const service = createService();
    await publish(service, "a", { notify: false, at: "2026-12-24T00:00:00Z" });
    const entry = await service.storage.get(ENTRY_KIND, "a");
    const ids = Array.from({ length: 1_100 }, (_, i) => `e${i}`);
    await putAll(service.storage, ENTRY_KIND, ids.map((entryId) => ({ ...entry!, entryId })));
    const expected = { draft: 0, scheduled: 1_101, published: 0 };
    assertEquals((await stats(service)).entries, expected);
  });

  it("counts the same where storage keeps no count", async () => {
    const { count: _, ...storage } = openMemoryStorage();
    const service = createService({ storage });
    await service.call("PUT", "changelogs/subscribe", {
      userEmail: "a@b.example",
      subscribe: true,
    });
    assertEquals((await stats(service)).subscribers, { subscribed: 1, unsubscribed: 0 });
  });

  it("counts who would get an entry by its labels and their paces, when it is asked for them", async () => {
    const service = createService();
    const rows = [[null, "each"], ["new", "each"], ["fix new", "weekly"], ["fix", "each"]];
    for (const [at, [labels, pace]] of rows.entries()) {
      const userEmail = `u${at}@example.com`;
      await service.call("PUT", "changelogs/subscribe", { userEmail, subscribe: true });
      await service.call("PATCH", `changelogs/subscribers/${userEmail}`, { labels, pace });
    }
    const count = async (query: string) =>
      (await service.call<Stats & Record<string, unknown>>("GET", `stats${query}`)).audience;
    assertEquals(await count(""), null);
    assertEquals(await count("?labels=new+old"), { each: 2, weekly: 1, exact: true });
    assertEquals(await count("?labels="), { each: 1, weekly: 0, exact: true });
    const refused = await service.send("GET", "stats?labels=A");
    await assertProblem(refused, 422, "validation_failed");
  });

  it("estimates how many want an entry when they are too many to be counted", async () => {
    const service = createService();
    const rows = Array.from({ length: 2_000 }, (_, at) => `u${at}@example.com,true,new\n`);
    const body = `userEmail,subscribed,labels\n${rows.join("")}`;
    const headers = { "content-type": "text/csv" };
    const imported = await service.send("POST", "changelogs/subscribers/import", { body, headers });
    await imported.body?.cancel();
    let nowMs = 0;
    const counting = { isGone: () => false, elapsed: () => nowMs += 1_000 };
    const counted = await countAudience(service.storage, ["new"], counting);
    assertEquals(counted, { each: 2_000, weekly: 0, exact: false });
    const gone = { isGone: () => true, elapsed: () => 0 };
    assertEquals((await countAudience(service.storage, ["old"], gone)).exact, false);
  });

  it("shows the newest 10 deliveries", async () => {
    const service = createService();
    for (let number = 10; number < 21; number++) {
      await publish(service, `${number}`, { notify: true });
      service.advance(1);
    }
    const { deliveries } = await stats(service);
    assertEquals(deliveries.map(({ entryId }) => entryId).join(), "20,19,18,17,16,15,14,13,12,11");
  });

  it("calls a delivery by the title of its entry", async () => {
    const service = createService();
    await publish(service, "a", { notify: true });
    await service.call("PATCH", `${ENTRIES}/a`, { title: "Dark mode" });
    assertEquals((await stats(service)).deliveries.map(({ title }) => title), ["Dark mode"]);
  });

  it("tells that a delivery is held, or does not advance, and why", async () => {
    const service = createService();
    await publish(service, "a", { notify: true });
    await work(service.storage, (current) => startDelivery(current, 1, { now: START }));
    assertEquals(await codes(service), []);
    const held = createService();
    await publish(held, "a", { notify: true });
    await work(held.storage, (current) => holdDelivery(current, "late"));
    assertObjectMatch((await stats(held)).attention[0], { code: "delivery_held", entryId: "a" });
    const down = createService();
    await publish(down, "a", { notify: true });
    await work(
      down.storage,
      (current) =>
        obstructDelivery(startDelivery(current, 1, { now: START }), "The relay is down", START),
    );
    const { attention: [attention], relay } = await stats(down);
    assertEquals(relay.problem, "The relay is down");
    assertEquals(attention, {
      code: "delivery_obstructed",
      entryId: "a",
      webhookId: null,
      detail: "The mailing of a does not advance: The relay is down",
    });
  });

  it("tells of no obstacle when a delivery waits for the rate of mails", async () => {
    const service = createService();
    await publish(service, "a", { notify: true });
    const problem = `${describeRate(Date.parse(START), 60 * MINUTE_MS)}`;
    await work(
      service.storage,
      (current) => obstructDelivery(startDelivery(current, 1, { now: START }), problem, START),
    );
    service.advance(65 * MINUTE_MS);
    const { attention, relay, deliveries } = await stats(service);
    assertEquals([attention, relay.problem, deliveries[0].problem], [[], null, problem]);
    service.advance(1_000);
    assertEquals(await codes(service), ["mail_waiting"]);
  });

  it("tells that nothing was mailed for five minutes though mails are due", async () => {
    const service = createService();
    await publish(service, "a", { notify: true });
    service.advance(5 * MINUTE_MS);
    assertEquals((await stats(service)).worker.mailWaitingSeconds, 300);
    assertEquals(await codes(service), []);
    service.advance(1_000);
    assertEquals(await codes(service), ["mail_waiting"]);
  });

  it("tells that a message to a webhook has been due for five minutes", async () => {
    const service = createService();
    await service.call("POST", "webhooks", { url: "https://hooks.example.com/secret" });
    await publish(service, "a", { notify: false });
    service.advance(5 * MINUTE_MS + 1_000);
    assertEquals((await stats(service)).worker.messageWaitingSeconds, 301);
    assertEquals(await codes(service), ["messages_waiting"]);
  });

  it("shows webhooks that fail, but not where they post to", async () => {
    const service = createService();
    const { call, storage } = service;
    const { webhookId } = await call("POST", "webhooks", { url: "https://a.example/s3cret" });
    await call("POST", "webhooks", { url: "https://b.example/" });
    const ref = { kind: WEBHOOKS, key: `${webhookId}` };
    await replaceRecord(storage, ref, (webhook) => ({ ...webhook, failingSince: START }));
    const failing = { enabled: true, failingSince: START, disabledAt: null, problem: null };
    const { webhooks } = await stats(service);
    assertEquals<unknown>(webhooks, [{ webhookId, host: "a.example", ...failing }]);
    assertEquals(await codes(service), []);
    service.advance(60 * MINUTE_MS + 1);
    assertEquals(await codes(service), ["webhook_failing"]);
    const gone = { enabled: false, disabledAt: START, problem: "It answered 410 Gone" };
    await replaceRecord(storage, ref, (webhook) => ({ ...webhook, ...gone }));
    assertEquals(await codes(service), ["webhook_disabled"]);
  });

  it("tells that storage takes no writes", async () => {
    const storage = { ...openMemoryStorage(), ping: () => Promise.reject(new Error("full")) };
    const service = createService({ storage });
    assertEquals((await stats(service)).storage, { writable: false });
    assertEquals(await codes(service), ["storage_unavailable"]);
  });

  it("names posts and deliveries only to those who may read them", async () => {
    const service = createService();
    const { call, send, createKey } = service;
    await call("POST", "boards", { boardId: "secret", name: "Secret" });
    await call("POST", "boards/secret/posts", { postId: "merger", title: "The merger" });
    await call("PUT", "boards/secret/posts/merger/votes", {
      ...{ userEmail: "ann@example.com", vote: true, notify: true },
    });
    await call("PATCH", "boards/secret/posts/merger", { status: "planned", notify: true });
    await publish(service, "a", { notify: true });
    await work(service.storage, (delivery) => holdDelivery(delivery, "The relay says no"));
    const read = async (scopes: readonly Scope[]) => {
      const key = await createKey(["metrics:read", ...scopes]);
      return await (await send("GET", "stats", { key })).text();
    };
    const nothing = await read([]);
    for (const name of ["merger", "secret", `"a"`]) assert(!nothing.includes(name), name);
    const found: Stats = JSON.parse(nothing);
    assertEquals(found.attention.map(({ detail }) => detail), [
      "A mailing is held: The relay says no",
    ]);
    const entries = await read(["entries:read"]);
    assert(entries.includes(`"a"`) && !entries.includes("merger"));
    assert((await read(["entries:read", "posts:read"])).includes("The merger"));
  });

  it("counts the forms that were dropped, until the limit takes more", async () => {
    await using service = await startForms({ rate: 2 });
    const dropped = async () => {
      const { forms, attention } = await stats(service);
      return [forms.dropped, ...attention.map(({ code }) => code)];
    };
    for (const name of ["a", "b"]) {
      await service.mailed(VOTE_PATH, { userEmail: `${name}@example.com` });
    }
    assertEquals(await dropped(), [0]);
    for (const name of ["c", "d", "e"]) {
      await service.submit(VOTE_PATH, { form: { userEmail: `${name}@example.com` } });
    }
    await until(async () => (await dropped())[0] === 3);
    assertEquals(await dropped(), [3, "forms_dropped"]);
    service.advance(3_600_000);
    assertEquals(await dropped(), [0]);
  });
});
