import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { deliveryIdOf } from "../../../model/deliveries/delivery.ts";
import { deliveryPath, postDeliveryPath } from "../../_support/deliveries.ts";
import { REFUSED, SENT, startMailing } from "../../_support/mailing.ts";
import { assertOutcomes, createService } from "../../_support/service.ts";

const ENTRIES = "/api/v1/changelogs/entries";
const POSTS = "/api/v1/boards/ideas/posts";

/** Returns a service with the delivery of an entry and that of a post, by path. */
async function withDeliveries() {
  const service = createService();
  await service.call("POST", ENTRIES, { entryId: "a", title: "A", body: "" });
  await service.call("POST", `${ENTRIES}/a/publish`, { notify: true });
  await service.call("POST", "boards", { boardId: "ideas", name: "Ideas" });
  await service.call("POST", POSTS, { postId: "dark", title: "Dark mode" });
  await service.call("PATCH", `${POSTS}/dark`, { status: "planned", notify: true });
  const ofPost = await postDeliveryPath(service, `${POSTS}/dark`);
  return { ...service, ofEntry: deliveryPath("a"), ofPost };
}

describe("a delivery", () => {
  it("is named by its entry and its post in answers", async () => {
    const { call } = await withDeliveries();
    assertEquals((await call("GET", `${ENTRIES}/a`)).deliveryId, deliveryIdOf("a"));
    const { data } = await call<{ data: { deliveryId: string }[] }>("GET", ENTRIES);
    assertEquals(data.map(({ deliveryId }) => deliveryId), [deliveryIdOf("a")]);
    await call("POST", ENTRIES, { entryId: "b", title: "B", body: "" });
    assertEquals((await call("GET", `${ENTRIES}/b`)).deliveryId, null);
    await call("POST", POSTS, { postId: "light", title: "Light mode" });
    assertEquals((await call("GET", `${POSTS}/light`)).deliveryId, null);
  });

  it("is controlled by those who may publish what it mails", async () => {
    const service = await withDeliveries();
    const { ofEntry, ofPost, createKey } = service;
    const [entries, posts, neither] = await Promise.all(
      (["entries:publish", "posts:publish", "entries:read"] as const)
        .map((scope) => createKey([scope])),
    );
    const refused = "403 insufficient_scope";
    const missing = "404 delivery_not_found";
    await assertOutcomes(service, [
      ["POST", `${ofEntry}/pause`, { key: entries }, "200"],
      ["POST", `${ofPost}/pause`, { key: entries }, refused],
      ["POST", `${ofEntry}/pause`, { key: posts }, refused],
      ["POST", `${ofPost}/pause`, { key: posts }, "200"],
      ["POST", `${ofEntry}/pause`, { key: neither }, refused],
      ["POST", "/api/v1/deliveries/none/pause", { key: neither }, refused],
      ["POST", "/api/v1/deliveries/none/pause", { key: posts }, missing],
      ["GET", "/api/v1/deliveries/none", {}, missing],
      ["GET", ofPost, { key: posts }, refused],
      ["GET", `${POSTS}/dark/delivery`, {}, "404 not_found"],
    ]);
  });

  it("tells whether a call changed it, and stays ended", async () => {
    const { call, ofEntry } = await withDeliveries();
    const steps = [["pause", true], ["pause", false], ["cancel", true], ["resume", false]] as const;
    for (const [action, expected] of steps) {
      assertEquals((await call("POST", `${ofEntry}/${action}`)).changed, expected, action);
    }
  });

  it("is not changed where a newer one has taken over", async () => {
    const { call, ofPost } = await withDeliveries();
    await call("POST", `${ofPost}/pause`);
    await call("PATCH", `${POSTS}/dark`, { answer: "Soon.", notify: true });
    assertEquals((await call("POST", `${ofPost}/resume`)).changed, false);
  });

  it("that is held is found in statistics, whatever its age", async () => {
    let mails = 0;
    const people = Array.from({ length: 150 }, (_, index) => `u${index}@example.com`);
    const relay = () => ++mails % 9 === 0 ? REFUSED : SENT;
    await using mailing = await startMailing({ subscribers: people, relay });
    await mailing.publish("old");
    const { call } = mailing.service;
    for (let index = 0; index < 12; index++) {
      await mailing.clock.tick(1_000);
      await call("POST", ENTRIES, { entryId: `n${index}`, title: "T", body: "" });
      await call("POST", `${ENTRIES}/n${index}/publish`, { notify: true });
      await call("POST", `${deliveryPath(`n${index}`)}/cancel`);
    }
    const { deliveries, attention } = await call<{
      readonly deliveries: readonly { readonly entryId: string }[];
      readonly attention: readonly { readonly code: string }[];
    }>("GET", "stats");
    assertEquals([deliveries.length, deliveries.at(-1)?.entryId], [11, "old"]);
    assertEquals(attention.map(({ code }) => code), ["delivery_held"]);
  });
});
