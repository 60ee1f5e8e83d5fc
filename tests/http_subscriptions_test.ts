import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { SUBSCRIPTIONS } from "../mod.ts";
import { SUBSCRIBE_PATH, SUBSCRIBERS_PATH } from "./_calls.ts";
import { forEachRow } from "./_rows.ts";
import { assertProblem, assertRefused, createService, readJson, START } from "./_service.ts";
import type { TestService } from "./_service.ts";

const ANN = "ann@example.com";
const LATER = "2026-11-21T10:00:01.000Z";

function subscribe({ send }: TestService, form: Record<string, string> = {}): Promise<Response> {
  return send("PUT", SUBSCRIBE_PATH, { form: { userEmail: ANN, subscribe: "true", ...form } });
}

async function stored({ send }: TestService, address = ANN): Promise<Record<string, unknown>> {
  const path = `${SUBSCRIBERS_PATH}/${encodeURIComponent(address)}`;
  return await readJson(await send("GET", path));
}

describe("subscribing", () => {
  it("answers the state after each call, and updatedAt moves only with a change", async () => {
    const service = createService();
    let seconds = 0;
    let updatedAt = START;
    // Each call follows the ones before it, one second later.
    await forEachRow([
      ["creates", {}, true, null, true],
      ["repeats", {}, true, null, false],
      ["names", { userName: "Ann" }, true, "Ann", true],
      ["keeps the name", {}, true, "Ann", false],
      ["keeps it by an empty one", { userName: " " }, true, "Ann", false],
      ["repeats the name", { userName: " Ann " }, true, "Ann", false],
      ["unsubscribes", { subscribe: "false" }, false, "Ann", true],
      ["unsubscribes again", { subscribe: "false" }, false, "Ann", false],
      ["renames", { subscribe: "false", userName: "A" }, false, "A", true],
      ["subscribes again", {}, true, "A", true],
    ], async ([, form, subscribed, userName, changed]) => {
      const answer = await readJson(await subscribe(service, form));
      if (changed) updatedAt = START.replace("00.000", `0${seconds}.000`);
      const record = { userEmail: ANN, userName, subscribed, createdAt: START, updatedAt };
      assertEquals(answer, { ...record, changed });
      assertEquals(await stored(service), { ...record, source: "api" });
      service.advance(1_000);
      seconds++;
    });
  });

  it("records an address that was never seen as unsubscribed, with the same shape", async () => {
    const service = createService();
    const answer = await readJson(await subscribe(service, { subscribe: "false" }));
    const record = { userEmail: ANN, userName: null, subscribed: false };
    const times = { createdAt: START, updatedAt: START };
    assertEquals(answer, { ...record, changed: true, ...times });
    assertEquals(await stored(service), { ...record, source: "api", ...times });
  });

  it("has the time at which its body was there, not its head", async () => {
    const service = createService();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const slow = service.send("PUT", SUBSCRIBE_PATH, { body: readable, headers });
    service.advance(1_000);
    await subscribe(service);
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode(`userEmail=${ANN}&subscribe=false`));
    await writer.close();
    const { createdAt, updatedAt, changed } = await readJson(await slow);
    assertEquals([createdAt, updatedAt, changed], [LATER, LATER, true]);
  });

  it("takes true and false, in any case in a form, and nothing else", async () => {
    const service = createService();
    await forEachRow(["true", "True", "TRUE", "tRuE", "false", "False", "FALSE"], async (text) => {
      const { subscribed } = await readJson(await subscribe(service, { subscribe: text }));
      assertEquals(`${subscribed}`, text.toLowerCase());
    });
    const others = ["1", "0", "yes", "no", "on", "", " true", "true ", "t", "null", "ｔrue"];
    await forEachRow(others, async (text) => {
      const response = await subscribe(service, { subscribe: text });
      await assertRefused(response, { subscribe: "invalid_value" });
    });
    await forEachRow([true, false], async (value) => {
      const json = { userEmail: ANN, subscribe: value, userName: null };
      const { subscribed } = await readJson(await service.send("PUT", SUBSCRIBE_PATH, { json }));
      assertEquals(subscribed, value);
    });
    await forEachRow(["true", "", 1, 0, [], {}, [true]], async (value) => {
      const json = { userEmail: ANN, subscribe: value };
      const response = await service.send("PUT", SUBSCRIBE_PATH, { json });
      await assertRefused(response, { subscribe: "invalid_value" });
    });
  });

  it("is 422, naming every bad field and storing nothing, where a value is bad", async () => {
    const service = createService();
    await forEachRow([
      [{}, { userEmail: "required", subscribe: "required" }],
      [{ userEmail: null, subscribe: null }, { userEmail: "required", subscribe: "required" }],
      [{ userEmail: [ANN], subscribe: true }, { userEmail: "invalid_type" }],
      [{ userEmail: "änn@example.com", subscribe: true }, { userEmail: "unsupported_characters" }],
      [{ userEmail: ANN, subscribe: true, userName: "𝒳".repeat(201) }, { userName: "too_long" }],
      [{ userEmail: "ann", subscribe: "yes", userName: "a\u0007b" }, {
        userEmail: "invalid_email",
        subscribe: "invalid_value",
        userName: "unsupported_characters",
      }],
    ], async ([json, errors]) => {
      await assertRefused(await service.send("PUT", SUBSCRIBE_PATH, { json }), errors);
    });
    assertEquals(await service.storage.list(SUBSCRIPTIONS, { limit: 1 }), []);
  });

  it("hints at %2B where a plus sign seems to be lost", async () => {
    const service = createService();
    const lost = await subscribe(service, { userEmail: "ann news@example.com" });
    const { detail } = await assertRefused(lost, { userEmail: "invalid_email" });
    assertStringIncludes(detail, "%2B");
  });

  it("is 200 only when storage has taken the change", async () => {
    const service = createService();
    await service.storage.close();
    const response = await subscribe(service);
    assertEquals(response.headers.get("retry-after"), "1");
    await assertProblem(response, 503, "storage_unavailable");
  });

  it("ends in the state of one of the calls that are made at the same time", async () => {
    const service = createService();
    const answers = await Promise.all(Array.from({ length: 20 }, async (_, i) => {
      const form = { userName: `Ann ${i}`, subscribe: `${i % 2 === 0}` };
      const { subscribed, userName } = await readJson(await subscribe(service, form));
      return `${subscribed} ${userName}`;
    }));
    const { subscribed, userName } = await stored(service);
    assertEquals(answers.includes(`${subscribed} ${userName}`), true);
    assertEquals((await service.storage.list(SUBSCRIPTIONS, { limit: 9 })).length, 1);
  });
});

