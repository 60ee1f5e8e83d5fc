import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { BounceSummary } from "../services/bounces.ts";
import { sns } from "./_bounces/events_by_json.ts";
import { forEachRow } from "./_rows.ts";
import {
  assertProblem,
  assertRefused,
  createService,
  FORM,
  JSON_TYPE,
  outcomeOf,
  readJson,
  START,
  type TestService,
} from "./_service.ts";

const PUBLIC_URL = "https://example.com/feedback";
const ADDRESS = "changelogs/bounces";
const ANN = "ann@example.com";
const DAY_MS = 86_400_000;

/** Creates a service at which some people are subscribed, and how events are posted to it. */
async function start(...people: readonly string[]) {
  const service = createService({ publicUrl: PUBLIC_URL });
  const { path } = await service.call<{ path: string }>("GET", ADDRESS);
  for (const userEmail of people) await subscribe(service, userEmail);
  let nowMs = Date.parse(START);
  return {
    ...service,
    /** The path to which events are posted. */
    path,
    advance(durationMs: number) {
      nowMs += durationMs;
      service.advance(durationMs);
    },
    /** Posts events as JSON; returns how many were unsubscribed, counted and ignored. */
    async post(...events: readonly unknown[]): Promise<string> {
      const body = JSON.stringify(events.length === 1 ? events[0] : events);
      const sent = { key: null, body, headers: { "content-type": JSON_TYPE } };
      const { read, unsubscribed, counted, ignored } = await readJson<BounceSummary>(
        await service.send("POST", path, sent),
      );
      assertEquals(read, unsubscribed + counted + ignored);
      return `${unsubscribed} ${counted} ${ignored}`;
    },
    /** Returns an event of Postmark that happened some time ago. */
    event(Type: string, { email = ANN, agoMs = 0, id = "" } = {}) {
      const BouncedAt = new Date(nowMs - agoMs).toISOString();
      return { RecordType: "Bounce", Type, Email: email, BouncedAt, Details: id };
    },
    /** Returns whether somebody is subscribed, and by what. */
    async state(userEmail = ANN): Promise<string> {
      const response = await service.send("GET", `changelogs/subscribers/${userEmail}`);
      if (response.status === 404) return "unknown";
      const { subscribed, source } = await response.json();
      return `${subscribed} ${source}`;
    },
  };
}

async function subscribe({ call }: Pick<TestService, "call">, userEmail: string): Promise<void> {
  await call("PUT", "changelogs/subscribe", { userEmail, subscribe: true });
}

