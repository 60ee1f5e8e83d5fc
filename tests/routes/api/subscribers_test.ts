import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { SUBSCRIPTIONS } from "../../../mod.ts";
import { forEachRow } from "../../_support/rows.ts";
import {
  assertOutcomes,
  assertRefused,
  createService,
  outcomeOf,
  readJson,
} from "../../_support/service.ts";
import { START, type TestService } from "../../_support/service.ts";

const ANN = "ann@example.com";
const LATER = "2026-11-21T10:00:01.000Z";
const SUBSCRIBE = "changelogs/subscribe";

function subscribe({ send }: TestService, form: Record<string, string> = {}): Promise<Response> {
  return send("PUT", SUBSCRIBE, { form: { userEmail: ANN, subscribe: "true", ...form } });
}

function stored({ call }: TestService, address = ANN): Promise<Record<string, unknown>> {
  return call("GET", `changelogs/subscribers/${address}`);
}

describe("subscribing", () => {
  it("are found by words in address or name, in any case, page by page", async () => {
    const { call, send } = createService();
    const people = [["ann@example.com", "Jürgen Groß"], ["bob@example.com", "Ann"], [
      "cy@x.test",
      null,
    ]];
    for (const [userEmail, userName] of people) {
      await call("PUT", "changelogs/subscribe", {
        userEmail,
        subscribe: true,
        ...userName !== null && { userName },
      });
    }
    const find = async (q: string) => {
      const query = `changelogs/subscribers?limit=100&q=${encodeURIComponent(q)}`;
      const { data } = await call<{ data: { userEmail: string }[] }>("GET", query);
      return data.map(({ userEmail }) => userEmail);
    };
    assertEquals(await find("ANN"), ["ann@example.com", "bob@example.com"]);
    assertEquals(await find("groß jü"), ["ann@example.com"]);
    assertEquals(await find("gross"), ["ann@example.com"]);
    assertEquals(await find("ju\u0308rgen"), ["ann@example.com"]);
    assertEquals(await find("jurgen"), ["ann@example.com"]);
    assertEquals(await find("ann cy"), []);
    const tooLong = await send("GET", `changelogs/subscribers?q=${"a".repeat(300)}`);
    assertEquals((await tooLong.json()).errors[0].field, "q");
  });

  it("answers the state after each call, and updatedAt moves only with a change", async () => {
    const service = createService();
    let seconds = 0;
    let updatedAt = START;
    // Each call is made one second after the previous one.
    await forEachRow([
      ["unsubscribes who was never seen", { subscribe: "false" }, false, null, true],
      ["subscribes", {}, true, null, true],
      ["repeats", {}, true, null, false],
      ["names", { userName: "Ann" }, true, "Ann", true],
      ["keeps the name", {}, true, "Ann", false],
      ["keeps it by an empty one", { userName: " " }, true, "Ann", false],
      ["unsubscribes", { subscribe: "false" }, false, "Ann", true],
      ["renames", { subscribe: "false", userName: "A" }, false, "A", true],
    ], async ([, form, subscribed, userName, changed]) => {
      const answer = await readJson(await subscribe(service, form));
      if (changed) updatedAt = START.replace("00.000", `0${seconds}.000`);
      const choices = { labels: null, pace: "each" };
      const record = { userEmail: ANN, userName, subscribed, createdAt: START, updatedAt };
      assertEquals(answer, { ...record, changed });
      const { history: _, ...shown } = await stored(service);
      assertEquals(shown, { ...record, ...choices, source: "api" });
      service.advance(1_000);
      seconds++;
    });
  });

  it("takes true and false, in any case in a form, and nothing else", async () => {
    const { send } = createService();
    const json = (subscribe: unknown) => ({ json: { userEmail: ANN, subscribe } });
    const form = (subscribe: string) => ({ form: { userEmail: ANN, subscribe } });
    const sents = [json(true), json(false), form("True"), form("FALSE"), form("tRuE")];
    await forEachRow(sents, async (sent) => {
      const { subscribe } = "json" in sent ? sent.json : sent.form;
      const { subscribed } = await readJson(await send("PUT", SUBSCRIBE, sent));
      assertEquals(`${subscribed}`, `${subscribe}`.toLowerCase());
    });
    const texts = ["1", "yes", "", " true", "null", "ｔrue"].map(form);
    await forEachRow([...texts, ...["true", 1, []].map(json)], async (sent) => {
      const outcome = await outcomeOf(await send("PUT", SUBSCRIBE, sent));
      assertEquals(outcome, "422 subscribe:invalid_value");
    });
  });

  it("is 422, naming every bad field and storing nothing, where a value is bad", async () => {
    const service = createService();
    const json = { userEmail: ANN, subscribe: true };
    await forEachRow([
      [{}, { userEmail: "required", subscribe: "required" }],
      [{ ...json, userEmail: [ANN] }, { userEmail: "invalid_type" }],
      [{ ...json, userEmail: "änn@example.com" }, { userEmail: "unsupported_characters" }],
      [{ ...json, userName: "𝒳".repeat(201) }, { userName: "too_long" }],
      [{ userEmail: "ann", subscribe: "yes", userName: "a\u0007b" }, {
        userEmail: "invalid_email",
        subscribe: "invalid_value",
        userName: "unsupported_characters",
      }],
    ], async ([json, errors]) => {
      await assertRefused(await service.send("PUT", SUBSCRIBE, { json }), errors);
    });
    assertEquals(await service.storage.list(SUBSCRIPTIONS, { limit: 1 }), []);
  });

  it("ends in the state of one of the calls that are made at the same time", async () => {
    const service = createService();
    const answers = await Promise.all(Array.from({ length: 20 }, async (_, i) => {
      const form = { userName: `Ann ${i}`, subscribe: `${i % 2 === 0}` };
      const { subscribed, userName } = await readJson(await subscribe(service, form));
      return `${subscribed} ${userName}`;
    }));
    const { subscribed, userName } = await stored(service);
    assert(answers.includes(`${subscribed} ${userName}`));
  });
});

