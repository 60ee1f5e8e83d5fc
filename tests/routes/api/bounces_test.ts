import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { sns } from "../../_support/bounces/events.ts";
import { ADDRESS, ANN, PUBLIC_URL, startBouncing } from "../../_support/bounces/service.ts";
import { forEachRow } from "../../_support/rows.ts";
import {
  assertRefused,
  createService,
  FORM,
  JSON_TYPE,
  outcomeOf,
  readJson,
} from "../../_support/service.ts";

describe("POST /bounces/SECRET", () => {
  it("is 404 for any other secret, whatever is posted", async () => {
    const { path, send } = await startBouncing();
    const secret = path.slice("/bounces/".length);
    const wrong = [`${secret}x`, secret.slice(1), `-${secret.slice(1)}`, secret.toLowerCase(), "0"];
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
    const { path, call, send } = await startBouncing();
    const rotated = await call<{ path: string }>("POST", `${ADDRESS}/rotate`);
    assertNotEquals(rotated.path, path);
    const sent = { key: null, body: "[]", headers: { "content-type": JSON_TYPE } };
    assertEquals(await outcomeOf(await send("POST", path, sent)), "404 not_found");
    assertEquals(await outcomeOf(await send("POST", rotated.path, sent)), "200");
  });

  it("is 422 and says what was looked for, also in the log, but nothing of the content", async () => {
    const { path, send, events } = await startBouncing();
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
    const { path, send } = await startBouncing();
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
    const { path, send, events } = await startBouncing();
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
    const { call } = await startBouncing();
    const shown = await call<{ url: string; path: string }>("GET", ADDRESS);
    assertMatch(shown.path, /^\/bounces\/[0-9A-Za-z]{32}$/);
    assertEquals(shown.url, `${PUBLIC_URL}${shown.path}`);
    assertEquals(await call("GET", ADDRESS), shown);
  });

  it("shows the path alone where there is no public URL", async () => {
    const { call } = createService();
    assertEquals((await call("GET", ADDRESS)).url, null);
  });
});