describe("an event that is posted", () => {
  it("unsubscribes at once where there is no such mailbox", async () => {
    const { post, event, state } = await start(ANN);
    assertEquals(await post(event("HardBounce")), "1 0 0");
    assertEquals(await state(), "false bounce");
  });

  it("unsubscribes who has complained, and who has unsubscribed at the provider", async () => {
    const { post, event, state } = await start(ANN, "bob@example.com");
    const left = event("Unsubscribe", { email: "bob@example.com" });
    assertEquals(await post(event("SpamComplaint"), left), "2 0 0");
    assertEquals(await state(), "false complaint");
    assertEquals(await state("bob@example.com"), "false link");
  });

  it("unsubscribes with the fifth other failure in a row over at least 7 days", async () => {
    const { post, event, state, advance } = await start(ANN);
    for (let number = 0; number < 4; number++) {
      assertEquals(await post(event("SoftBounce")), "0 1 0");
      advance(2 * DAY_MS);
    }
    assertEquals(await state(), "true api");
    assertEquals(await post(event("SoftBounce")), "1 0 0");
    assertEquals(await state(), "false bounce");
  });

  it("unsubscribes nobody by many failures in less than 7 days, and by the first after them", async () => {
    const { post, event, state, advance } = await start(ANN);
    for (let number = 0; number < 70; number++) {
      assertEquals(await post(event("SoftBounce")), "0 1 0");
      advance(DAY_MS / 11);
    }
    assertEquals(await state(), "true api");
    advance(DAY_MS);
    assertEquals(await post(event("SoftBounce")), "1 0 0");
  });

  it("starts the row again where a mail has arrived", async () => {
    const { post, event, state, advance } = await start(ANN);
    for (let number = 0; number < 8; number++) {
      assertEquals(await post(event("SoftBounce")), "0 1 0");
      advance(2 * DAY_MS);
      if (number !== 3) continue;
      const DeliveredAt = new Date(Date.parse(START) + 7 * DAY_MS).toISOString();
      const delivered = { RecordType: "Delivery", Recipient: ANN, DeliveredAt };
      assertEquals(await post(delivered), "0 0 1");
    }
    assertEquals(await state(), "true api");
  });

  it("comes to the same in whatever order failures and the arrival of a mail are reported", async () => {
    const { post, event, state, advance } = await start(ANN);
    advance(20 * DAY_MS);
    assertEquals(await post(event("SoftBounce", { agoMs: DAY_MS })), "0 1 0");
    const DeliveredAt = new Date(Date.parse(START) + 10 * DAY_MS).toISOString();
    assertEquals(await post({ RecordType: "Delivery", Recipient: ANN, DeliveredAt }), "0 0 1");
    for (const days of [19, 18, 17, 16, 15]) {
      assertEquals(await post(event("SoftBounce", { agoMs: days * DAY_MS })), "0 0 1");
    }
    assertEquals(await state(), "true api");
  });

  it("changes nothing where it comes again", async () => {
    const { post, event, state, advance } = await start(ANN);
    const events = [0, 1, 2, 3].map((days) => event("SoftBounce", { id: `${days}` }));
    assertEquals(await post(...events), "0 4 0");
    advance(8 * DAY_MS);
    for (let number = 0; number < 5; number++) assertEquals(await post(...events), "0 0 4");
    assertEquals(await state(), "true api");
  });

  it("changes nothing where it is older than the subscription", async () => {
    const { post, event, state, advance, call } = await start(ANN);
    const old = [event("HardBounce"), event("SpamComplaint"), event("Unsubscribe")];
    assertEquals(await post(event("HardBounce")), "1 0 0");
    advance(1_500);
    await subscribe({ call }, ANN);
    assertEquals(await post(...old, event("SoftBounce", { agoMs: 1_500 })), "0 0 4");
    assertEquals(await state(), "true api");
  });

  it("counts from the last subscription on", async () => {
    const { post, event, state, advance, call } = await start(ANN);
    assertEquals(
      await post(...["a", "b", "c", "d"].map((id) => event("Blocked", { id }))),
      "0 4 0",
    );
    await call("PUT", "changelogs/subscribe", { userEmail: ANN, subscribe: false });
    advance(8 * DAY_MS);
    await subscribe({ call }, ANN);
    assertEquals(await post(event("Blocked")), "0 1 0");
    assertEquals(await state(), "true api");
  });

  it("counts in the second of the subscription, as few providers are more exact", async () => {
    const { post, event, advance, call } = await start();
    advance(800);
    await subscribe({ call }, ANN);
    assertEquals(await post(event("HardBounce", { agoMs: 800 })), "1 0 0");
  });

  it("forgets failures after half a year without one", async () => {
    const { post, event, state, advance } = await start(ANN);
    for (const id of ["a", "b", "c", "d"]) await post(event("SoftBounce", { id }));
    advance(181 * DAY_MS);
    assertEquals(await post(event("SoftBounce")), "0 1 0");
    assertEquals(await state(), "true api");
  });

  it("counts as now where it has no time, or one to come", async () => {
    const { post, event, state } = await start(ANN);
    const timeless = { ...event("HardBounce"), BouncedAt: "soon" };
    assertEquals(await post(timeless), "1 0 0");
    assertEquals(await state(), "false bounce");
    const other = await start(ANN);
    for (let number = 0; number < 9; number++) {
      const later = other.event("SoftBounce", { agoMs: -number * DAY_MS });
      assertEquals(await other.post(later), "0 1 0");
    }
  });

  it("creates no subscriber, and changes none who is unsubscribed or erased", async () => {
    const { post, event, state, call, send } = await start(ANN, "bob@example.com");
    await call("PUT", "changelogs/subscribe", { userEmail: ANN, subscribe: false });
    await send("DELETE", "changelogs/subscribers/bob@example.com");
    const events = [ANN, "bob@example.com", "eve@example.com"].flatMap((email) =>
      ["HardBounce", "SpamComplaint", "SoftBounce", "AutoResponder"].map((type) =>
        event(type, { email })
      )
    );
    assertEquals(await post(...events), "0 0 12");
    assertEquals(await state(), "false api");
    assertEquals(await state("bob@example.com"), "unknown");
    assertEquals(await state("eve@example.com"), "unknown");
  });

  it("finds the address in any spelling, and breaks at none that can't be one", async () => {
    const { post, event } = await start("ann+x@example.com");
    const hostile = ["", "a@b", "\0@x.example", `${"a".repeat(70_000)}@example.com`, "a@b@c.de"];
    hostile.push("ann@example.com\r\nX: y", "<script>@example.com", "ann@éxample.com\u202e");
    const events = hostile.map((email) => event("HardBounce", { email }));
    assertEquals(await post(...events), `0 0 ${hostile.length}`);
    assertEquals(await post(event("HardBounce", { email: "Ann+X@Example.COM" })), "1 0 0");
  });

  it("is told to webhooks in the same step", async () => {
    const { post, event, call } = await start(ANN);
    const types = "subscriber.unsubscribed";
    const { webhookId } = await call("POST", "webhooks", { url: "https://a.example/", types });
    await post(event("HardBounce"));
    const { data } = await call<{ data: { body: string }[] }>(
      "GET",
      `webhooks/${webhookId}/messages`,
    );
    const [{ type, data: subscriber }] = data.map(({ body }) => JSON.parse(body));
    const { userEmail, source } = subscriber;
    assertEquals([data.length, type, userEmail, source], [1, types, ANN, "bounce"]);
  });
});

