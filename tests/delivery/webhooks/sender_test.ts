import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { chatTextFor } from "../../../model/webhooks/chat_message.ts";
import { createPost } from "../../../services/posts/create.ts";
import { addReport } from "../../../services/posts/reports.ts";
import type { ShownMessage } from "../../../model/webhooks/webhook_message.ts";
import type { WebhookOutcome } from "../../../model/webhooks/webhook_retry.ts";
import { readJson, START } from "../../_support/service.ts";
import { until } from "../../_support/waiting.ts";
import {
  createWebhookService,
  isSignedWith,
  subscribe,
  WEBHOOKS,
} from "../../_support/webhooks.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const ANN = "ann@example.com";
const NEVER = new Promise<WebhookOutcome>(() => {});

async function subscribeMany(
  service: ReturnType<typeof createWebhookService>,
  count: number,
): Promise<void> {
  for (let i = 0; i < count; i++) await subscribe(service, `user${i}@example.com`);
}

describe("the sender of webhooks", () => {
  it("signs what it sends, with two secrets for a day after a rotation", async () => {
    const service = createWebhookService();
    const { webhookId, secret: old } = await service.create();
    const path = `${WEBHOOKS}/${webhookId}`;
    const send = async () => {
      await service.send("POST", `${path}/test`);
      return (await service.deliver())[0];
    };
    const first = await send();
    const { "content-type": type, "user-agent": agent } = first.headers;
    assertEquals([type, agent], ["application/json", "boardcast"]);
    assertEquals([first.message.type, isSignedWith(old, first)], ["test", true]);
    const rotated = await service.send("POST", `${path}/rotate`);
    const { secret } = await readJson<{ secret: string }>(rotated);
    service.advance(DAY_MS - 1);
    const second = await send();
    assertEquals([isSignedWith(old, second), isSignedWith(secret, second)], [true, true]);
    service.advance(1);
    const third = await send();
    assertEquals([isSignedWith(old, third), isSignedWith(secret, third)], [false, true]);
  });

  it("tells a chat the title with its link and how the entry begins, and calls nobody", async () => {
    const service = createWebhookService();
    const { webhookId } = await service.create({ format: "slack" });
    const title = "Dark <!channel> & more";
    await service.call("POST", "changelogs/entries", {
      entryId: "dark",
      title,
      body: "Press **D**.",
    });
    await service.call("POST", "changelogs/entries/dark/publish", { notify: false });
    const [{ text }] = await service.deliver();
    const url = "https://example.com/changelog/dark";
    assertEquals(JSON.parse(text), {
      text: `*<${url}|Dark &lt;!channel&gt; &amp; more>*\nPress D.`,
    });
    // The messages show the bodies that were sent.
    const { data } = await service.call<{ data: { body: string }[] }>(
      "GET",
      `webhooks/${webhookId}/messages`,
    );
    assertEquals(data[0].body, text);
  });

  it("tells a chat what happened to an idea, with a link to its page or to the studio", async () => {
    const service = createWebhookService();
    const { storage, call } = service;
    const types = ["post.created", "post.updated", "post.merged", "post.deleted", "post.held"];
    await service.create({ format: "slack", types: `${types.join(" ")} post.reported` });
    const texts = async () =>
      (await service.deliver()).map(({ text }) => JSON.parse(text).text as string);
    const at = START;
    const path = "boards/ideas/posts";
    await call("POST", "boards", { boardId: "ideas", name: "Ideas", visibility: "public" });
    await call("POST", "boards", { boardId: "team", name: "Team" });
    await call("POST", path, { postId: "night", title: "Night" });
    await texts();
    await call("POST", path, { postId: "dark", title: "Dark & more" });
    const dark = "<https://example.com/boards/ideas/dark|Dark &amp; more>";
    assertEquals(await texts(), [`New idea: *${dark}*`]);
    await call("POST", "boards/team/posts", { postId: "own", title: "Own" });
    assertEquals(await texts(), ["New idea: *<https://example.com/studio#/ideas/team/own|Own>*"]);
    await call("PATCH", `${path}/dark`, { status: "planned" });
    assertEquals(await texts(), [`Planned: *${dark}*`]);
    service.advance(1);
    await call("PATCH", `${path}/dark`, { answer: "Soon." });
    assertEquals(await texts(), [`Answered: *${dark}*`]);
    service.advance(1);
    await call("PATCH", `${path}/dark`, { body: "White hurts." });
    assertEquals(await texts(), [`Changed: *${dark}*`]);
    await addReport(storage, { boardId: "ideas", postId: "dark", reason: "Rude", at });
    assertEquals(await texts(), [`Reported (1): *${dark}*`]);
    await call("POST", `${path}/dark/merge`, { into: "night" });
    const night = "<https://example.com/boards/ideas/night|Night>";
    assertEquals(await texts(), [`*${dark}*\nMerged into: *${night}*`]);
    await call("PATCH", `${path}/night`, { state: "hidden" });
    assertEquals(await texts(), [
      "Hidden: *<https://example.com/studio#/ideas/ideas/night|Night>*",
    ]);
    await service.send("DELETE", `boards/team/posts/own`);
    assertEquals(await texts(), ["Deleted: *<https://example.com/studio#/ideas|Own>*"]);
    await createPost(storage, {
      ...{ boardId: "ideas", postId: "wait", title: "Secret", body: null, source: "form" },
      ...{ keyId: null, at, author: { userEmail: ANN, userName: null, notify: false } },
    });
    const place = "https://example.com/studio#/ideas/ideas/wait";
    assertEquals(await texts(), [`<${place}|An idea waits for approval>`]);
  });

  it("gives others their turn while it reads an entry for each of many chats", async () => {
    const body = JSON.stringify({ data: { entryId: "a", title: "A", body: "*a* ".repeat(8_192) } });
    const message = { type: "entry.published", body } as const;
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await Promise.all(Array.from({ length: 10 }, () => chatTextFor(message, {})));
    clearInterval(timer);
    assert(turns > 5, `${turns} turns`);
  });

  it("counts its attempts by their outcome", async () => {
    const outcomes = [{ status: 204 }, { status: 500 }, { problem: "no answer" }];
    const service = createWebhookService(() => outcomes.shift()!);
    const { webhookId } = await service.create();
    while (outcomes.length > 0) {
      await service.send("POST", `${WEBHOOKS}/${webhookId}/test`);
      await service.deliver();
    }
    const metrics = await (await service.send("GET", "/metrics")).text();
    for (const outcome of ["delivered", "refused", "error"]) {
      assertStringIncludes(metrics, `boardcast_webhook_attempts_total{outcome="${outcome}"} 1\n`);
    }
  });

  it("delivers everything in the end, with the same ids, when an endpoint is down", async () => {
    let isDown = true;
    const service = createWebhookService(() => isDown ? { problem: "down" } : { status: 200 });
    const { webhookId, secret } = await service.create();
    await subscribeMany(service, 50);
    const delivered = new Map<string, string>();
    for (let minute = 0; minute < 240; minute += 5) {
      isDown = minute < 60;
      for (const post of await service.deliver()) {
        assert(isSignedWith(secret, post));
        if (!isDown) delivered.set(post.headers["webhook-id"], post.text);
      }
      if (isDown) assertEquals((await service.webhook(webhookId)).failingSince, START);
      service.advance(5 * MINUTE_MS);
    }
    assertEquals([delivered.size, new Set(delivered.values()).size], [50, 50]);
    assertEquals(new Set(service.posts.map(({ headers }) => headers["webhook-id"])).size, 50);
    const [message] = await service.messages(webhookId);
    assertEquals([message.state, message.lastAttempts.at(-1)?.status], ["delivered", 200]);
    assertEquals([message.lastAttempts.at(-1)?.error, message.nextAttemptAt], [null, null]);
    assert(message.attempts > 1);
    assertEquals((await service.webhook(webhookId)).failingSince, null);
  });

  it("holds up nobody for an endpoint that never answers", async () => {
    const service = createWebhookService(({ url }) => {
      return url.endsWith("silent") ? NEVER : { status: 200 };
    });
    await service.create({ url: "https://example.com/silent" });
    const quick = await service.create({ url: "https://example.com/quick" });
    await subscribeMany(service, 120);
    service.channel.run(service.lease);
    const count = (end: string) => service.posts.filter(({ url }) => url.endsWith(end)).length;
    await until(() => count("quick") === 120);
    assertEquals(count("silent"), 2);
    await until(async () =>
      (await service.messages(quick.webhookId)).every(({ state }) => state === "delivered")
    );
  });

  it("reaches the one endpoint that answers while 19 others hang", async () => {
    const ends: (() => void)[] = [];
    const posts: string[] = [];
    const service = createWebhookService(async ({ url }) => {
      posts.push(url);
      if (!url.endsWith("/good")) await new Promise<void>((resolve) => ends.push(resolve));
      return { status: 200 };
    });
    for (let i = 0; i < 20; i++) {
      const path = i === 19 ? "good" : `silent${i}`;
      await service.call("POST", "webhooks", { url: `https://hooks.example.com/${path}` });
    }
    await subscribeMany(service, 5);
    const run = service.channel.run(service.lease);
    await until(() => posts.filter((url) => url.endsWith("/good")).length === 5);
    // Each silent endpoint got exactly two attempts.
    await until(() => ends.length === 38);
    for (let ended = 0; ended < 19 * 5; ended++) {
      await until(() => ends.length > ended);
      ends[ended]();
    }
    await run;
    assertEquals(posts.length, 20 * 5);
  });

  it("disables a webhook that is gone", async () => {
    const service = createWebhookService(() => ({ status: 410 }));
    const { webhookId } = await service.create();
    await subscribe(service, ANN);
    await service.deliver();
    const gone = await service.webhook(webhookId);
    assertEquals([gone.enabled, gone.failingSince], [false, START]);
    const [{ state, lastAttempts }] = await service.messages(webhookId);
    const lastStatus = lastAttempts.at(-1)?.status;
    assertEquals([state, lastStatus], ["failed", 410]);
    const enabled = await service.call("PATCH", `webhooks/${webhookId}`, { enabled: true });
    assertEquals(enabled.failingSince, null);
  });

  it("sends a message again when asked to, with the same id", async () => {
    const service = createWebhookService();
    const { webhookId } = await service.create();
    await subscribe(service, ANN);
    const [first] = await service.deliver();
    const id = first.headers["webhook-id"];
    const retry = await service.send("POST", `${WEBHOOKS}/${webhookId}/messages/${id}/retry`);
    assertEquals((await readJson<ShownMessage>(retry)).state, "waiting");
    const [second] = await service.deliver();
    assertEquals([second.headers["webhook-id"], second.text], [id, first.text]);
    const [{ state, attempts }] = await service.messages(webhookId);
    assertEquals([state, attempts], ["delivered", 2]);
  });

  it("forgets messages after 7 days", async () => {
    const service = createWebhookService();
    const on = await service.create();
    const off = await service.create();
    await subscribeMany(service, 110);
    await service.send("PATCH", `${WEBHOOKS}/${off.webhookId}`, { json: { enabled: false } });
    await service.deliver();
    service.advance(7 * DAY_MS - 1);
    await service.deliver();
    assertEquals((await service.messages(on.webhookId)).length, 100);
    service.advance(2 * HOUR_MS);
    await service.deliver();
    for (const { webhookId } of [on, off]) assertEquals(await service.messages(webhookId), []);
  });

  it("tries again what a clock that was ahead has planned, and sees how long it has failed", async () => {
    let status = 500;
    const service = createWebhookService(() => ({ status }));
    const { webhookId } = await service.create();
    service.advance(300 * DAY_MS);
    await subscribe(service, ANN);
    await service.deliver();
    service.advance(-300 * DAY_MS);
    assertEquals((await service.deliver()).length, 1);
    status = 200;
    service.advance(6 * MINUTE_MS);
    assertEquals((await service.deliver()).length, 1);
    const [{ state, attempts }] = await service.messages(webhookId);
    assertEquals([state, attempts], ["delivered", 3]);
  });

  it("takes being stopped for no failure of the endpoint", async () => {
    const ended = Promise.withResolvers<WebhookOutcome>();
    const service = createWebhookService(() => ended.promise);
    const { webhookId } = await service.create();
    await subscribe(service, ANN);
    const run = service.channel.run(service.lease);
    await until(() => service.posts.length === 1);
    service.stop();
    ended.resolve({ problem: "the sender has stopped" });
    await run;
    const [{ state, attempts }] = await service.messages(webhookId);
    assertEquals([state, attempts], ["waiting", 0]);
  });
});