describe("a subscriber", () => {
  it("is shown and found by the normal form of the address, however it is written", async () => {
    await forEachRow([
      ["ANN@EXAMPLE.COM", ANN],
      ["Ann+News@Example.com", "ann+news@example.com"],
      ["a.n.n@example.com", "a.n.n@example.com"],
      ["ann@BÜCHER.example", "ann@xn--bcher-kva.example"],
      ["ann@XN--BCHER-KVA.example", "ann@xn--bcher-kva.example"],
    ], async ([given, normal]) => {
      const service = createService();
      const { userEmail } = await readJson(await subscribe(service, { userEmail: given }));
      assertEquals(userEmail, normal);
      for (const address of [given, normal]) {
        assertEquals((await stored(service, address)).userEmail, normal);
      }
      const again = await readJson(await subscribe(service, { userEmail: normal }));
      assertEquals(again.changed, false);
    });
  });

  it("is 404 subscriber_not_found when there is none", async () => {
    const { send } = createService();
    const addresses = ["none@example.com", "no-address", "änn@example.com", "%20"];
    await forEachRow(addresses, async (address) => {
      for (const method of ["GET", "DELETE"]) {
        const response = await send(method, `${SUBSCRIBERS_PATH}/${address}`);
        await assertProblem(response, 404, "subscriber_not_found");
      }
    });
  });

  it("is forgotten with the opt-out when it is erased", async () => {
    const service = createService();
    await subscribe(service, { userName: "Ann", subscribe: "false" });
    service.advance(1_000);
    const erased = await service.send("DELETE", `${SUBSCRIBERS_PATH}/Ann%40example.com`);
    assertEquals([erased.status, await erased.text()], [204, ""]);
    for (const method of ["GET", "DELETE"]) {
      const response = await service.send(method, `${SUBSCRIBERS_PATH}/${ANN}`);
      await assertProblem(response, 404, "subscriber_not_found");
    }
    const { userName, createdAt, changed } = await readJson(await subscribe(service));
    assertEquals([userName, createdAt, changed], [null, LATER, true]);
  });
});
