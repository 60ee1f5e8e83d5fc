import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  assertProblem,
  assertRefused,
  createService,
  readJson,
  START,
  type TestService,
} from "./_service.ts";

const SUBSCRIBE = "/api/v1/changelogs/subscribe";
const SUBSCRIBERS = "/api/v1/changelogs/subscribers";
const ANN = "ann@example.com";
const LATER = "2026-11-21T10:00:01.000Z";

function put(service: TestService, form: Record<string, string>) {
  return service.send("PUT", SUBSCRIBE, { form: { userEmail: ANN, subscribe: "true", ...form } });
}

describe("subscribing", () => {
  it("a new address is subscribed, with all members in the answer", async () => {
    const response = await put(createService(), { userName: "Ann" });
    assertEquals(response.headers.get("cache-control"), "no-store");
    assertEquals(await readJson(response), {
      userEmail: ANN,
      userName: "Ann",
      subscribed: true,
      changed: true,
      createdAt: START,
      updatedAt: START,
    });
  });

  it("a new address is recorded as unsubscribed, with the same shape", async () => {
    const service = createService();
    const answer = await readJson(await put(service, { subscribe: "false" }));
    const { changed: _, ...stored } = answer;
    assertEquals([answer.subscribed, answer.userName, Object.keys(answer).length], [
      false,
      null,
      6,
    ]);
    assertEquals(await readJson(await service.send("GET", `${SUBSCRIBERS}/${ANN}`)), stored);
  });

  it("a change has the time at which its body was there, not its head", async () => {
    const service = createService();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const slow = service.send("PUT", SUBSCRIBE, { body: readable, headers });
    service.advance(1_000);
    await put(service, {});
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode(`userEmail=${ANN}&subscribe=false`));
    await writer.close();
    const { createdAt, updatedAt, changed } = await readJson(await slow);
    assertEquals([createdAt, updatedAt, changed], [LATER, LATER, true]);
  });

  // Each call follows the ones before it, one second later.
  const CALLS: readonly [
    does: string,
    form: Record<string, string>,
    expected: { subscribed: boolean; userName: string | null; changed: boolean },
  ][] = [
    ["creates", {}, { subscribed: true, userName: null, changed: true }],
    ["repeats", {}, { subscribed: true, userName: null, changed: false }],
    ["names", { userName: "Ann" }, { subscribed: true, userName: "Ann", changed: true }],
    ["keeps the name", {}, { subscribed: true, userName: "Ann", changed: false }],
    ["keeps it by an empty one", { userName: " " }, {
      subscribed: true,
      userName: "Ann",
      changed: false,
    }],
    ["repeats the name", { userName: " Ann " }, {
      subscribed: true,
      userName: "Ann",
      changed: false,
    }],
    ["unsubscribes", { subscribe: "false" }, { subscribed: false, userName: "Ann", changed: true }],
    ["unsubscribes again", { subscribe: "false" }, {
      subscribed: false,
      userName: "Ann",
      changed: false,
    }],
    ["renames", { subscribe: "false", userName: "A" }, {
      subscribed: false,
      userName: "A",
      changed: true,
    }],
    ["subscribes again", {}, { subscribed: true, userName: "A", changed: true }],
  ];
  it("each call answers the state after it, and updatedAt moves only with a change", async () => {
    const service = createService();
    let seconds = 0;
    let updatedAt = START;
    for (const [does, form, expected] of CALLS) {
      const answer = await readJson(await put(service, form));
      if (expected.changed) updatedAt = START.replace("00.000", `0${seconds}.000`);
      const full = { userEmail: ANN, ...expected, createdAt: START, updatedAt };
      assertEquals(answer, full, does);
      service.advance(1_000);
      seconds++;
    }
  });

  for (const subscribe of ["true", "True", "TRUE", "tRuE"]) {
    it(`subscribe is taken as true when it is ${subscribe}`, async () => {
      assertEquals((await readJson(await put(createService(), { subscribe }))).subscribed, true);
    });
  }

  for (const subscribe of ["false", "False", "FALSE"]) {
    it(`subscribe is taken as false when it is ${subscribe}`, async () => {
      assertEquals((await readJson(await put(createService(), { subscribe }))).subscribed, false);
    });
  }

  for (
    const subscribe of ["1", "0", "yes", "no", "on", "", " true", "true ", "t", "null", "ｔrue"]
  ) {
    it(`subscribe is invalid_value when it is "${subscribe}" in a form`, async () => {
      await assertRefused(await put(createService(), { subscribe }), {
        subscribe: "invalid_value",
      });
    });
  }

  for (const subscribe of ["true", "", 1, 0, [], {}, [true]]) {
    it(`subscribe is invalid_value when it is ${JSON.stringify(subscribe)} in JSON`, async () => {
      const json = { userEmail: ANN, subscribe };
      const response = await createService().send("PUT", SUBSCRIBE, { json });
      await assertRefused(response, { subscribe: "invalid_value" });
    });
  }

  for (const subscribe of [true, false]) {
    it(`subscribe is taken when it is ${subscribe} in JSON`, async () => {
      const json = { userEmail: ANN, subscribe, userName: null };
      const answer = await readJson(await createService().send("PUT", SUBSCRIBE, { json }));
      assertEquals(answer.subscribed, subscribe);
    });
  }

  const REFUSED: readonly [json: Record<string, unknown>, errors: Record<string, string>][] = [
    [{}, { userEmail: "required", subscribe: "required" }],
    [{ userEmail: null, subscribe: null }, { userEmail: "required", subscribe: "required" }],
    [{ userEmail: 1, subscribe: true }, { userEmail: "invalid_type" }],
    [{ userEmail: [ANN], subscribe: true }, { userEmail: "invalid_type" }],
    [{ userEmail: "", subscribe: true }, { userEmail: "invalid_email" }],
    [{ userEmail: ` ${ANN}`, subscribe: true }, { userEmail: "invalid_email" }],
    [{ userEmail: "änn@example.com", subscribe: true }, { userEmail: "unsupported_characters" }],
    [{ userEmail: ANN, subscribe: true, userName: 7 }, { userName: "invalid_type" }],
    [{ userEmail: ANN, subscribe: true, userName: "x".repeat(201) }, { userName: "too_long" }],
    [{ userEmail: ANN, subscribe: true, userName: "\ud800" }, {
      userName: "unsupported_characters",
    }],
    [{ userEmail: "ann", subscribe: "yes", userName: "a\u0007b" }, {
      userEmail: "invalid_email",
      subscribe: "invalid_value",
      userName: "unsupported_characters",
    }],
  ];
  for (const [json, errors] of REFUSED) {
    it(`a call is 422 and stores nothing when it is ${JSON.stringify(json).slice(0, 60)}`, async () => {
      const service = createService();
      await assertRefused(await service.send("PUT", SUBSCRIBE, { json }), errors);
      assertEquals(await service.storage.subscriptions.list({ limit: 1 }), []);
    });
  }

  it("an unescaped plus sign is hinted at", async () => {
    const service = createService();
    const response = await put(service, { userEmail: "ann news@example.com" });
    const { detail } = await assertRefused(response, { userEmail: "invalid_email" });
    assertStringIncludes(detail, "%2B");
    const padded = await put(service, { userEmail: `${ANN} ` });
    const { detail: other } = await assertRefused(padded, { userEmail: "invalid_email" });
    assertEquals(other.includes("%2B"), false);
  });

  it("a 200 is sent only when storage has taken the change", async () => {
    const service = createService();
    await service.storage.close();
    const response = await put(service, {});
    assertEquals(response.headers.get("retry-after"), "1");
    await assertProblem(response, 503, "storage_unavailable");
  });

  it("concurrent calls for one address end in the state of one of them", async () => {
    const service = createService();
    const answers = await Promise.all(Array.from({ length: 20 }, async (_, i) => {
      const form = { userName: `Ann ${i}`, subscribe: `${i % 2 === 0}` };
      const { subscribed, userName } = await readJson(await put(service, form));
      return JSON.stringify([subscribed, userName]);
    }));
    const { subscribed, userName } = await readJson(
      await service.send("GET", `${SUBSCRIBERS}/${ANN}`),
    );
    assertEquals(answers.includes(JSON.stringify([subscribed, userName])), true);
    assertEquals((await service.storage.subscriptions.list({ limit: 9 })).length, 1);
  });
});

