// Proves docs/interface.md for the operation that subscribes or unsubscribes a user.

import { assertEquals } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import { forEachRow } from "../../_support/rows.ts";
import {
  assertOutcomes,
  assertRefused,
  createService,
  FORM,
  outcomeOf,
  readJson,
  START,
} from "../../_support/service.ts";
import type { TestService } from "../../_support/service.ts";

const PATH = "changelogs/subscribe";
const USER = { userEmail: "ann@example.com", userName: "Ann" };

describe("the interface document on subscribing to changelog updates", () => {
  let service: TestService;
  let key: string;

  beforeEach(async () => {
    service = createService();
    key = await service.createKey(["subscriptions:write"]);
  });

  const put = (form: Readonly<Record<string, string>>) => service.send("PUT", PATH, { key, form });
  const isSubscribed = async (userEmail: string) =>
    (await service.call("GET", `changelogs/subscribers/${userEmail}`)).subscribed;

  it("subscribes the user of userEmail when subscribe is true", async () => {
    const answer = await readJson(await put({ ...USER, subscribe: "true" }));
    const times = { createdAt: START, updatedAt: START };
    assertEquals(answer, { ...USER, subscribed: true, changed: true, ...times });
    assertEquals(await isSubscribed("ann@example.com"), true);
  });

  it("unsubscribes that user when subscribe is false", async () => {
    await put({ ...USER, subscribe: "true" });
    const answer = await readJson(await put({ ...USER, subscribe: "false" }));
    assertEquals([answer.subscribed, answer.changed], [false, true]);
    assertEquals(await isSubscribed("ann@example.com"), false);
  });

  it("records an address that was never seen before as unsubscribed", async () => {
    const form = { userEmail: "new@example.com", subscribe: "false" };
    assertEquals((await readJson(await put(form))).subscribed, false);
    assertEquals(await isSubscribed("new@example.com"), false);
  });

  it("comes to the same when it is sent again", async () => {
    const first = await readJson(await put({ ...USER, subscribe: "true" }));
    service.advance(1_000);
    const second = await readJson(await put({ ...USER, subscribe: "true" }));
    assertEquals(second, { ...first, changed: false });
  });

  it("works without userName, and keeps the name that is known", async () => {
    const unnamed = { userEmail: "bob@example.com", subscribe: "true" };
    assertEquals((await readJson(await put(unnamed))).userName, null);
    await put({ ...USER, subscribe: "true" });
    const { userEmail } = USER;
    assertEquals((await readJson(await put({ userEmail, subscribe: "false" }))).userName, "Ann");
  });

  it("requires userEmail and subscribe, and names every bad field at once", async () => {
    await assertRefused(await put({}), { userEmail: "required", subscribe: "required" });
    await assertRefused(await put({ userEmail: "nobody", subscribe: "yes" }), {
      userEmail: "invalid_email",
      subscribe: "invalid_value",
    });
  });

  it("takes subscribe as the text true or false, in any case", async () => {
    await forEachRow([
      ["true", "200"],
      ["false", "200"],
      ["True", "200"],
      ["FALSE", "200"],
      ["1", "422 subscribe:invalid_value"],
      ["yes", "422 subscribe:invalid_value"],
      [" true", "422 subscribe:invalid_value"],
      ["", "422 subscribe:invalid_value"],
    ], async ([subscribe, outcome]) => {
      assertEquals(await outcomeOf(await put({ ...USER, subscribe })), outcome);
    });
  });

  it("takes a form, with PUT, and nothing in the path or the query", async () => {
    const body = "userEmail=ann%40example.com&subscribe=true";
    const send = (type: string) => ({ key, body, headers: { "content-type": type } });
    await assertOutcomes(service, [
      ["PUT", PATH, send(FORM), "200"],
      ["PUT", PATH, send("text/plain"), "415 unsupported_media_type"],
      ["PUT", `${PATH}/ann@example.com`, send(FORM), "404 not_found"],
      ["PUT", `${PATH}?${body}`, { key, form: {} }, "422 userEmail:required subscribe:required"],
      ["POST", PATH, send(FORM), "405 method_not_allowed"],
    ]);
  });

  it("wants the API key as a bearer token in the Authorization header", async () => {
    const form = { ...USER, subscribe: "true" };
    const reader = await service.createKey(["boards:read"]);
    await assertOutcomes(service, [
      ["PUT", PATH, { key, form }, "200"],
      ["PUT", PATH, { key: null, form }, "401 missing_credentials"],
      ["PUT", PATH, { key: null, form: { ...form, key } }, "401 missing_credentials"],
      ["PUT", PATH, { key: reader, form }, "403 insufficient_scope"],
    ]);
  });
});
