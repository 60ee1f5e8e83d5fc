import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ANN, DAY_MS, startBouncing, subscribe } from "../../_support/bounces/service.ts";
import { START } from "../../_support/service.ts";

describe("an event that is posted", () => {
  it("unsubscribes at once where there is no such mailbox", async () => {
    const { post, event, state } = await startBouncing([ANN]);
    assertEquals(await post(event("HardBounce")), "1 0 0");
    assertEquals(await state(), "false bounce");
  });

  it("unsubscribes people who complained, and people who unsubscribed at the provider", async () => {
    const { post, event, state } = await startBouncing([ANN, "bob@example.com"]);
    const left = event("Unsubscribe", { email: "bob@example.com" });
    assertEquals(await post(event("SpamComplaint"), left), "2 0 0");
    assertEquals(await state(), "false complaint");
    assertEquals(await state("bob@example.com"), "false link");
  });

  it("unsubscribes with the fifth other failure in a row over at least 7 days", async () => {
    const { post, event, state, advance } = await startBouncing([ANN]);
    for (let number = 0; number < 4; number++) {
      assertEquals(await post(event("SoftBounce")), "0 1 0");
      advance(2 * DAY_MS);
    }
    assertEquals(await state(), "true api");
    assertEquals(await post(event("SoftBounce")), "1 0 0");
    assertEquals(await state(), "false bounce");
  });

  it("unsubscribes nobody by many failures in less than 7 days, and by the first after them", async () => {
    const { post, event, state, advance } = await startBouncing([ANN]);
    for (let number = 0; number < 70; number++) {
      assertEquals(await post(event("SoftBounce")), "0 1 0");
      advance(DAY_MS / 11);
    }
    assertEquals(await state(), "true api");
    advance(DAY_MS);
    assertEquals(await post(event("SoftBounce")), "1 0 0");
  });

  it("starts the row again where a mail has arrived", async () => {
    const { post, event, state, advance } = await startBouncing([ANN]);
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
    const { post, event, state, advance } = await startBouncing([ANN]);
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
    const { post, event, state, advance } = await startBouncing([ANN]);
    const events = [0, 1, 2, 3].map((days) => event("SoftBounce", { id: `${days}` }));
    assertEquals(await post(...events), "0 4 0");
    advance(8 * DAY_MS);
    for (let number = 0; number < 5; number++) assertEquals(await post(...events), "0 0 4");
    assertEquals(await state(), "true api");
  });

  it("changes nothing where it is older than the subscription", async () => {
    const { post, event, state, advance, call } = await startBouncing([ANN]);
    const old = [event("HardBounce"), event("SpamComplaint"), event("Unsubscribe")];
    assertEquals(await post(event("HardBounce")), "1 0 0");
    advance(1_500);
    await subscribe({ call }, ANN);
    assertEquals(await post(...old, event("SoftBounce", { agoMs: 1_500 })), "0 0 4");
    assertEquals(await state(), "true api");
  });

  it("counts from the last subscription on, whatever has changed since", async () => {
    const { post, event, call, advance } = await startBouncing([ANN]);
    advance(DAY_MS);
    const named = { userEmail: ANN, userName: "Ann", subscribe: true };
    await call("PUT", "changelogs/subscribe", named);
    assertEquals(await post(event("HardBounce", { agoMs: DAY_MS / 2 })), "1 0 0");
  });

  it("counts nothing that was before the last subscription", async () => {
    const { post, event, state, advance, call } = await startBouncing([ANN]);
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
    const { post, event, advance, call } = await startBouncing();
    advance(800);
    await subscribe({ call }, ANN);
    assertEquals(await post(event("HardBounce", { agoMs: 800 })), "1 0 0");
  });

  it("forgets failures after half a year without one", async () => {
    const { post, event, state, advance } = await startBouncing([ANN]);
    for (const id of ["a", "b", "c", "d"]) await post(event("SoftBounce", { id }));
    advance(181 * DAY_MS);
    assertEquals(await post(event("SoftBounce")), "0 1 0");
    assertEquals(await state(), "true api");
  });

  it("counts as now where it has no time, or one to come", async () => {
    const { post, event, state } = await startBouncing([ANN]);
    const timeless = { ...event("HardBounce"), BouncedAt: "soon" };
    assertEquals(await post(timeless), "1 0 0");
    assertEquals(await state(), "false bounce");
    const other = await startBouncing([ANN]);
    for (let number = 0; number < 9; number++) {
      const later = other.event("SoftBounce", { agoMs: -number * DAY_MS });
      assertEquals(await other.post(later), "0 1 0");
    }
  });

  it("that comes twice does not unsubscribe a person who came back, whatever its time", async () => {
    for (const BouncedAt of [START, "soon", "2099-01-01T00:00:00Z"]) {
      for (const type of ["HardBounce", "SpamComplaint", "Unsubscribe"]) {
        const { post, event, state, advance, call } = await startBouncing([ANN]);
        const report = { ...event(type), BouncedAt };
        assertEquals(await post(report), "1 0 0");
        advance(DAY_MS);
        await subscribe({ call }, ANN);
        advance(DAY_MS);
        assertEquals([await post(report), await state()], ["0 0 1", "true api"], BouncedAt);
        assertEquals(await post(event(type, { id: "another" })), "1 0 0");
      }
    }
  });

  it("counts where the subscription, an arrival or other failures lie ahead", async () => {
    const { post, event, state, advance, call } = await startBouncing();
    advance(400 * DAY_MS);
    await subscribe({ call }, ANN);
    assertEquals(await post(event("SoftBounce", { id: "ahead" })), "0 1 0");
    advance(-400 * DAY_MS);
    const failures = ["a", "b", "c", "d"].map((id) => event("SoftBounce", { id }));
    assertEquals(await post(...failures), "0 4 0");
    assertEquals(await state(), "true api");
    advance(8 * DAY_MS);
    assertEquals(await post(event("SpamComplaint")), "1 0 0");
    assertEquals(await state(), "false complaint");
  });

  it("creates no subscriber, and changes none who is unsubscribed or erased", async () => {
    const { post, event, state, call, send } = await startBouncing([ANN, "bob@example.com"]);
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
    const { post, event } = await startBouncing(["ann+x@example.com"]);
    const hostile = ["", "a@b", "\0@x.example", `${"a".repeat(70_000)}@example.com`, "a@b@c.de"];
    hostile.push("ann@example.com\r\nX: y", "<script>@example.com", "ann@éxample.com\u202e");
    const events = hostile.map((email) => event("HardBounce", { email }));
    assertEquals(await post(...events), `0 0 ${hostile.length}`);
    assertEquals(await post(event("HardBounce", { email: "Ann+X@Example.COM" })), "1 0 0");
  });

  it("is told to webhooks in the same step", async () => {
    const { post, event, call } = await startBouncing([ANN]);
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

  it("gives others their turn while thousands come in one report", async () => {
    const { post, event } = await startBouncing([ANN]);
    const events = Array.from({ length: 5_000 }, (_, id) => event("Blocked", { id: `${id}` }));
    let turns = 0;
    const timer = setInterval(() => turns++);
    await post(...events);
    clearInterval(timer);
    assert(turns > 3, `${turns} turns`);
  });
});