describe("addresses", () => {
  const SAME: readonly [given: string, stored: string][] = [
    ["ANN@EXAMPLE.COM", ANN],
    ["Ann+News@Example.com", "ann+news@example.com"],
    ["a.n.n@example.com", "a.n.n@example.com"],
    ["ann@bücher.example", "ann@xn--bcher-kva.example"],
    ["ann@BÜCHER.example", "ann@xn--bcher-kva.example"],
    ["ann@XN--BCHER-KVA.example", "ann@xn--bcher-kva.example"],
  ];
  for (const [given, stored] of SAME) {
    it(`an address is shown and found as ${stored} when it is ${given}`, async () => {
      const service = createService();
      assertEquals((await readJson(await put(service, { userEmail: given }))).userEmail, stored);
      for (const address of [given, stored]) {
        const path = `${SUBSCRIBERS}/${encodeURIComponent(address)}`;
        assertEquals((await readJson(await service.send("GET", path))).userEmail, stored);
      }
      const again = await readJson(await put(service, { userEmail: stored }));
      assertEquals(again.changed, false);
    });
  }
});

describe("reading and erasing a subscriber", () => {
  for (const address of ["none@example.com", "no-address", "änn@example.com", "%20", "a%00"]) {
    it(`a subscriber is not found when the address is ${address}`, async () => {
      const service = createService();
      for (const method of ["GET", "DELETE"]) {
        const response = await service.send(method, `${SUBSCRIBERS}/${address}`);
        if (address === "a%00") await assertProblem(response, 400, "malformed_path");
        else await assertProblem(response, 404, "subscriber_not_found");
      }
    });
  }

  it("nothing is left of a subscriber who was erased", async () => {
    const service = createService();
    await put(service, { userName: "Ann", subscribe: "false" });
    service.advance(1_000);
    const erased = await service.send("DELETE", `${SUBSCRIBERS}/Ann%40example.com`);
    assertEquals([erased.status, await erased.text()], [204, ""]);
    for (const method of ["GET", "DELETE"]) {
      const response = await service.send(method, `${SUBSCRIBERS}/${ANN}`);
      await assertProblem(response, 404, "subscriber_not_found");
    }
    const { userName, createdAt, changed } = await readJson(await put(service, {}));
    assertEquals([userName, createdAt, changed], [null, LATER, true]);
  });
});