describe("POST /bounces/SECRET", () => {
  it("is 404 for any other secret, whatever is posted", async () => {
    const { path, send } = await start();
    const secret = path.slice("/bounces/".length);
    const wrong = [`${secret}x`, secret.slice(1), `x${secret.slice(1)}`, secret.toLowerCase(), "0"];
    await forEachRow(
      [...wrong, encodeURIComponent(`${secret}\u0000`).replace("%00", "%20")],
      async (text) => {
        for (const type of [JSON_TYPE, "image/png"]) {
          const sent = { key: null, body: "{", headers: { "content-type": type } };
          assertEquals(
            await outcomeOf(await send("POST", `/bounces/${text}`, sent)),
            "404 not_found",
          );
        }
      },
    );
  });

  it("is 404 for the secret that was replaced", async () => {
    const { path, call, send } = await start();
    const rotated = await call<{ path: string }>("POST", `${ADDRESS}/rotate`);
    assertNotEquals(rotated.path, path);
    const sent = { key: null, body: "[]", headers: { "content-type": JSON_TYPE } };
    assertEquals(await outcomeOf(await send("POST", path, sent)), "404 not_found");
    assertEquals(await outcomeOf(await send("POST", rotated.path, sent)), "200");
  });

  it("is 422 and says what was looked for, also in the log, but nothing of the content", async () => {
    const { path, send, events } = await start();
    const body = `{"type":"new","who":"${ANN}"}`;
    const sent = { key: null, body, headers: { "content-type": JSON_TYPE } };
    const problem = await assertRefused(await send("POST", path, sent), { body: "invalid_value" });
    assertMatch(problem.detail, /RecordType \(Postmark\)/);
    const { level, warning, route } = events.at(-1)!;
    assertEquals([level, route], ["warn", "/bounces/:secret"]);
    assertMatch(`${warning}`, /RecordType \(Postmark\)/);
    const logged = JSON.stringify(events);
    assert(!logged.includes(ANN) && !logged.includes(path.slice("/bounces/".length)));
  });

  it("reads up to 1 MiB, and no other types", async () => {
    const { path, send } = await start();
    const mail = `Auto-Submitted: auto-replied\n\n${"x".repeat(1_048_576)}`;
    const post = async (body: BodyInit, type: string) =>
      await outcomeOf(
        await send("POST", path, { key: null, body, headers: { "content-type": type } }),
      );
    assertEquals(await post(mail.slice(0, 1_048_576), "message/rfc822"), "200");
    assertEquals(await post(mail.slice(0, 1_048_577), "message/rfc822"), "413 body_too_large");
    const stream = ReadableStream.from([new TextEncoder().encode(mail)]);
    assertEquals(await post(stream, "message/rfc822"), "413 body_too_large");
    assertEquals(await post("x", "multipart/form-data; boundary=x"), "415 unsupported_media_type");
    assertEquals(await post("{}", FORM), "422 body:invalid_value");
  });

  it("asks nobody but Amazon SNS to confirm a subscription", async () => {
    const { path, send, events } = await start();
    const urls = [
      "http://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription",
      "https://sns.eu-central-1.amazonaws.com.evil.example/?Action=ConfirmSubscription",
      "https://evil.example/?https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription",
      "https://sns.eu-central-1.amazonaws.com:8443/?Action=ConfirmSubscription",
      "https://x@sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription",
      "https://sns.eu-central-1.amazonaws.com/?Action=Publish",
      "https://sns.a/b-1.amazonaws.com/?Action=ConfirmSubscription",
      "https://127.0.0.1/?Action=ConfirmSubscription",
      "",
    ];
    await forEachRow(urls, async (SubscribeURL) => {
      const message = { ...sns("Confirm"), Type: "SubscriptionConfirmation", SubscribeURL };
      const body = JSON.stringify(message);
      const sent = { key: null, body, headers: { "content-type": "text/plain" } };
      assertEquals(await readJson(await send("POST", path, sent)), {
        ...{ read: 0, unsubscribed: 0, counted: 0, ignored: 0 },
      });
      assertMatch(`${events.at(-1)?.warning}`, /not confirmed: its URL is none of Amazon SNS$/);
    });
  });
});

describe("GET /changelogs/bounces", () => {
  it("shows the secret URL below the public one, the same each time", async () => {
    const { call } = await start();
    const shown = await call<{ url: string; path: string }>("GET", ADDRESS);
    assertMatch(shown.path, /^\/bounces\/[0-9A-Za-z]{32}$/);
    assertEquals(shown.url, `${PUBLIC_URL}${shown.path}`);
    assertEquals(await call("GET", ADDRESS), shown);
  });

  it("shows the path alone where there is no public URL", async () => {
    const { call } = createService();
    assertEquals((await call("GET", ADDRESS)).url, null);
  });

  it("needs the scope webhooks:write, as does its rotation", async () => {
    const { send, createKey } = createService();
    const key = await createKey(["subscriptions:write", "subscriptions:read"]);
    await assertProblem(await send("GET", ADDRESS, { key }), 403, "insufficient_scope");
    const response = await send("POST", `${ADDRESS}/rotate`, { key });
    await assertProblem(response, 403, "insufficient_scope");
  });
});