describe("a subscriber", () => {
  it("is shown and found by the normal form of the address, however it is written", async () => {
    await forEachRow([
      ["ANN@EXAMPLE.COM", ANN],
      ["Ann+News@Example.com", "ann+news@example.com"],
      ["a.n.n@example.com", "a.n.n@example.com"],
      ["ann@BÜCHER.example", "ann@xn--bcher-kva.example"],
    ], async ([given, normal]) => {
      const service = createService();
      const { userEmail } = await readJson(await subscribe(service, { userEmail: given }));
      assertEquals([userEmail, (await stored(service, given)).userEmail], [normal, normal]);
      const again = await readJson(await subscribe(service, { userEmail: normal }));
      assertEquals(again.changed, false);
    });
  });

  it("is 404 subscriber_not_found when there is none", async () => {
    const calls = ["none@example.com", "no-address", "änn@example.com"].flatMap((address) =>
      ["GET", "DELETE"].map((method) =>
        [method, `changelogs/subscribers/${address}`, {}, "404 subscriber_not_found"] as const
      )
    );
    await assertOutcomes(createService(), calls);
  });

  it("is renamed without a word about whether they are subscribed", async () => {
    const service = createService();
    await subscribe(service, { userName: "Ann", subscribe: "false" });
    const path = `changelogs/subscribers/${ANN}`;
    const renamed = await service.call("PATCH", path, { userName: " Anna " });
    assertEquals([renamed.userName, renamed.subscribed], ["Anna", false]);
    assertEquals(await stored(service), renamed);
    assertEquals((renamed.history as readonly unknown[]).length, 1);
    assertEquals((await service.call("PATCH", path, { userName: null })).userName, null);
    const none = await service.send("PATCH", "changelogs/subscribers/none@example.com", {
      json: { userName: "None" },
    });
    assertEquals(none.status, 404);
    const more = await service.send("PATCH", path, { json: { subscribed: true } });
    await assertRefused(more, { subscribed: "unknown_field" });
  });

  it("is forgotten with the opt-out when it is erased", async () => {
    const service = createService();
    await subscribe(service, { userName: "Ann", subscribe: "false" });
    service.advance(1_000);
    await assertOutcomes(service, [
      ["DELETE", "changelogs/subscribers/Ann%40example.com", {}, "204"],
      ["GET", `changelogs/subscribers/${ANN}`, {}, "404 subscriber_not_found"],
    ]);
    const { userName, createdAt, changed } = await readJson(await subscribe(service));
    assertEquals([userName, createdAt, changed], [null, LATER, true]);
  });
});
